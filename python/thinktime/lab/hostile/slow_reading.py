"""Requests whose responses are hardly read, so that the server has to keep them."""

from __future__ import annotations

from thinktime.lab.hostile.client import Holding

BYTES_A_SECOND = 16


class Client(Holding):
    """Reads a few bytes every second."""

    receive_buffer = 1024

    def first(self) -> bytes:
        """A whole request."""
        return f"GET {self.settings.path} HTTP/1.1\r\nHost: lab\r\n\r\n".encode()

    def tend(self) -> None:
        """Read a little on every connection."""
        for one in self.connected():
            try:
                self.counts["bytes read"] += len(one.recv(BYTES_A_SECOND))
            except BlockingIOError:
                pass
            except OSError:
                self.counts["ended by the server"] += 1
                self.drop(one)
