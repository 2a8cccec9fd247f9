"""The process of the watchers: reads a command's messages, and shows them to viewers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from thinktime.monitor import frames
from thinktime.monitor.connections import IDLE_MAX, Connection
from thinktime.monitor.frames import Setting

_NICENESS = 5
"""The watched command has priority for the processor."""

CONNECTIONS_MAX = 2 * IDLE_MAX
"""Including answered connections: as many, some of which are a page's viewers."""

_GRACE_S = 2


class _PipeServer(uvicorn.Server):
    """A server that leaves signals alone: the pipe announces the end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


def _say(word: str) -> None:
    """Send the command a word."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), f"{word}\n".encode())


def server_of(app: ASGIApp) -> _PipeServer:
    """The server of an application; it takes the sockets on which it listens in `serve`."""
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", server_header=False,
        http=Connection, limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=_GRACE_S, ws="none",
    )  # fmt: skip
    return _PipeServer(config)


async def _main() -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    first = await frames.read(reader)
    if first is None:
        return
    setting: Setting = first[1]
    from thinktime.monitor.publisher import Publisher

    desk = Publisher(setting, _say)
    servers, tasks = [], []
    for app, descriptor in desk.sites():
        server = server_of(app)
        servers.append(server)
        tasks.append(asyncio.create_task(server.serve([socket.socket(fileno=descriptor)])))
    busy = [asyncio.create_task(one) for one in (desk.show(), desk.push())]
    while (message := await frames.read(reader)) is not None:
        await desk.take(message)
    for server in servers:
        server.should_exit = True
    for one in busy:
        one.cancel()
    await desk.end()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    asyncio.run(_main())
