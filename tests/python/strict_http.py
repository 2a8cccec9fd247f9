"""Requests of HTTP/1, strictly by RFC 9112: ambiguous bytes are not a request.

Independent of the switch's code. Targets may have bytes that are not ASCII, as all servers accept
them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
REQUEST = re.compile(rb"(%b) ([\x21-\x7e\x80-\xff]+) HTTP/1\.([01])" % TOKEN)
FIELD = re.compile(rb"(%b):[ \t]*([\t -~\x80-\xff]*)" % TOKEN)
CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})")


class Request(NamedTuple):
    """The contents of a request to a server."""

    method: bytes
    target: bytes
    body: bytes


class OddError(Exception):
    """The bytes are not a request."""


class IncompleteError(Exception):
    """Its end has not come."""


class _Reader:
    def __init__(self, text: bytes) -> None:
        self.rest = text

    def line(self) -> bytes:
        line, end, rest = self.rest.partition(b"\n")
        if not end:
            raise IncompleteError
        if not line.endswith(b"\r") or b"\r" in line[:-1]:
            raise OddError
        self.rest = rest
        return line[:-1]

    def take(self, length: int) -> bytes:
        if len(self.rest) < length:
            raise IncompleteError
        read, self.rest = self.rest[:length], self.rest[length:]
        return read

    def fields(self) -> list[tuple[bytes, bytes]]:
        found = []
        while line := self.line():
            if not (field := FIELD.fullmatch(line)):
                raise OddError
            found.append((field[1].lower(), field[2].rstrip(b" \t")))
        return found

    def chunks(self) -> bytes:
        body = b""
        while chunk := CHUNK.fullmatch(self.line()):
            if not (size := int(chunk[1], 16)):
                self.fields()
                return body
            body += self.take(size)
            if self.take(2) != b"\r\n":
                raise OddError
        raise OddError

    def request(self) -> tuple[Request, bool]:
        """The next one, and whether there may be another one behind it."""
        while not (line := self.line()):
            pass
        if not (begins := REQUEST.fullmatch(line)):
            raise OddError
        method, target, minor = begins.groups()
        fields = self.fields()
        said = {name: [value for one, value in fields if one == name] for name, _ in fields}
        if len(said.get(b"host", [])) != 1 and (minor == b"1" or b"host" in said):
            raise OddError
        lengths, codings = said.get(b"content-length", []), said.get(b"transfer-encoding", [])
        if len(lengths) + len(codings) > 1 or (codings and minor == b"0"):
            raise OddError
        body = b""
        if codings:
            if codings[0].lower() != b"chunked":
                raise OddError
            body = self.chunks()
        elif lengths:
            if not re.fullmatch(rb"[0-9]{1,18}", lengths[0]):
                raise OddError
            body = self.take(int(lengths[0]))
        words = b",".join(said.get(b"connection", [])).lower().replace(b" ", b"").split(b",")
        stays = b"close" not in words and (minor == b"1" or b"keep-alive" in words)
        return Request(method, target, body), stays


def requests(text: bytes) -> tuple[list[Request], bool]:
    """All requests up to an invalid one or the last one; whether the end of one is missing."""
    reader, found, stays = _Reader(text), [], True
    try:
        while stays and reader.rest:
            request, stays = reader.request()
            found.append(request)
    except OddError:
        pass
    except IncompleteError:
        return found, True
    return found, False
