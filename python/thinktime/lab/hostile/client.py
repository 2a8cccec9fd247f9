"""The common parts of hostile clients: their settings, their pace, and held connections."""

from __future__ import annotations

import resource
import select
import socket
import time
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Network
from random import Random

from thinktime.lab.hostile import guard, kinds

LOOK_EVERY_S = 0.002
TEND_EVERY_S = 1.0
BEHIND_S = 0.1
"""Events that are late by more are left out and counted, so that they do not come in a burst."""

TURN = 200
"""The most events in a row before the server's reactions are examined."""

WAIT_MIN_S = 0.001
"""The shortest time-out of a socket: with a smaller one it would not wait, and behave
differently."""


@dataclass(frozen=True)
class Settings:
    """The settings of one hostile client."""

    target: tuple[str, int]
    spoofed: IPv4Network
    """Addresses that lead to its own host, all but the first of them unused."""

    rate: float
    """Events a second."""

    duration: float
    """In seconds."""

    path: str
    seed: int


class Client:
    """A hostile client; each kind defines an event. It exists only inside a lab."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened, and nothing is sent.

        Raises:
            RefusedError: This is not a host of a lab, or the target is not one.
        """
        guard.check(settings.target[0])
        self.settings = settings
        self.counts: Counter[str] = Counter()
        self.random = Random(settings.seed)
        self.end = float("inf")
        """When the attack is over, on the monotonic clock."""

    def begin(self) -> None:
        """Open the needed sockets."""

    def act(self) -> None:
        """Do the event that the rate counts; anything that may wait, waits until `end`."""

    def look(self) -> None:
        """Take the server's reactions; many times a second."""

    def tend(self) -> None:
        """Do the task of every second."""

    def close(self) -> None:
        """End all held connections."""

    def left_s(self, most: float) -> float:
        """The longest wait: as long as the attack lasts, and no longer than `most`."""
        return min(most, max(self.end - time.monotonic(), WAIT_MIN_S))

    def attack(self) -> None:
        """Attack for the duration, at the rate.

        Raises:
            RefusedError: This is not a host of a lab now, or the target is not one; nothing was
                sent.
        """
        guard.check(self.settings.target[0])
        self.begin()
        rate, duration = min(self.settings.rate, kinds.RATE_MAX), self.settings.duration
        begun = tended = time.monotonic()
        self.end = begun + min(duration, kinds.DURATION_MAX_S)
        done = 0
        try:
            while (now := time.monotonic()) < self.end:
                due = int((now - begun) * rate)
                most = max(1, int(rate * BEHIND_S))
                if due - done > most:
                    self.counts["left out"] += due - done - most
                    done = due - most
                for _ in range(min(due - done, TURN)):
                    if time.monotonic() >= self.end:
                        break
                    self.act()
                    done += 1
                self.look()
                if now - tended >= TEND_EVERY_S:
                    self.tend()
                    tended = now
                if done >= due:
                    time.sleep(LOOK_EVERY_S)
        finally:
            self.close()


class Holding(Client):
    """A hostile client that opens a connection at each event, and holds it."""

    receive_buffer = 0
    """The size of a connection's receive buffer in bytes; 0 is the kernel's own."""

    reads = False
    """Whether `answered` is called when a server sends something."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened yet."""
        super().__init__(settings)
        self.most = 0
        self.held: dict[int, socket.socket] = {}
        self.open: dict[int, float] = {}
        """The times at which connections were made, by file number."""

    def begin(self) -> None:
        """Raise the limit of open files to the most that this process may have."""
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.most = min(kinds.HELD_MAX, most - 100)
        self._poll = select.epoll()

    def act(self) -> None:
        """Begin to connect."""
        if len(self.held) >= self.most:
            self.counts["not opened, as there are enough"] += 1
            return
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        one.setblocking(False)
        if self.receive_buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        one.connect_ex(self.settings.target)
        self.held[one.fileno()] = one
        self._poll.register(one, select.EPOLLOUT)

    def look(self) -> None:
        """Proceed with connections that have been made or ended."""
        for number, what in self._poll.poll(0, 1000):
            one = self.held[number]
            if what & select.EPOLLIN:
                self.answered(one)
            elif what & (select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP):
                was_open = number in self.open
                self.counts["ended by the server" if was_open else "refused"] += 1
                self.drop(one)
            elif what & select.EPOLLOUT:
                self.counts["opened"] += 1
                self.open[number] = time.monotonic()
                more = select.EPOLLIN if self.reads else 0
                self._poll.modify(one, select.EPOLLRDHUP | more)
                self.say(one, self.first())
                if number in self.held:
                    self.opened(one)

    def first(self) -> bytes:
        """The first bytes of a new connection."""
        return b""

    def opened(self, one: socket.socket) -> None:
        """Proceed with a new connection."""

    def answered(self, one: socket.socket) -> None:
        """Take the server's bytes."""

    def say(self, one: socket.socket, what: bytes) -> None:
        """Send as much as the socket takes now; a connection that has ended is dropped."""
        try:
            if what:
                self.counts["bytes sent"] += one.send(what)
        except BlockingIOError:
            pass
        except OSError:
            self.counts["ended by the server"] += 1
            self.drop(one)

    def connected(self) -> list[socket.socket]:
        """The open connections."""
        return [self.held[number] for number in self.open]

    def drop(self, one: socket.socket) -> None:
        """Close a connection."""
        self._poll.unregister(one)
        self.open.pop(one.fileno(), None)
        del self.held[one.fileno()]
        one.close()

    def close(self) -> None:
        """Close all connections."""
        self.counts["held at the end"] = len(self.open)
        for one in list(self.held.values()):
            self.drop(one)
