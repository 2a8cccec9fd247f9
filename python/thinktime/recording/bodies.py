"""Bodies, passed on as they come, unchanged; and their recorded parts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from thinktime.importing.content import BODY_MAX
from thinktime.recording.message import Framing, MalformedError
from thinktime.recording.wire import PIECE_BYTES, BrokenError, Wire

_LINE_MAX = 4096
_TRAILERS_MAX = 64
_LINE_END = re.compile(rb"\n")
"""A line that ends without a carriage return is refused at once, and not waited for."""
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n")
_TRAILER = re.compile(rb"[\t\x20-\x7e\x80-\xff]*\r\n")


class BodyPrefix:
    """The beginning of a body, up to the limit of a workload file."""

    def __init__(self) -> None:
        """Begin empty."""
        self.data = bytearray()
        self.size = 0

    @property
    def is_whole(self) -> bool:
        """Whether all of it is kept."""
        return len(self.data) == self.size

    def add(self, piece: bytes) -> None:
        """Keep a piece, if there is room."""
        room = BODY_MAX - len(self.data)
        self.size += len(piece)
        self.data += piece[:room]


async def passed(
    source: Wire, sink: Wire, framing: Framing, kept: BodyPrefix | None = None
) -> None:
    """Pass a body on to its end, piece by piece.

    Raises:
        MalformedError: Its chunks break the rules.
        TooLongError: A line between its chunks has no end.
        BrokenError: One of the connections ended before that.
    """
    async for raw, content in _pieces(source, framing):
        if kept is not None:
            kept.add(content)
        await sink.send(raw)


async def _pieces(source: Wire, framing: Framing) -> AsyncIterator[tuple[bytes, bytes]]:
    """The bytes to pass on, and the content among them."""
    if framing == "chunked":
        async for both in _chunks(source):
            yield both
    elif framing == "to the end":
        while piece := await source.some():
            yield piece, piece
    else:
        async for piece in _exactly(source, framing):
            yield piece, piece


async def _exactly(source: Wire, count: int) -> AsyncIterator[bytes]:
    left = count
    while left:
        piece = await source.some(min(left, PIECE_BYTES))
        if not piece:
            raise BrokenError(source, f"the body ended {left} bytes too early")
        left -= len(piece)
        yield piece


async def _chunks(source: Wire) -> AsyncIterator[tuple[bytes, bytes]]:
    while True:
        line = await source.until(_LINE_END, _LINE_MAX)
        found = _CHUNK.fullmatch(line)
        if found is None:
            raise MalformedError("a chunk does not begin with its size")
        yield line, b""
        size = int(found[1], 16)
        if size == 0:
            break
        async for piece in _exactly(source, size):
            yield piece, piece
        end = await source.until(_LINE_END, _LINE_MAX)
        if end != b"\r\n":
            raise MalformedError("a chunk is longer than its size")
        yield end, b""
    for _ in range(_TRAILERS_MAX):
        line = await source.until(_LINE_END, _LINE_MAX)
        if not _TRAILER.fullmatch(line):
            raise MalformedError("a trailer has characters that it must not have")
        yield line, b""
        if line == b"\r\n":
            return
    raise MalformedError(f"there are more than {_TRAILERS_MAX} trailers")
