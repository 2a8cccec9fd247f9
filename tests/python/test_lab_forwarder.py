"""The program that is a link, without devices: its handling of packets from a pair of sockets."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from thinktime.lab.forwarder import Direction

NOTHING = {"rate": 0.0, "delay": 0.0, "jitter": 0.0, "loss": 0.0, "buffer": 0.0}


@contextmanager
def direction(**plan: float) -> Iterator[tuple[Direction, socket.socket, socket.socket]]:
    """A direction, the socket for incoming packets, and the one for outgoing ones."""
    into, source = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    sink, out = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with into, source, sink, out:
        for one in (source, sink, out):
            one.setblocking(False)
        yield Direction(source.fileno(), sink.fileno(), NOTHING | plan, "seed"), into, out


def come(out: socket.socket) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(out.recv(65536))
        except BlockingIOError:
            return found


def test_packets_wait_until_they_are_due_and_not_longer() -> None:
    with direction(delay=60.0) as (one, into, out):
        before = time.monotonic()
        into.send(b"a")
        one.take()
        after = time.monotonic()
        due = one.pass_on(before + 59.9)
        assert before + 60 <= due <= after + 60
        assert come(out) == []
        assert one.pass_on(due) == float("inf")
        assert come(out) == [b"a"]


def test_a_rate_spaces_packets_by_their_size() -> None:
    """At 1000 B/s packets of 100, 300 and 200 bytes end 0.1, 0.4 and 0.6 s after they came."""
    with direction(rate=1000.0, buffer=1e6) as (one, into, _):
        before = time.monotonic()
        for size in (100, 300, 200):
            into.send(bytes(size))
        one.take()
        took = time.monotonic() - before
        dues = [due - before for due, _ in one.under_way]
    assert dues == pytest.approx([0.1, 0.4, 0.6], abs=took + 1e-9)


def test_what_does_not_fit_into_the_buffer_is_dropped() -> None:
    with direction(rate=1.0, buffer=1000.0) as (one, into, _):
        for _ in range(15):
            into.send(bytes(100))
        one.take()
        assert one.counts == {"came": 15, "lost": 0, "overflowed": 5, "passed": 0}


def test_jitter_keeps_the_order() -> None:
    with direction(delay=1.0, jitter=0.9) as (one, into, out):
        said = [str(number).encode() for number in range(60)]
        for one_said in said:
            into.send(one_said)
        one.take()
        dues = [due for due, _ in one.under_way]
        one.pass_on(float("inf"))
        assert come(out) == said
    assert dues == sorted(dues)
    assert dues[-1] - dues[0] > 0.1


def test_every_packet_is_counted_once() -> None:
    with direction(loss=0.5) as (one, into, out):
        for _ in range(60):
            into.send(b"x")
        one.take()
        one.pass_on(float("inf"))
        counts = one.counts
        assert counts["came"] == 60 == counts["lost"] + counts["passed"]
        assert len(come(out)) == counts["passed"]
        # All or none of 60 by a fair coin: 1 in 10^18.
        assert 0 < counts["lost"] < 60
