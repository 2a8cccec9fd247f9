"""Links between hosts: pairs of devices, and the limits, delays and losses between them.

A link that only limits the rate is the kernel's `tbf` on both ends of a veth pair. A link that
delays or loses packets is a program between two TUN devices (`forwarder`), or on request the
kernel's `netem`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Container
from pathlib import Path
from typing import IO

from thinktime import RunError
from thinktime.lab.file import Link
from thinktime.lab.namespaces import Namespace, run

FORWARDER = Path(__file__).with_name("forwarder.py")
TUN = "/dev/net/tun"
BUFFER_S = 0.1
BUFFER_BYTES_MIN = 30_000
"""The default buffer of a link: 100 ms of its rate, at least twenty packets."""

BURST_BYTES_MIN = 3200
BURST_S = 0.001
QUEUE_PACKETS = 10_000
"""A TUN device's queue before the program; not meant to be the link's own buffer."""


def device(other: str) -> str:
    """The name of the device that leads to another host; at most the kernel's 15 characters."""
    return f"to-{other}"


def buffer_of(link: Link) -> float:
    """The bytes that may wait for the link's rate; 0 without a rate."""
    if link.rate is None:
        return 0.0
    return link.buffer or max(BUFFER_BYTES_MIN, BUFFER_S * link.rate)


def is_program(link: Link) -> bool:
    """Whether a program carries the link's packets, and not the kernel alone."""
    return link.by == "forwarder" and not link.plain


def make_veth(link: Link, ends: tuple[Namespace, Namespace]) -> None:
    """Make a link that the kernel carries."""
    one, other = ends
    names = [device(end.host) for end in reversed(ends)]
    one.ip(f"link add {names[0]} type veth peer name {names[1]} netns {other.name}")
    for end, name in zip(ends, names, strict=True):
        for words in qdiscs(link):
            run(["tc", "-n", end.name, "qdisc", "add", "dev", name, *words])
        end.ip(f"link set {name} up")


def qdiscs(link: Link) -> list[list[str]]:
    """The queues of one end, as in `tc qdisc add dev DEVICE`: each below the one before."""
    found = []
    if not link.plain:
        times = [f"{1e6 * time:.0f}us" for time in (link.delay, link.jitter)]
        loss = ["loss", f"{100 * link.loss:.7f}%"]
        netem = ["netem", "limit", "100000", "delay", *times, *loss]
        found.append(["root", "handle", "1:", *netem])
    if link.rate is not None:
        burst = max(BURST_BYTES_MIN, BURST_S * link.rate)
        tbf = ["rate", f"{8 * link.rate:.0f}bit", "burst", f"{burst:.0f}"]
        where = ["parent", "1:1", "handle", "10:"] if found else ["root"]
        found.append([*where, "tbf", *tbf, "limit", f"{burst + buffer_of(link):.0f}"])
    return found


def start_forwarder(
    link: Link, ends: tuple[Namespace, Namespace], seed: int, counts: Path, said: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start the program that carries a link, and wait until its devices are there.

    Raises:
        RunError: It does not start.
    """
    devices = [device(end.host) for end in reversed(ends)]
    plan = {
        "name": link.name,
        "seed": seed,
        "rate": link.rate or 0.0,
        "delay": link.delay,
        "jitter": link.jitter,
        "loss": link.loss,
        "buffer": buffer_of(link),
        "counts": str(counts),
        "ends": [
            {"namespace": str(end.path), "device": name}
            for end, name in zip(ends, devices, strict=True)
        ],
    }
    words = [sys.executable, "-I", "-S", str(FORWARDER), json.dumps(plan)]
    process = subprocess.Popen(
        ends[0].words(words), stdout=subprocess.PIPE, stderr=said, start_new_session=True
    )
    assert process.stdout is not None
    if process.stdout.readline() != b"ready\n":
        process.wait()
        why = Path(said.name).read_text("utf-8", "replace").splitlines()[-1:]
        raise RunError(f"the link {link.name} does not start: {' '.join(why)}")
    for end, name in zip(ends, devices, strict=True):
        end.ip(f"link set {name} txqueuelen {QUEUE_PACKETS} up")
    return process


def unread(end: Namespace, other: str) -> int:
    """The packets that the device to another host dropped because they were not read in time."""
    said = run(["ip", "-n", end.name, "-s", "-j", "link", "show", device(other)])
    return int(json.loads(said)[0]["stats64"]["tx"]["dropped"])


def add_routes(
    end: Namespace, by_host: dict[str, Namespace], ways: dict[str, str], tun: Container[str]
) -> None:
    """Route packets for each host, with all of its block, to the neighbour on the way.

    `tun` are the neighbours to which the device has no addresses below IP.
    """
    lines = []
    for host, neighbour in ways.items():
        over = f"dev {device(neighbour)} src {end.address}"
        if neighbour not in tun:
            over = f"via {by_host[neighbour].address} {over} onlink"
        lines.append(f"route add {by_host[host].block} {over}")
    end.ip(*lines)
