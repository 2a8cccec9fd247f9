"""Heads of HTTP/1.1, parsed strictly: ambiguous ones are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from thinktime.recording.wire import BrokenError, Wire

HEAD_MAX = 64 * 1024
"""Longer heads are refused, in bytes."""

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST = re.compile(rf"({_TOKEN}) ([\x21-\x7e]+) HTTP/1\.([01])")
_STATUS = re.compile(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?")
_HEAD_END = re.compile(rb"\n\r?\n")
_FIELD = re.compile(rf"({_TOKEN}):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")

_BY_CONNECTION = frozenset(
    [
        "connection",
        "http2-settings",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "upgrade",
    ]
)
"""Fields about one connection, or for the proxy, which are not passed on. Fields that frame a body
are: bodies pass unchanged."""

Fields = list[tuple[str, str]]


class MalformedError(Exception):
    """A message that breaks the rules; its text says how."""


@dataclass
class Head:
    """The head of a request or of a response.

    Attributes:
        minor: 0 or 1, of HTTP/1.0 or HTTP/1.1.
    """

    fields: Fields
    minor: int

    def values(self, name: str) -> list[str]:
        """The values of a field; ``name`` in small letters."""
        return [value for one, value in self.fields if one.lower() == name]

    def lists(self, name: str, word: str) -> bool:
        """Whether a list field contains a word, in small letters."""
        parts = ",".join(self.values(name)).lower().split(",")
        return word in {part.strip() for part in parts}

    def passed_on(self) -> Fields:
        """The fields without those of one connection."""
        named = {one.strip() for one in ",".join(self.values("connection")).lower().split(",")}
        # A client cannot remove these by naming them.
        named -= {"host", "content-length", "transfer-encoding"}
        return [pair for pair in self.fields if pair[0].lower() not in _BY_CONNECTION | named]


@dataclass
class Request(Head):
    """The head of a request."""

    method: str
    target: str

    @property
    def upgrade(self) -> str:
        """The protocol that it asks to change to; empty for HTTP/2, which is not supported."""
        asked = ", ".join(self.values("upgrade"))
        wanted = self.lists("connection", "upgrade") and not asked.lower().startswith("h2c")
        return asked if wanted else ""


@dataclass
class Response(Head):
    """The head of a response."""

    status: int
    reason: str


async def request(wire: Wire) -> Request | None:
    """The head of the next request; None if the client has ended the connection.

    Raises:
        MalformedError: It is not a request.
        TooLongError: It is longer than `HEAD_MAX`.
        BrokenError: The connection ended within it.
    """
    first = await wire.begins_with()
    while first in (b"\r", b"\n"):  # some clients send an extra empty line after a body
        await wire.some(1)
        first = await wire.begins_with()
    if not first:
        return None
    if not re.match(_TOKEN.encode(), first):
        raise MalformedError("that is no HTTP/1.1; TLS begins after CONNECT")
    start, fields = await _head(wire)
    found = _REQUEST.fullmatch(start)
    if found is None:
        raise MalformedError("the first line is no request of HTTP/1.1")
    head = Request(fields, int(found[3]), found[1], found[2])
    if len(head.values("host")) > 1:
        raise MalformedError("there are several `Host`")
    return head


async def response(wire: Wire) -> Response:
    """The head of the next response.

    Raises:
        MalformedError: It is not a response.
        TooLongError: It is longer than `HEAD_MAX`.
        BrokenError: The connection ended before its end.
    """
    first = await wire.begins_with()
    if not first:
        raise BrokenError(wire, "the connection ended without an answer")
    if first != b"H":
        raise MalformedError("it answers with something that is no HTTP/1.1")
    start, fields = await _head(wire, folds=True)
    found = _STATUS.fullmatch(start)
    if found is None:
        raise MalformedError("the first line is no status line of HTTP/1.1")
    return Response(fields, int(found[1]), int(found[2]), found[3] or "")


async def _head(wire: Wire, folds: bool = False) -> tuple[str, Fields]:
    """The first line and the fields; a field may continue in a further line if it ``folds``.

    Lines that all end with a line feed alone are taken (RFC 9112, section 2.2), and passed on with
    a carriage return before it. Other mixtures could be read in two ways.
    """
    text = (await wire.until(_HEAD_END, HEAD_MAX)).decode("latin-1")
    end = "\r\n" if "\r" in text else "\n"
    if not text.endswith(2 * end):
        raise MalformedError("some lines of the head end without a carriage return")
    start, *lines = text[: -2 * len(end)].split(end)
    fields: Fields = []
    for line in lines:
        if folds and fields and line[:1] in (" ", "\t"):
            # A field over several lines is one with a blank between: RFC 9112, section 5.2.
            name, value = fields.pop()
            line = f"{name}: {value} " + line.strip(" \t")
        found = _FIELD.fullmatch(line)
        if found is None:
            raise MalformedError(
                "a header field has no name, or has characters that it must not have"
            )
        fields.append((found[1], found[2]))
    return start, fields


def written(start: str, fields: Iterable[tuple[str, str]]) -> bytes:
    """A head as bytes."""
    lines = [start, *(f"{name}: {value}" for name, value in fields)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


Framing = int | Literal["chunked", "to the end"]
"""The end of a body: after a number of bytes, by its chunks, or with the connection."""


def framing(head: Head) -> Framing | None:
    """The end of the body, by the head's fields; None if they do not tell.

    Raises:
        MalformedError: They contradict each other, or use an unknown way.
    """
    codings, lengths = head.values("transfer-encoding"), head.values("content-length")
    if codings:
        if lengths:
            raise MalformedError("there are both `Transfer-Encoding` and `Content-Length`")
        if head.minor == 0 or [one.lower() for one in codings] != ["chunked"]:
            raise MalformedError("only `Transfer-Encoding: chunked` is known, in HTTP/1.1")
        return "chunked"
    if not lengths:
        return None
    if len(lengths) > 1 or not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
        raise MalformedError("`Content-Length` is not one whole number")
    return int(lengths[0])


def framing_of_answer(head: Response, method: str) -> Framing:
    """The end of the body of a response to such a request.

    Raises:
        MalformedError: As in `framing`.
    """
    if method == "HEAD" or head.status < 200 or head.status in (204, 304):
        return 0
    found = framing(head)
    return "to the end" if found is None else found


def host_and_port(text: str) -> tuple[str, int | None]:
    """Host and port of ``HOST:PORT`` or ``HOST``.

    Raises:
        MalformedError: It is neither.
    """
    found = _AUTHORITY.fullmatch(text)
    if found is None or (found[2] and not 0 < int(found[2]) < 65536):
        raise MalformedError("the host that it is for cannot be read")
    return found[1].strip("[]").lower(), int(found[2]) if found[2] else None
