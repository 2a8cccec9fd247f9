"""Connections that only the server knows: the client forgets them silently."""

from __future__ import annotations

import socket

from thinktime.lab.hostile.client import Holding

TCP_REPAIR = 19
"""A connection that is closed while it is in repair sends nothing (tcp(7), linux/tcp.h)."""


class Client(Holding):
    """Connects, and vanishes."""

    def opened(self, one: socket.socket) -> None:
        """Forget it."""
        one.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        self.counts["forgotten"] += 1
        self.drop(one)
