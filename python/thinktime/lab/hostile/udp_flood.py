"""Datagrams without a receiver."""

from __future__ import annotations

import socket

from thinktime.lab.hostile.client import Client as Base

DATA = bytes(1400)


class Client(Base):
    """Sends a datagram to the target's port, or to any if the target names no port."""

    def begin(self) -> None:
        """Open the socket."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def act(self) -> None:
        """Send one."""
        host, port = self.settings.target
        try:
            self._socket.sendto(DATA, (host, port or self.random.randint(1024, 65535)))
            self.counts["sent"] += 1
        except OSError:
            self.counts["not sent"] += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
