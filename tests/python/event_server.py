"""A server whose streamed responses have a known schedule, for HTTP/1.1."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

Part = tuple[float, bytes | None]
"""A wait in seconds, and the bytes that follow it; None breaks the connection."""

Schedule = Callable[[str, int], Sequence[Part]]
"""The parts of a body, from the path and the number of the request, from 0."""


def events(*gaps_s: float, data: str = "x", end: str = "data: [DONE]\n\n") -> list[Part]:
    """An event after each of these gaps, and then the end."""
    return [*((gap, f"data: {data}\n\n".encode()) for gap in gaps_s), (0.0, end.encode())]


@contextmanager
def event_server(schedule: Schedule, head: bytes = b"") -> Iterator[str]:
    """The URL of such a server, which ends with the block."""
    ready = threading.Event()
    url: list[str] = []
    ends: list[Callable[[], object]] = []

    async def serve() -> None:
        number, ended = iter(range(10**9)), asyncio.Event()
        loop = asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(ended.set))

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # A client may leave, and the server may end.
            with suppress(ConnectionError, asyncio.CancelledError):
                await _answer(reader, writer, head, lambda path: schedule(path, next(number)))

        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
        url.append(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        ready.set()
        await ended.wait()

    # What is still answered then is cancelled.
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(300)
    try:
        yield url[0]
    finally:
        ends[0]()
        thread.join(300)


async def _answer(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    head: bytes,
    schedule: Callable[[str], Sequence[Part]],
) -> None:
    """All requests of a connection are answered, until it ends or a part is its end."""
    async for path in _requests(reader):
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + head + b"\r\n")
        for wait_s, part in schedule(path):
            await asyncio.sleep(wait_s)
            if part is None:
                writer.transport.abort()
                return
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if part else b"")
            await writer.drain()
        writer.write(b"0\r\n\r\n")


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """The paths of a connection's requests, until it ends."""
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        fields = head.lower().split("content-length:")
        if len(fields) > 1:
            await reader.readexactly(int(fields[1].split("\r\n")[0]))
        yield head.split(" ")[1]
