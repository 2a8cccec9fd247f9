"""A client of HTTP/2 that writes every frame itself (RFC 9113; header fields as RFC 7541 has them
without tables or Huffman's code)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4

Fields = Iterable[tuple[str, str]]


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(
        ">I", stream
    ) + payload  # fmt: skip


def setting(name: int, value: int) -> bytes:
    return struct.pack(">HI", name, value)


def _length(length: int) -> bytes:
    """A whole number behind one bit (RFC 7541, section 5.1)."""
    if length < 127:
        return bytes([length])
    rest, out = length - 127, b"\x7f"
    while rest >= 128:
        out += bytes([rest % 128 + 128])
        rest //= 128
    return out + bytes([rest])


def block(fields: Fields) -> bytes:
    """Header fields as literals."""
    out = b""
    for name, value in fields:
        out += b"\x00" + _length(len(name)) + name.encode() + _length(len(value)) + value.encode()
    return out


def asks(target: str, *more: tuple[str, str], method: str = "GET") -> list[tuple[str, str]]:
    """The fields of a request."""
    pseudo = [(":method", method), (":scheme", "http"), (":path", target)]
    return [*pseudo, (":authority", "shop.example"), *more]


class Client:
    """A connection on which the preface has been sent."""

    def __init__(self, url: str, *settings: tuple[int, int]) -> None:
        host, port = url.split("//")[1].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = self.socket.makefile("rb")
        payload = b"".join(setting(*one) for one in settings)
        self.send(PREFACE + frame(SETTINGS, 0, 0, payload))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.close()
        self.socket.close()

    def send(self, frames: bytes) -> None:
        self.socket.sendall(frames)

    def ask(self, stream: int, fields: Fields, body: bytes | None = None) -> None:
        """Sends a request whole."""
        flags = END_HEADERS | (END_STREAM if body is None else 0)
        data = b"" if body is None else frame(DATA, END_STREAM, stream, body)
        self.send(frame(HEADERS, flags, stream, block(fields)) + data)

    def frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        """The received frames: kind, flags, stream and payload, until the connection ends.

        Pings are answered: a server waits for a client that does not.
        """
        while True:
            try:
                head = self.reader.read(9)
                if len(head) < 9:
                    return
                length = int.from_bytes(head[:3], "big")
                stream = int.from_bytes(head[5:9], "big")
                kind, flags, payload = head[3], head[4], self.reader.read(length)
                if kind == PING and not flags & ACK:
                    self.send(frame(PING, ACK, 0, payload))
                yield kind, flags, stream, payload
            except (BrokenPipeError, ConnectionResetError):
                return

    def body(self, stream: int) -> bytes | None:
        """The body of a response; None if its stream or the connection is broken off."""
        came = b""
        for kind, flags, at, payload in self.frames():
            if kind == GOAWAY and payload[4:8] != bytes(4):
                return None
            if at != stream:
                continue
            if kind == RST_STREAM:
                return None
            if kind == DATA:
                came += payload
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                return came
        return None
