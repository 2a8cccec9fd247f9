"""The program that is a link: two TUN devices, and what happens to packets on the way between them.

It is started by its path, outside the package, and needs the standard library alone: a link has to
be there quickly. Its one argument describes the link, as JSON (`Plan`). When both devices are there
it prints `ready`; at the signal to end it writes its counts.

A packet joins the queue of the link's rate, or is dropped if the buffer has no room. It leaves the
queue after the packets before it. Then it is lost with the probability of a loss, or travels for
the delay and the jitter. No packet overtakes another: one with a shorter delay arrives together
with the one before.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import random
import select
import signal
import struct
import sys
import time
from collections import deque
from pathlib import Path

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
PR_SET_TIMERSLACK = 29
PACKET_BYTES_MAX = 65536

TURN = 64
"""The packets read from one end before the other has its turn."""

HELD_BYTES_MAX = 1 << 28
"""The most packets on the way in one direction; one more is dropped, as by a full buffer."""


class Direction:
    """One way along the link: from the device `source` to the device `sink`."""

    def __init__(self, source: int, sink: int, plan: dict[str, float], seed: str) -> None:
        """Times are in seconds, sizes in bytes; a rate or a buffer of 0 means no such limit."""
        self.source, self.sink = source, sink
        self.seconds_a_byte = 1 / plan["rate"] if plan["rate"] else 0.0
        self.buffer_s = plan["buffer"] * self.seconds_a_byte if plan["rate"] else 0.0
        self.delay, self.jitter, self.loss = plan["delay"], plan["jitter"], plan["loss"]
        self.draw = random.Random(seed).random
        self.free_at = 0.0
        """When the last packet that was taken has left the queue."""
        self.under_way: deque[tuple[float, bytes]] = deque()
        self.held = 0
        self.counts = dict.fromkeys(("came", "lost", "overflowed", "passed"), 0)

    def take(self) -> None:
        """Read the packets that have come, and decide the fate of each."""
        counts = self.counts
        for _ in range(TURN):
            try:
                packet = os.read(self.source, PACKET_BYTES_MAX)
            except BlockingIOError:
                return
            now, size = time.monotonic(), len(packet)
            counts["came"] += 1
            leaves = max(now, self.free_at) + size * self.seconds_a_byte
            full = self.buffer_s and leaves - now > self.buffer_s
            if full or self.held + size > HELD_BYTES_MAX:
                counts["overflowed"] += 1
                continue
            self.free_at = leaves
            if self.loss and self.draw() < self.loss:
                counts["lost"] += 1
                continue
            due = leaves + self.delay
            if self.jitter:
                due += self.jitter * (2 * self.draw() - 1)
            if self.under_way and due < self.under_way[-1][0]:
                due = self.under_way[-1][0]
            self.under_way.append((due, packet))
            self.held += size

    def pass_on(self, now: float) -> float:
        """Deliver due packets; returns the time of the next one, infinity if no packet waits."""
        under_way = self.under_way
        while under_way:
            due, packet = under_way[0]
            if due > now:
                return due
            under_way.popleft()
            self.held -= len(packet)
            try:
                os.write(self.sink, packet)
                self.counts["passed"] += 1
            except OSError:  # the other end is down: it is being taken away
                self.counts["overflowed"] += 1
        return float("inf")


def device(namespace: str, name: str) -> int:
    """A new TUN device in a network namespace; this process stays in that namespace."""
    there = os.open(namespace, os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(there, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
    os.close(there)
    opened = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI)
    fcntl.ioctl(opened, TUNSETIFF, request)
    return opened


def hurry() -> None:
    """Wake when a packet is due, without timer slack, as far as that is permitted."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def forward(directions: list[Direction]) -> None:
    """Forward until a signal ends it."""
    sources = [one.source for one in directions]
    by_source = {one.source: one for one in directions}
    while True:
        now = time.monotonic()
        due = min(one.pass_on(now) for one in directions)
        wait = None if due == float("inf") else max(0.0, due - time.monotonic())
        for source in select.select(sources, (), (), wait)[0]:
            by_source[source].take()


def main() -> None:
    """Be the link that the argument describes."""
    plan = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ends = [device(end["namespace"], end["device"]) for end in plan["ends"]]
    ways = [(ends[0], ends[1]), (ends[1], ends[0])]
    directions = [
        Direction(*way, plan, f"{plan['seed']} {plan['name']} {number}")
        for number, way in enumerate(ways)
    ]
    hurry()
    gc.disable()
    print("ready", flush=True)
    try:
        forward(directions)
    finally:
        counts = [one.counts | {"under_way": len(one.under_way)} for one in directions]
        Path(plan["counts"]).write_text(json.dumps(counts))


if __name__ == "__main__":
    main()
