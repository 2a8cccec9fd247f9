"""The recording proxy: traffic passes through it unchanged, and is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from thinktime.recording.authority import Authority
from thinktime.recording.connection import Connection, refuse
from thinktime.recording.hosts import HostFilter
from thinktime.recording.journal import Journal
from thinktime.recording.servers import Servers
from thinktime.recording.wire import BrokenError, Wire

CONNECTIONS_MAX = 512
"""The most clients' connections at a time; more are refused."""


@dataclass
class Proxy:
    """The common parts of all connections of a recording.

    Attributes:
        authority: The maker of the certificates that clients see.
        servers: The way to servers.
        wanted: The recorded hosts.
        journal: The place of the recording.
        say: Is called with messages for the user.
    """

    authority: Authority
    servers: Servers
    wanted: HostFilter
    journal: Journal
    say: Callable[[str], None]
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection of a client until it ends."""
        wire = Wire(reader, writer)
        task = asyncio.current_task()
        if task is None or len(self._open) >= CONNECTIONS_MAX:
            await _turn_away(wire)
            return
        self._open.add(task)
        try:
            await Connection(self, wire).serve()
        except asyncio.CancelledError:
            pass  # the recording ends
        finally:
            wire.close()
            self._open.discard(task)

    async def end(self) -> None:
        """End all connections; unfinished exchanges are recorded as given up."""
        waiting = list(self._open)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def _turn_away(wire: Wire) -> None:
    try:
        await refuse(wire, 503, f"there are {CONNECTIONS_MAX} connections, which is the most")
    except BrokenError:
        pass
    finally:
        wire.close()
