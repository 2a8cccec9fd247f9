"""The bytes of hostile clients on the wire, as received by the tests' own server.

Frames of HTTP/2 are parsed here by their headers of nine bytes (RFC 9113, section 4.1), and header
fields by RFC 7541.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from labs import TWO_HOSTS, WAIT_S, inside, running
from test_lab_hostile import attacked

from thinktime.lab.instance import LabInstance

# Keeps all received bytes, sends its greeting, and ends connections with more than a given number
# of bytes. It ends when its own input does, and no more bytes come.
LISTEN = """
import json, select, socket, sys
most, greeting = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
listener = socket.create_server(("0.0.0.0", 8080), backlog=1024)
print("ready", flush=True)
came, there, watched = [], {}, [listener, sys.stdin]
while True:
    ready = select.select([*watched, *there], [], [], 0.3)[0]
    if not ready and sys.stdin not in watched:
        break
    for one in ready:
        if one is sys.stdin:
            watched.remove(one)
            continue
        if one is listener:
            new = listener.accept()[0]
            new.sendall(greeting)
            there[new] = len(came)
            came.append(b"")
            continue
        try:
            data = one.recv(65536)
        except OSError:
            data = b""
        came[there[one]] += data
        if not data or len(came[there[one]]) > most:
            del there[one]
            one.close()
print(json.dumps([one.hex() for one in came]))
"""

SETTINGS_FRAME = "000000040000000000"
ALL = 1 << 30


def heard(
    lab: LabInstance, during: Callable[[], Any], *words: str, program: str = LISTEN
) -> tuple[Any, Any]:
    """The received bytes of a server on `other` meanwhile, and the outcome."""
    command = lab.hosts["other"].words([sys.executable, "-c", program, *words])
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    result = during()
    return json.loads(process.communicate(timeout=WAIT_S)[0]), result


def connections(
    folder: Path, kind: str, most: int, greeting: str, **more: Any
) -> tuple[list[bytes], dict[str, int]]:
    """The received bytes of each connection of a hostile client, and the client's own counts."""
    with running(folder, TWO_HOSTS) as lab:
        said, counts = heard(
            lab, lambda: attacked(lab, kind, path="/page", **more), str(most), greeting
        )
    return [bytes.fromhex(one) for one in said], counts


# ---- HTTP/2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, CONTINUATION = 1, 3, 4, 9
NONE, ACK, END_STREAM, END_HEADERS = 0, 1, 1, 4
CANCEL = 8
STATIC = {1: ":authority", 2: ":method", 4: ":path", 6: ":scheme"}
VALUES = {2: "GET", 6: "http"}
"""Names, and names with values, of the static table (RFC 7541, appendix A)."""


@dataclass(frozen=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes


def frames(data: bytes) -> list[Frame]:
    """The whole frames of a client's connection, behind its preface."""
    assert data.startswith(PREFACE)
    at, found = len(PREFACE), []
    while len(data) >= at + 9:
        size = int.from_bytes(data[at : at + 3], "big")
        if len(data) < at + 9 + size:
            break
        assert size <= 16_384  # the largest frame without permission for more
        stream = int.from_bytes(data[at + 5 : at + 9], "big")
        found.append(Frame(data[at + 3], data[at + 4], stream, data[at + 9 : at + 9 + size]))
        at += 9 + size
    return found


def fields(block: bytes) -> list[tuple[str, str]]:
    """Header fields from the static table, and literals that enter no table nor use a code."""
    found, at = [], 0

    def text() -> str:
        nonlocal at
        size = block[at]
        assert size < 127
        at += 1 + size
        assert at <= len(block)
        return block[at - size : at].decode()

    while at < len(block):
        index = block[at]
        at += 1
        if index & 0x80:
            found.append((STATIC[index & 0x7F], VALUES[index & 0x7F]))
            continue
        assert index < 15
        found.append((STATIC[index] if index else text(), text()))
    return found


REQUEST = [(":method", "GET"), (":scheme", "http"), (":path", "/page"), (":authority", "lab")]


@pytest.mark.parametrize("most", [ALL, 1000], ids=["one-connection", "ended-by-the-server"])
def test_rapid_reset_sends_requests_each_with_its_reset(most: int, tmp_path: Path) -> None:
    """On every connection anew: streams 1, 3, 5, ..., whole requests, and each is cancelled before
    anything else comes."""
    came, counts = connections(tmp_path, "rapid-reset", most, SETTINGS_FRAME, rate=100.0)
    assert len(came) == counts["opened"]
    resets = 0
    for data in came:
        first, *rest = frames(data)
        assert first == Frame(SETTINGS, NONE, 0, b"")
        accepted = [one for one in rest if one.kind == SETTINGS]
        assert accepted in ([], [Frame(SETTINGS, ACK, 0, b"")])
        work = [one for one in rest if one.kind != SETTINGS]
        for number, head in enumerate(work[::2]):
            stream = 2 * number + 1
            assert (head.kind, head.flags) == (HEADERS, END_STREAM | END_HEADERS)
            assert head.stream == stream
            assert fields(head.payload) == REQUEST
            where = rest.index(head)
            for reset in rest[where + 1 : where + 2]:  # unless the connection was cut between
                assert reset == Frame(RST_STREAM, NONE, stream, CANCEL.to_bytes(4, "big"))
                resets += 1
    if most == ALL:
        assert len(came) == 1
        assert frames(came[0]).count(Frame(SETTINGS, ACK, 0, b"")) == 1
        assert resets == counts["reset"] >= 50
    else:
        assert len(came) > 1
        assert 20 <= resets <= counts["reset"]


def test_a_continuation_flood_sends_header_fields_without_end(tmp_path: Path) -> None:
    """One request, whose header never ends: no frame has END_HEADERS, and none comes between."""
    came, counts = connections(tmp_path, "continuation-flood", ALL, SETTINGS_FRAME, rate=100.0)
    (data,) = came
    first, head, *more = frames(data)
    assert first == Frame(SETTINGS, NONE, 0, b"")
    assert (head.kind, head.flags, head.stream) == (HEADERS, END_STREAM, 1)
    assert fields(head.payload) == REQUEST
    assert {(one.kind, one.flags, one.stream) for one in more} == {(CONTINUATION, NONE, 1)}
    assert len(more) == counts["frames sent"] >= 50
    for one in more:
        sent = fields(one.payload)
        assert len(sent) == 10
        assert all(re.fullmatch(r"[a-z0-9-]+", name) and len(value) == 100 for name, value in sent)


def test_its_connection_is_made_anew_when_the_server_ends_it(tmp_path: Path) -> None:
    came, counts = connections(tmp_path, "continuation-flood", 5000, SETTINGS_FRAME, rate=100.0)
    assert len(came) == counts["opened"] > 1
    assert counts["ended by the server"] >= len(came) - 1
    for data in came:
        kinds = [(one.kind, one.flags, one.stream) for one in frames(data)]
        assert kinds[:2] == [(SETTINGS, NONE, 0), (HEADERS, END_STREAM, 1)]
        assert set(kinds[2:]) <= {(CONTINUATION, NONE, 1)}


# ---- HTTP/1.1


@pytest.mark.parametrize(
    ("kind", "begins", "piece"),
    [
        ("slow-headers", b"GET /page HTTP/1.1\r\nHost: lab\r\n", rb"[A-Za-z-]+: [^\r\n]+\r\n"),
        ("slow-bodies", b"POST /page HTTP/1.1\r\nHost: lab\r\n", rb"x"),
    ],
)
def test_what_comes_slowly_comes_in_pieces_and_not_to_an_end(
    kind: str, begins: bytes, piece: bytes, tmp_path: Path
) -> None:
    """A piece a second at most; of 2.5 s the oldest connections have seen two seconds begin."""
    came, counts = connections(tmp_path, kind, ALL, "", rate=30.0, duration=2.5)
    assert len(came) == counts["opened"] >= 20
    pieces = []
    for data in came:
        assert data.startswith(begins)
        rest = data.removeprefix(begins)
        if kind == "slow-bodies":
            head, _, rest = rest.partition(b"\r\n\r\n")
            size = re.search(rb"Content-Length: (\d+)", head)
            assert size is not None
            assert int(size[1]) > 100_000
        pieces.append(len(re.findall(piece, rest)))
        assert b"".join(re.findall(piece, rest)) == rest  # and nothing else: no empty line
    assert 1 <= max(pieces) <= 2


# Sends each connection four megabytes, and says how many of them the client's kernel took, as that
# of the server has it (`tcpi_bytes_acked`, linux/tcp.h).
ANSWER = """
import json, select, socket, struct, sys, threading
answer = b"HTTP/1.1 200 OK\\r\\nContent-Length: 4000000\\r\\n\\r\\n" + bytes(4_000_000)
listener = socket.create_server(("0.0.0.0", 8080), backlog=1024)
print("ready", flush=True)
heads, taken, threads = [], [], []
def serve(one):
    head = b""
    try:
        while b"\\r\\n\\r\\n" not in head:
            if not (more := one.recv(65536)):
                return
            head += more
        one.sendall(answer)
        while one.recv(65536):
            pass
    except OSError:
        pass
    heads.append(head.decode())
    taken.append(struct.unpack_from("Q", one.getsockopt(6, socket.TCP_INFO, 192), 120)[0])
    one.close()
while listener in select.select([listener, sys.stdin], [], [])[0]:
    threads.append(threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True))
    threads[-1].start()
for one in threads:
    one.join(60)
print(json.dumps({"heads": heads, "taken": taken}))
"""

READ_ALL = """
import socket
one = socket.create_connection(("other", 8080))
one.sendall(b"GET /quick HTTP/1.1\\r\\nHost: lab\\r\\n\\r\\n")
left = 4_000_000
while left > 0:
    left -= len(one.recv(65536))
"""


def test_slow_reading_takes_next_to_nothing_of_a_large_answer(tmp_path: Path) -> None:
    """16 bytes a second, of which 2.5 s have seen two, and what a small buffer holds; somebody else
    takes all of it meanwhile."""
    with running(tmp_path, TWO_HOSTS) as lab:

        def during() -> dict[str, int]:
            counts = attacked(lab, "slow-reading", rate=30.0, duration=2.5, path="/page")
            inside(lab, "one", sys.executable, "-c", READ_ALL)
            return counts

        said, counts = heard(lab, during, program=ANSWER)
    *slow, quick = sorted(said["taken"])
    assert quick > 4_000_000
    assert 20 <= len(slow) <= counts["opened"]
    heads = [one for one in said["heads"] if one and "/quick" not in one]
    assert set(heads) == {"GET /page HTTP/1.1\r\nHost: lab\r\n\r\n"}
    assert 0 < counts["bytes read"] <= 16 * 2 * counts["opened"]
    assert median(slow) > 0  # the last to come had no time for it
    assert max(slow) < 10_000


# ---- datagrams


DATAGRAMS = """
import json, select, socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
one.bind(("0.0.0.0", 8080))
print("ready", flush=True)
sizes, watched = [], [one, sys.stdin]
while (ready := select.select(watched, [], [], 0.3)[0]) or sys.stdin in watched:
    if one in ready:
        sizes.append(len(one.recv(65536)))
    elif ready:
        watched.remove(sys.stdin)
print(json.dumps(sizes))
"""


def test_datagrams_come_to_the_port_that_is_named(tmp_path: Path) -> None:
    with running(tmp_path, TWO_HOSTS) as lab:
        sizes, counts = heard(
            lab, lambda: attacked(lab, "udp-flood", rate=100.0), program=DATAGRAMS
        )
    assert sizes == [1400] * counts["sent"]
    assert counts["sent"] >= 50
