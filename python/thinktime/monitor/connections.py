"""A limit on silent connections, so that everybody who asks gets an answer.

The server itself would refuse everybody while its connections are taken, and waits for the first
request of each for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

IDLE_MAX = 64
"""The most connections without a request in progress: a further one takes the place of the one that
has been silent for longest."""

SILENT_S = 10.0
"""The time that a connection may take to send its first request."""


class Connection(H11Protocol):
    """A connection that makes room for others while it is idle."""

    _heard_s = 0.0
    _first: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is in progress; half a request does not count."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered and not self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        """Take the place of another one, if no place is free."""
        idle = [one for one in self.connections if isinstance(one, Connection) and one.is_idle]
        if len(idle) >= IDLE_MAX:
            min(idle, key=lambda one: one._heard_s).transport.close()
        super().connection_made(transport)
        self._heard_s = self.loop.time()
        self._first = self.loop.call_later(SILENT_S, self._end_silent)

    def data_received(self, data: bytes) -> None:
        """Note the time of the last bytes."""
        self._heard_s = self.loop.time()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all waiting."""
        if self._first is not None:
            self._first.cancel()
        super().connection_lost(exc)

    def _end_silent(self) -> None:
        if self.cycle is None:
            self.transport.close()
