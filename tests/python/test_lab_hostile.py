"""Hostile clients: they run only in a lab, and each does what its name says, on the wire.

Servers of a few lines, the kernel's own tables, and nginx examine their traffic.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import nginx_server
import pytest
from labs import TWO_HOSTS, WAIT_S, alone, inside, need_root, running

from thinktime.lab import places
from thinktime.lab.hostile import kinds, packets
from thinktime.lab.instance import LabInstance

ROOT = Path(__file__).resolve().parents[2]
KINDS = list(kinds.KINDS)
HOSTILE = [sys.executable, "-m", "thinktime.lab.hostile"]


def settings(target: str, port: int = 8080, **more: Any) -> str:
    said = {
        "target": [target, port], "spoofed": "198.18.1.0/24", "rate": 200.0, "duration": 1.0,
        "path": "/", "seed": 1,
    }  # fmt: skip
    return json.dumps(said | more)


def started(words: list[str]) -> subprocess.CompletedProcess[str]:
    with alone():  # others look whether hostile clients are left
        return subprocess.run(words, capture_output=True, text=True, timeout=WAIT_S)


# ---- refused anywhere else


@pytest.mark.parametrize("kind", KINDS)
def test_it_refuses_on_the_machine_itself(kind: str) -> None:
    target = ("127.0.0.1", "198.18.2.1")[KINDS.index(kind) % 2]
    done = started([*HOSTILE, kind, settings(target)])
    assert done.returncode == 2
    assert done.stdout == ""
    assert "refused: a hostile client runs in a lab only" in done.stderr


def test_it_refuses_in_a_namespace_that_no_lab_made() -> None:
    """Not even in one that has a lab's name."""
    need_root()
    name = "thinktime-c0ffee-mallory"
    words = [*HOSTILE, "udp-flood", settings("198.18.2.1")]
    done = started(["unshare", "--net", "--", *words])
    assert done.returncode == 2
    assert "in no network namespace that a lab made" in done.stderr
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        done = started(["ip", "netns", "exec", name, *words])
        assert done.returncode == 2
        assert f"the lab of {name} is not running" in done.stderr
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_it_refuses_where_a_way_leads_out_of_the_lab(tmp_path: Path) -> None:
    with running(tmp_path, TWO_HOSTS) as lab:
        one = lab.hosts["one"]
        attack = [*HOSTILE, "udp-flood", settings(str(lab.hosts["other"].address), duration=0.05)]
        for target in ("192.0.2.1", "127.0.0.1", "8.8.8.8"):
            said = inside(lab, "one", *HOSTILE, "udp-flood", settings(target), fails=True)
            assert f"{target} is no address of a lab" in said
        assert json.loads(inside(lab, "one", *attack))["counts"]["sent"] > 0
        one.ip("link add extra type bridge", "link set extra up")
        said = inside(lab, "one", *attack, fails=True)
        assert "has a device that the lab did not make: extra" in said
        one.ip("link del extra", "route add default dev to-other")
        assert "a route leads out of" in inside(lab, "one", *attack, fails=True)
        one.ip("route del default")
        inside(lab, "one", *attack)


def test_it_refuses_when_the_lab_is_not_running_any_more(tmp_path: Path) -> None:
    with running(tmp_path, TWO_HOSTS) as lab:
        journal = lab.folder / "journal.jsonl"
        text = journal.read_text()
        attack = [*HOSTILE, "syn-flood", settings(str(lab.hosts["other"].address), duration=0.05)]
        journal.write_text(text.replace('"pid": ', '"pid": 9'))
        assert "is not running" in inside(lab, "one", *attack, fails=True)
        journal.write_text(text.replace("namespace", "nothing"))
        assert "was made by no lab" in inside(lab, "one", *attack, fails=True)


def test_every_kind_is_a_file_and_every_file_a_kind() -> None:
    folder = ROOT / "python/thinktime/lab/hostile"
    shared = {"__init__", "__main__", "client", "guard", "http2", "kinds", "packets"}
    files = {one.stem.replace("_", "-") for one in folder.glob("*.py")} - shared
    assert files - {"--init--", "--main--"} == set(KINDS)


# ---- what each does


def attacked(lab: LabInstance, kind: str, port: int = 8080, **more: Any) -> dict[str, int]:
    """The counts of a hostile client on `one` after a second at `other`."""
    words = settings(str(lab.hosts["other"].address), port, **more)
    found: dict[str, int] = json.loads(inside(lab, "one", *HOSTILE, kind, words))["counts"]
    return found


LISTEN = """
import collections, json, select, socket, sys, time
listener = socket.create_server(("0.0.0.0", 8080), backlog=4096)
listener.setblocking(False)
print("ready", flush=True)
took, said = [], collections.Counter()
end = time.monotonic() + float(sys.argv[1])
largest = 0
while time.monotonic() < end:
    for one in select.select([listener, *took], [], [], 0.05)[0]:
        if one is listener:
            took.append(listener.accept()[0])
        else:
            data = one.recv(65536)
            if not data:
                took.remove(one)
                said["ended"] += 1
            elif data.startswith((b"GET", b"POST")):
                said["heads"] += 1
                said["whole"] += b"\\r\\n\\r\\n" in data
            else:
                said["more"] += 1
    largest = max(largest, len(took))
print(json.dumps({"largest": largest, **said}))
"""


def seen(lab: LabInstance, during: Callable[[], Any], seconds: float) -> tuple[dict[str, int], Any]:
    """The observations of a server on `other` meanwhile, and the outcome."""
    words = [sys.executable, "-c", LISTEN, str(seconds)]
    process = subprocess.Popen(lab.hosts["other"].words(words), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    result = during()
    return json.loads(process.communicate(timeout=WAIT_S)[0]), result


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("connection-flood", {}),
        ("half-open", {}),
        ("slow-headers", {"heads"}),
        ("slow-bodies", {"heads", "whole"}),
        ("slow-reading", {"heads", "whole"}),
    ],
)
def test_connections_are_held_as_the_kind_says(
    kind: str, expected: set[str], tmp_path: Path
) -> None:
    """60 events in 1.2 s; the server sees each connection, and its end when the client ends, except
    for half-open ones, whose end it never sees."""
    with running(tmp_path, TWO_HOSTS) as lab:
        said, counts = seen(lab, lambda: attacked(lab, kind, rate=50.0, duration=1.2), 4.0)
    assert 20 <= counts["opened"] <= 60
    assert said["largest"] == counts["opened"]
    assert {key for key in ("heads", "whole") if said.get(key)} == set(expected)
    if kind in ("slow-headers", "slow-bodies"):
        assert said["more"] > 0
    if kind == "half-open":
        assert "ended" not in said
        assert counts["held at the end"] == 0
    else:
        assert said["ended"] == counts["opened"] == counts["held at the end"]


def test_a_syn_flood_fills_the_queue_of_half_made_connections(tmp_path: Path) -> None:
    """The kernel of the server lists them: SYN-RECV, from many unused addresses."""
    with running(tmp_path, TWO_HOSTS) as lab:

        def flood() -> tuple[dict[str, int], str]:
            counts = attacked(lab, "syn-flood", rate=100.0, duration=1.0)
            return counts, Path(f"/proc/{pid(lab)}/net/tcp").read_text()

        lab.start("other", ["sleep", "60"], "sleeper")
        said, (counts, table) = seen(lab, flood, 1.8)
    sources = {line.split()[2] for line in table.splitlines()[1:] if line.split()[3] == "03"}
    assert said["largest"] == 0
    assert 30 <= counts["sent"] <= 100
    assert len(sources) > 0.8 * counts["sent"]
    addresses = {IPv4Address(struct.pack("<I", int(one.split(":")[0], 16))) for one in sources}
    assert len(addresses) > 10
    assert all(one in places.block(1) for one in addresses)
    assert places.address(1) not in addresses


def pid(lab: LabInstance) -> int:
    """A process on the server's host."""
    from thinktime.lab.removal import processes

    return processes({places.inode(lab.hosts["other"].path)})[0]


@pytest.mark.parametrize(
    ("kind", "counter", "port"),
    [("udp-flood", ("Udp", "NoPorts"), 0), ("icmp-flood", ("Icmp", "InEchos"), 0)],
)
def test_packets_arrive_at_the_rate_and_no_more(
    kind: str, counter: tuple[str, str], port: int, tmp_path: Path
) -> None:
    """By the counters of the target's kernel."""
    with running(tmp_path, TWO_HOSTS) as lab:
        counts = attacked(lab, kind, port, rate=300.0, duration=1.0)
        lines = inside(lab, "other", "cat", "/proc/net/snmp").splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith(f"{counter[0]}:"))
    found = int(dict(zip(names, values, strict=True))[counter[1]])
    assert found == counts["sent"] <= 300
    assert counts["sent"] + counts.get("left out", 0) >= 250


NGINX = """user root; daemon off; worker_processes 1; pid nginx.pid;
error_log {errors} info;
events {{ worker_connections 1000; }}
http {{ access_log {access}; client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c;
uwsgi_temp_path d; scgi_temp_path e;
server {{ listen 8080; return 200 "x"; }} server {{ listen 8081 http2; return 200 "x"; }} }}
"""


@pytest.mark.parametrize("kind", ["garbage", "rapid-reset", "continuation-flood"])
def test_nginx_says_what_it_was_sent(kind: str, tmp_path: Path) -> None:
    if nginx_server.NGINX is None:
        pytest.skip("the system package nginx is not installed")
    (tmp_path / "nginx.conf").write_text(
        NGINX.format(access=tmp_path / "access.log", errors=tmp_path / "error.log")
    )
    text = TWO_HOSTS + (
        f'[[server]]\nname = "web"\nhost = "other"\nready = 8081\n'
        f'command = "{nginx_server.NGINX} -p {{folder}} -c {tmp_path}/nginx.conf"\n'
    )
    with running(tmp_path, text) as lab:
        counts = attacked(lab, kind, 8080 if kind == "garbage" else 8081, rate=100.0)
        # It is still there for others.
        get = "import urllib.request as u; print(u.urlopen('http://other:8080/').status)"
        assert inside(lab, "one", sys.executable, "-c", get) == "200\n"
    logs = [(tmp_path / f"{name}.log").read_bytes() for name in ("access", "error")]
    access, errors = (one.decode("utf-8", "replace") for one in logs)
    if kind == "garbage":
        assert access.count('" 400 ') > 10
        assert counts["answered 400"] > 10
        assert counts["bytes sent"] > 0
    elif kind == "rapid-reset":
        assert 50 <= counts["reset"] <= 100
        # Each was a request; of wrong frames it would say so, and end the connection.
        assert access.count('"GET / HTTP/2.0"') == counts["reset"]
        assert counts["opened"] == 1
        # That the attacker leaves with answers unread, as it does on a busy machine, is no such.
        told = [line for line in errors.splitlines() if "while processing HTTP/2" in line]
        assert [line for line in told if "reset by peer" not in line] == []
    else:
        # Not because of a wrong frame: because of too many fields, each time anew.
        assert 50 <= counts["frames sent"] <= 100
        ended = errors.count("client sent too large header")
        # The attacker may have left before it hears of the last one.
        assert 0 < counts["ended by the server"] <= ended <= counts["ended by the server"] + 1
        assert "inappropriate frame" not in errors


# ---- packets by hand


def test_a_syn_has_the_right_sums() -> None:
    """A segment with its pseudo header sums to zero (RFC 1071), as a receiver checks it."""
    source, target = IPv4Address("198.18.1.77"), ("198.18.2.1", 8080)
    packet = packets.syn(source, 40000, target, 123456789)
    segment = packet[20:]
    pseudo = source.packed + socket.inet_aton(target[0]) + struct.pack("!HH", 6, len(segment))
    assert packets.checksum(pseudo + segment) == 0
    assert struct.unpack("!HHI", segment[:8]) == (40000, 8080, 123456789)
    assert segment[13] == 0x02
    assert len(segment) == (segment[12] >> 4) * 4


def test_the_checksum_is_that_of_the_standard() -> None:
    """The example of RFC 1071: 0001 f203 f4f5 f6f7 sums to ddf2."""
    assert packets.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
    assert packets.checksum(b"\x01") == 0xFFFF - 0x0100
