"""Requests whose headers do not end, as Slowloris sends them."""

from __future__ import annotations

from thinktime.lab.hostile.client import Holding


class Client(Holding):
    """Sends a header field every second."""

    def first(self) -> bytes:
        """A request, all but its end."""
        return f"GET {self.settings.path} HTTP/1.1\r\nHost: lab\r\n".encode()

    def tend(self) -> None:
        """One more field on every connection."""
        for one in self.connected():
            self.say(one, b"X-More: 1\r\n")
