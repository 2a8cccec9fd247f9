"""Hostile clients that are imported: refused like those that are started, and bounded in time."""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from ipaddress import IPv4Network
from types import SimpleNamespace
from typing import Any

import pytest

from thinktime.lab import places
from thinktime.lab.hostile import client, guard, http2, kinds
from thinktime.lab.hostile.client import Client, Settings

HERE = "127.77.3.9"
"""An unused address of this machine."""


def settings(target: str = HERE, port: int = 9, **more: Any) -> Settings:
    said: dict[str, Any] = {"rate": 100.0, "duration": 0.1, "path": "/", "seed": 1}
    spoofed = IPv4Network("127.77.4.0/24")
    return Settings(target=(target, port), spoofed=spoofed, **(said | more))


def made(kind: str, given: Settings) -> Client:
    """A hostile client by import alone."""
    module = import_module(f"thinktime.lab.hostile.{kind.replace('-', '_')}")
    found: Client = module.Client(given)
    return found


# ---- refused


@contextmanager
def overheard() -> Iterator[list[bytes]]:
    """The packets to or from `HERE` and its neighbours that the loopback device carried."""
    found: list[bytes] = []
    if os.geteuid() != 0:  # only root sees them: nothing else is skipped
        yield found
        return
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003)) as every:
        every.bind(("lo", 0))
        every.setblocking(False)
        yield found
        while True:
            try:
                packet = every.recv(65536)
            except BlockingIOError:
                return
            if b"\x7f\x4d" in (packet[12:14], packet[16:18]):  # 127.77, from or to
                found.append(packet)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees all packets of a device")
def test_packets_are_overheard() -> None:
    with (
        overheard() as heard,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
    ):
        one.sendto(b"x", (HERE, 9))
    assert heard


@pytest.mark.parametrize("kind", kinds.KINDS)
@pytest.mark.parametrize(
    ("is_lab_address", "why"),
    [(False, "is no address of a lab"), (True, "in no network namespace that a lab made")],
)
def test_who_imports_one_is_refused_outside_of_a_lab(
    kind: str, is_lab_address: bool, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is the target's address, or this process's network namespace. Nothing was sent."""
    if is_lab_address:  # an address that leads nowhere, whatever goes wrong
        monkeypatch.setattr(places, "RANGE", IPv4Network("127.77.0.0/16"))
    with overheard() as heard:
        with pytest.raises(guard.RefusedError, match=why):
            made(kind, settings())
        # A client that was made in a permitted place is refused outside of it as well.
        with monkeypatch.context() as made_in_a_lab:
            made_in_a_lab.setattr(guard, "check", lambda _: None)
            one = made(kind, settings())
        with pytest.raises(guard.RefusedError, match=why):
            one.attack()
    assert heard == []
    assert one.counts == Counter()


def by_parts(kind: str) -> None:
    """Call the parts of an attack one by one, as a program might that avoids `attack`."""
    one = made(kind, settings())
    one.begin()
    for _ in range(3):
        one.act()
        one.look()
        one.tend()


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_who_calls_its_parts_is_refused_too(kind: str) -> None:
    """There is no client whose parts could be called: nothing is opened, and nothing is sent."""
    with overheard() as heard, pytest.raises(guard.RefusedError):
        by_parts(kind)
    assert heard == []


@pytest.mark.parametrize("target", ["localhost", "::1", "198.18.1", "", "198.20.0.1"])
def test_what_is_no_address_of_a_lab_is_refused(target: str) -> None:
    with pytest.raises(guard.RefusedError, match="is no address of a lab"):
        guard.check(target)


# ---- bounded


class Clock:
    """Time that passes only during waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of hostile clients, which believe that they are in a lab."""
    found = Clock()
    monkeypatch.setattr(client, "time", found)
    monkeypatch.setattr(http2, "time", found)
    monkeypatch.setattr(guard, "check", lambda _: None)
    return found


class Slow(Client):
    """A client whose events each take a time."""

    def __init__(self, given: Settings, clock: Clock, takes_s: float) -> None:
        super().__init__(given)
        self.acts, self.clock, self.takes_s = 0, clock, takes_s

    def act(self) -> None:
        self.acts += 1
        self.clock.sleep(self.takes_s)


def test_the_rate_is_bounded_whatever_is_asked_for(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "RATE_MAX", 100)
    one = Slow(settings(rate=1e9, duration=10.0), clock, 0.0)
    one.attack()
    assert 990 <= one.acts <= 1000


@pytest.mark.parametrize("takes_s", [0.0, 0.003, 0.3, 1.0])
def test_time_is_bounded_however_slow_an_event_is(
    takes_s: float, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end no more events begin, however many are due."""
    monkeypatch.setattr(kinds, "DURATION_MAX_S", 2.5)
    one = Slow(settings(rate=1e9, duration=1e9), clock, takes_s)
    one.attack()
    assert clock.now - 1000 <= 2.5 + max(takes_s, client.LOOK_EVERY_S)
    if takes_s:
        assert 0.9 * 2.5 / takes_s <= one.acts <= 2.5 / takes_s + 1


@pytest.mark.parametrize("kind", ["rapid-reset", "continuation-flood"])
@pytest.mark.parametrize("connects", [False, True], ids=["no-connection", "takes-nothing"])
def test_nobody_is_waited_for_beyond_the_end(
    kind: str, connects: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that completes no connection, and one that reads nothing."""
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        clock.sleep(seconds)
        raise TimeoutError

    class Socket:
        wait_s = 0.0

        def settimeout(self, seconds: float) -> None:
            self.wait_s = seconds

        def sendall(self, _what: bytes) -> None:
            wait(self.wait_s)

        def close(self) -> None:
            """Nothing is open."""

    def connect(_target: tuple[str, int], seconds: float) -> Socket:
        if not connects:
            wait(seconds)
        return Socket()

    monkeypatch.setattr(http2, "socket", SimpleNamespace(create_connection=connect))
    one = made(kind, settings(rate=1000.0, duration=2.5))
    one.attack()
    assert clock.now - 1000 <= 2.5 + client.WAIT_MIN_S + client.LOOK_EVERY_S
    assert len(waited) >= 3
    assert max(waited) <= http2.WAIT_S
    assert one.counts["the server does not read" if connects else "refused"] == len(waited)
