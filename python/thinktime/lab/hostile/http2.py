"""Connections of HTTP/2 (RFC 9113) without TLS, whose frames are made by hand."""

from __future__ import annotations

import select
import socket
import struct
import time

from thinktime.lab.hostile.client import Client, Settings

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 1, 3, 4, 6, 9
ACK, END_STREAM, END_HEADERS = 1, 1, 4
STREAM_MAX = (1 << 31) - 1
RECONNECT_S = 0.01
WAIT_S = 1.0
"""The longest wait for a connection, or for a server that takes nothing."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field outside the dynamic table (RFC 7541, 6.2.2); below 127 bytes each."""
    return b"\0" + bytes((len(name),)) + name + bytes((len(value),)) + value


def request(path: str) -> bytes:
    """The header fields of a GET: method and scheme from the static table."""
    where = path.encode()[:120]
    return b"\x82\x86" + b"\x04" + bytes((len(where),)) + where + b"\x01\x03lab"


class Http2(Client):
    """A hostile client with one connection, which is renewed when the server ends it."""

    accepts_settings = True
    """Whether the client acknowledges the server's settings."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened yet."""
        super().__init__(settings)
        self.stream = 1
        self._socket: socket.socket | None = None
        self._tried = 0.0

    def connected(self) -> bool:
        """Whether the connection exists, or could be made; then `stream` is the next one's."""
        return self._socket is not None or self._connect()

    def send(self, what: bytes) -> bool:
        """Send all of it; False if the connection is lost."""
        if self._socket is None:
            return False
        try:
            self._socket.settimeout(self.left_s(WAIT_S))
            self._socket.sendall(what)
        except TimeoutError:
            self._end("the server does not read")
        except OSError:
            self._end("ended by the server")
        return self._socket is not None

    def begun(self) -> bytes:
        """The bytes of a new connection after the preface and its settings."""
        return b""

    def _connect(self) -> bool:
        now = time.monotonic()
        if now - self._tried < RECONNECT_S:
            return False
        self._tried = now
        try:
            wait_s = self.left_s(WAIT_S)
            self._socket = socket.create_connection(self.settings.target, wait_s)
        except OSError:
            self.counts["refused"] += 1
            return False
        self.counts["opened"] += 1
        self.stream = 1
        return self.send(PREFACE + frame(SETTINGS, 0, 0) + self.begun())

    def look(self) -> None:
        """Read the server's bytes, and drop them; acknowledge its settings if they fit."""
        if self._socket is None or not select.select([self._socket], (), (), 0)[0]:
            return
        try:
            said = self._socket.recv(1 << 16)
        except OSError:
            said = b""
        if not said:
            self._end("ended by the server")
        elif self.accepts_settings and said[3:5] == bytes((SETTINGS, 0)):
            self.send(frame(SETTINGS, ACK, 0))

    def _end(self, why: str) -> None:
        self.counts[why] += 1
        self.close()

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
