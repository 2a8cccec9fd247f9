"""Echo requests, each of which the target's kernel answers."""

from __future__ import annotations

import os
import socket

from thinktime.lab.hostile.client import Client as Base
from thinktime.lab.hostile.packets import echo_request

DATA = bytes(1400)


class Client(Base):
    """Sends an echo request of 1400 bytes; the answers are not read."""

    def begin(self) -> None:
        """Open the socket."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        self._packet = echo_request(os.getpid() & 0xFFFF, 1, DATA)

    def act(self) -> None:
        """Send one."""
        try:
            self._socket.sendto(self._packet, (self.settings.target[0], 0))
            self.counts["sent"] += 1
        except OSError:
            self.counts["not sent"] += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
