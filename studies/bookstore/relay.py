"""A relay between clients and PostgreSQL, which gives each backend a scheduling class.

Every connection of PostgreSQL has a process of its own, the backend, whose number the server tells
at the login. The relay hands all bytes on as they are. Before it hands on a statement it sees
whether that is of the long class, and sets the backend's scheduling class if it was another one:
one system call, and PostgreSQL and its clients know nothing of it. It also reads how much CPU time
each backend has had (`/proc/PID/schedstat`, in nanoseconds).
"""

from __future__ import annotations

import asyncio
import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

Setting = Callable[[int], None]
MARK = b"as sold"
"""Stands in statements of the long class alone."""


NICE = os.getpriority(os.PRIO_PROCESS, 0)
"""That of ordinary processes here: the study's own, which may have been started above others."""


def other(pid: int) -> None:
    """The scheduling class of ordinary processes."""
    os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, pid, NICE)


def round_robin(pid: int) -> None:
    """Real time: before all that is ordinary."""
    os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))


def idle(pid: int) -> None:
    """What runs when nothing else of its group wants to."""
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))


def nice(pid: int) -> None:
    """Ordinary, with a weight in its group that is nineteen steps smaller."""
    os.setpriority(os.PRIO_PROCESS, pid, min(NICE + 19, 19))


def group_nice(pid: int | str) -> int | None:
    """The nice value of the group that the kernel makes of a session; None where it makes none.

    With `kernel.sched_autogroup_enabled` all processes of a session share what their group gets,
    and nice and SCHED_IDLE count inside of the group alone. Each backend has a session of its own.
    """
    try:
        if Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() != "1":
            return None
        return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])
    except (OSError, ValueError, IndexError):
        return None


def set_group_nice(pid: int, value: int) -> None:
    """Give the group of a backend this nice value."""
    with suppress(OSError):  # the backend may be gone
        Path(f"/proc/{pid}/autogroup").write_text(str(value))


GROUP_NICE = group_nice("self")
"""That of the study's own group, which the backends get as well."""


def ordinary_group(pid: int) -> None:
    """The weight that the study itself has."""
    set_group_nice(pid, GROUP_NICE or 0)


def light_group(pid: int) -> None:
    """A weight of the backend's group, and so of the backend, that is nineteen steps smaller."""
    set_group_nice(pid, min((GROUP_NICE or 0) + 19, 19))


POLICIES: dict[str, tuple[Setting | None, Setting | None]] = {
    "default": (None, None),
    "PESJF": (round_robin, other),
    "PELJF": (other, round_robin),
    "PESJF, idle": (other, idle),
    "PESJF, nice": (other, nice),
    "PESJF, group": (ordinary_group, light_group),
}
"""What short and long requests get, by policy."""

FOR_ALL = ("default",)
"""What any user may do. A class that was set may be for root alone to take back: nice values only
grow, and real time is not to be had."""


def permitted() -> tuple[str, ...]:
    """The policies that this user may set."""
    return tuple(POLICIES) if os.geteuid() == 0 else FOR_ALL


def cpu_s(pid: int) -> float:
    """The CPU time that a process has had; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError):
        return 0.0


@dataclass
class Backend:
    """A connection, and the process at its other end."""

    pid: int = 0
    long: bool | None = None
    began_s: float = 0.0
    ended_s: float | None = None
    """The CPU time that it had had when its client was gone."""

    names: set[bytes] = field(default_factory=set)
    """Names of prepared statements of the long class."""


@dataclass
class Relay:
    """What one run's connections have in common."""

    server: Path
    port: int = 0
    policy: str = "default"
    metered: bool = False
    """Whether the CPU time is read before each message of a client."""

    switches: int = 0
    meter: list[float] = field(default_factory=list)
    backends: list[Backend] = field(default_factory=list)

    def reset(self, policy: str, metered: bool = False) -> None:
        """Forget what was counted; connections from now on are treated by this policy."""
        self.policy, self.metered, self.switches = policy, metered, 0
        self.meter, self.backends = [], []

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
        """From the server to the client; on the way it learns the backend's number."""
        seen = b""
        while data := await server.read(1 << 16):
            to_client.write(data)
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
        """From the client to the server, whole messages alone."""
        held = b""
        while data := await client.read(1 << 16):
            held += data
            if not backend.pid:  # the login has other messages, and only passes
                to_server.write(held)
                held = b""
            else:
                found, rest = messages(held)
                for kind, body in found:
                    self._consider(kind, body, backend)
                if self.metered and found and found[0][0] != b"X":
                    self.meter.append(cpu_s(backend.pid))
                to_server.write(held[: len(held) - len(rest)])
                held = rest
            await to_server.drain()
        backend.ended_s = cpu_s(backend.pid)
        to_server.close()

    def _consider(self, kind: bytes, body: bytes, backend: Backend) -> None:
        """Whether a message begins work of the other class, and if so, the class is set."""
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


def messages(data: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Whole messages, each with its kind and its body, and what is left."""
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
