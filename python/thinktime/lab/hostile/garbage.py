"""Bytes that are not HTTP/1.1, or hardly: a server has to refuse and to survive them."""

from __future__ import annotations

import socket
import time

from thinktime.lab.hostile.client import Holding

WAIT_S = 2.0


class Client(Holding):
    """Sends a wrong request, waits for the server's answer, and ends."""

    reads = True

    def first(self) -> bytes:
        """One of the wrong requests, chosen at random."""
        noise = self.random.randbytes(200)
        return self.random.choice(
            [
                noise,
                b"GET\r\n\r\n",
                b"GET / HTTP/9.9\r\nHost: lab\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: lab\r\nX: " + b"x" * 50_000 + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: lab\r\n" + noise + b"\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: -1\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
                b"POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + noise,
                b"\0" * 300,
            ]
        )

    def answered(self, one: socket.socket) -> None:
        """Count it by its status."""
        try:
            said = one.recv(4096).split(b" ", 2)
        except OSError:
            said = []
        known = len(said) > 1 and said[0].startswith(b"HTTP/") and said[1].isdigit()
        self.counts[f"answered {said[1].decode()}" if known else "ended without an answer"] += 1
        self.drop(one)

    def tend(self) -> None:
        """End the connections that get no answer from the server."""
        now = time.monotonic()
        for one in self.connected():
            if now - self.open[one.fileno()] > WAIT_S:
                self.counts["not answered"] += 1
                self.drop(one)
