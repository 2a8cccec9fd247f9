"""Requests whose bodies come slowly, as R-U-Dead-Yet sends them."""

from __future__ import annotations

from thinktime.lab.hostile.client import Holding

BODY_BYTES = 1_000_000


class Client(Holding):
    """Sends a byte of the body every second."""

    def first(self) -> bytes:
        """The head of a request with a large body."""
        head = (
            f"POST {self.settings.path} HTTP/1.1\r\nHost: lab\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {BODY_BYTES}\r\n\r\n"
        )
        return head.encode()

    def tend(self) -> None:
        """One more byte on every connection."""
        for one in self.connected():
            self.say(one, b"x")
