"""Connections of HTTP/2 (RFC 9113) without TLS, whose frames are made by hand."""

from __future__ import annotations

import select
import socket
import struct
import time

from thinktime.lab.hostile.client import Client, Settings

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4
STREAM_MAX = (1 << 31) - 1
RECONNECT_S = 0.01
CONNECT_S = 1.0


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field that is not to be remembered (RFC 7541, 6.2.2); below 127 bytes each."""
    return b"\0" + bytes((len(name),)) + name + bytes((len(value),)) + value


def request(path: str) -> bytes:
    """The header fields of a GET: method and scheme out of the static table."""
    where = path.encode()[:120]
    return b"\x82\x86" + b"\x04" + bytes((len(where),)) + where + b"\x01\x03lab"


class Http2(Client):
    """A hostile client with one connection, which is made anew when the server ends it."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened yet."""
        super().__init__(settings)
        self.stream = 1
        self._socket: socket.socket | None = None
        self._tried = 0.0

    def send(self, what: bytes) -> bool:
        """Send it whole, if the connection is there or can be made; False where not."""
        if self._socket is None and not self._connect():
            return False
        assert self._socket is not None
        try:
            self._socket.sendall(what)
        except TimeoutError:
            self._end("the server does not read")
        except OSError:
            self._end("ended by the server")
        return self._socket is not None

    def begun(self) -> bytes:
        """What a new connection says after the preface and its settings."""
        return b""

    def _connect(self) -> bool:
        now = time.monotonic()
        if now - self._tried < RECONNECT_S:
            return False
        self._tried = now
        try:
            self._socket = socket.create_connection(self.settings.target, CONNECT_S)
        except OSError:
            self.counts["refused"] += 1
            return False
        self.counts["opened"] += 1
        self.stream = 1
        return self.send(PREFACE + frame(SETTINGS, 0, 0) + self.begun())

    def look(self) -> None:
        """Read what the server says, and forget it; its settings are accepted."""
        if self._socket is None or not select.select([self._socket], (), (), 0)[0]:
            return
        try:
            said = self._socket.recv(1 << 16)
        except OSError:
            said = b""
        if not said:
            self._end("ended by the server")
        elif said[3:4] == bytes((SETTINGS,)) and not said[4] & 1:
            self.send(frame(SETTINGS, 1, 0))

    def _end(self, why: str) -> None:
        self.counts[why] += 1
        self.close()

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
