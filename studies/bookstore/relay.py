"""A relay between clients and PostgreSQL, which gives each backend a scheduling class.

Every connection of PostgreSQL has a process of its own, the backend, whose number the server
reports at the login. The relay passes on all bytes unchanged. Before it passes on a statement it
checks whether the statement is of the long class, and changes the backend's scheduling class if
necessary: one system call, which PostgreSQL and its clients do not notice. It also reads the CPU
time of each backend (`/proc/PID/schedstat`, in nanoseconds).
"""

from __future__ import annotations

import asyncio
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from classes import GROUP_NICE, POLICIES, ordinary_group

MARK = b"as sold"
"""Marks statements of the long class."""

READY = b"Z\0\0\0\5"
"""Begins the last message of an answer; a byte follows."""


def cpu_s(pid: int) -> float:
    """The CPU time of a process; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError):
        return 0.0


@dataclass
class RoundTrip:
    """A client's round trip, from its first byte to the last of the answer."""

    asked_s: float
    """On the monotonic clock."""

    long: bool
    before_s: float
    """The CPU time of the backend before it."""

    answered_s: float | None = None
    cpu_s: float = 0.0
    """The backend's time for it, known at the next round trip, or when its client is gone."""


@dataclass
class Backend:
    """A connection, and the process at its other end."""

    pid: int = 0
    long: bool | None = None
    began_s: float = 0.0
    ended_s: float | None = None
    """Its CPU time when its client was gone."""

    names: set[bytes] = field(default_factory=set)
    """Names of prepared statements of the long class."""

    trip: RoundTrip | None = None
    """The last one."""


@dataclass
class Relay:
    """The common parts of one run's connections."""

    server: Path
    port: int = 0
    policy: str = "default"
    switches: int = 0
    trips: list[RoundTrip] = field(default_factory=list)
    backends: list[Backend] = field(default_factory=list)

    def reset(self, policy: str) -> None:
        """Reset the counts; connections from now on are treated by this policy."""
        self.policy, self.switches = policy, 0
        self.trips, self.backends = [], []

    def used_s(self) -> float:
        """The CPU time of all backends since the mark, or since the login of later ones."""
        return sum(
            (cpu_s(one.pid) if one.ended_s is None else one.ended_s) - one.began_s
            for one in self.backends
        )

    def mark(self) -> None:
        """Count CPU time from now on."""
        for one in list(self.backends):
            one.began_s = cpu_s(one.pid)

    async def serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        """Carry one connection to its end."""
        server, to_server = await asyncio.open_unix_connection(str(self.server))
        backend = Backend()
        self.backends.append(backend)
        try:
            await asyncio.gather(
                self._answers(server, to_client, backend),
                self._questions(client, to_server, backend),
            )
        except OSError:
            pass  # one side is gone, and so is the connection
        finally:
            to_server.close()
            to_client.close()

    async def _answers(
        self, server: asyncio.StreamReader, to_client: asyncio.StreamWriter, backend: Backend
    ) -> None:
        """From the server to the client; it reads the backend's number."""
        seen = end = b""
        while data := await server.read(1 << 16):
            to_client.write(data)
            end = (end + data)[-len(READY) - 1 :]
            if backend.trip is not None and end[:-1] == READY:
                backend.trip.answered_s = time.monotonic()
            if not backend.pid:
                seen += data
                for kind, body in messages(seen)[0]:
                    if kind == b"K":
                        backend.pid = struct.unpack(">i", body[:4])[0]
                        backend.began_s = cpu_s(backend.pid)
                        if GROUP_NICE is not None:
                            ordinary_group(backend.pid)
            await to_client.drain()
        to_client.close()

    async def _questions(
        self, client: asyncio.StreamReader, to_server: asyncio.StreamWriter, backend: Backend
    ) -> None:
        """From the client to the server, only whole messages."""
        held = b""
        while data := await client.read(1 << 16):
            held += data
            if not backend.pid:  # the login has other messages, which only pass
                to_server.write(held)
                held = b""
            else:
                found, rest = messages(held)
                for kind, body in found:
                    self._consider(kind, body, backend)
                if found and found[0][0] != b"X":
                    self._begin(backend)
                to_server.write(held[: len(held) - len(rest)])
                held = rest
            await to_server.drain()
        backend.ended_s = cpu_s(backend.pid)
        _end(backend, backend.ended_s)
        to_server.close()

    def _begin(self, backend: Backend) -> None:
        """Record the beginning of a round trip."""
        now_s = cpu_s(backend.pid)
        _end(backend, now_s)
        backend.trip = RoundTrip(time.monotonic(), bool(backend.long), now_s)
        self.trips.append(backend.trip)

    def _consider(self, kind: bytes, body: bytes, backend: Backend) -> None:
        """Whether a message begins work of the other class; if so, the class is set."""
        if kind == b"P":
            name, text = body.split(b"\0")[:2]
            if MARK in text:
                backend.names.add(name)
            long = MARK in text
        elif kind == b"B":
            long = body.split(b"\0", 2)[1] in backend.names
        else:
            return
        setting = POLICIES[self.policy][long]
        if long != backend.long and setting is not None:
            setting(backend.pid)
            self.switches += 1
        backend.long = long


def _end(backend: Backend, now_s: float) -> None:
    """The backend's time since then is the cost of its last round trip."""
    if backend.trip is not None:
        backend.trip.cpu_s = now_s - backend.trip.before_s


def messages(data: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Whole messages, each with its kind and its body, and the rest."""
    found, at = [], 0
    while len(data) - at >= 5:
        size = 1 + int.from_bytes(data[at + 1 : at + 5], "big")
        if len(data) - at < size:
            break
        found.append((data[at : at + 1], data[at + 5 : at + size]))
        at += size
    return found, data[at:]


@contextmanager
def relaying(server: Path) -> Iterator[Relay]:
    """A relay to a Unix socket on a free port of 127.0.0.1, in a thread of its own."""
    relay, loop = Relay(server), asyncio.new_event_loop()
    ready = threading.Event()

    async def listen() -> None:
        listener = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
        relay.port = listener.sockets[0].getsockname()[1]
        ready.set()

    def work() -> None:
        # One run of the loop, so that a stop just after the beginning is not lost.
        listening = loop.create_task(listen())
        loop.run_forever()
        listening.cancel()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield relay
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
