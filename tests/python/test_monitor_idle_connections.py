"""Silent connections do not keep others from the metrics of a run."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from thinktime.monitor import connections, metrics
from thinktime.monitor.__main__ import server_of
from thinktime.monitor.address import LOOPBACK, bound
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.operations.run_progress import Moment

GUARD_S = 300
"""Against hanging."""


@contextlib.asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[int]:
    place = bound(LOOPBACK, "--metrics")
    server = server_of(app)
    serving = asyncio.create_task(server.serve([place.listener]))
    try:
        yield place.listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


def metrics_app() -> ASGIApp:
    subject = Subject(WatchedRun("run", "Running", "w", None, 60.0))
    moment = Moment(1.0, 5, 20, 20, 0.006, 0.2, 1e-5, {}, {}, (), 1.0, ((0, 20),))
    subject.take(("moment", (moment, 9)))
    return metrics.app(subject, [])


async def answer(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    found = await reader.read()
    writer.close()
    return found


@pytest.mark.parametrize("said", [b"", b"GET /metrics HTTP/1.1\r\n"])
def test_a_scraper_is_answered_beside_many_idle_connections(said: bytes) -> None:
    async def main() -> None:
        async with served(metrics_app()) as port:
            idle = []
            for _ in range(4 * connections.IDLE_MAX):
                idle.append(await asyncio.open_connection("127.0.0.1", port))
                idle[-1][1].write(said)
            found = await answer(port)
            assert found.startswith(b"HTTP/1.1 200 "), found[:100]
            assert b"thinktime_requests_total" in found
            # Those that were silent for longest made room.
            assert await idle[0][0].read() == b""
            for _, writer in idle:
                writer.close()

    asyncio.run(asyncio.wait_for(main(), GUARD_S))


def test_who_waits_for_an_answer_makes_no_room() -> None:
    async def main() -> None:
        asked, due = asyncio.Event(), asyncio.Event()

        async def slow(_: Scope, __: Receive, send: Send) -> None:
            asked.set()
            await due.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"late"})

        async with served(slow) as port:
            waiting = asyncio.create_task(answer(port))
            await asked.wait()
            idle = [
                await asyncio.open_connection("127.0.0.1", port)
                for _ in range(2 * connections.IDLE_MAX)
            ]
            assert await idle[0][0].read() == b""
            due.set()
            assert (await waiting).endswith(b"late\r\n0\r\n\r\n")
            for _, writer in idle:
                writer.close()

    asyncio.run(asyncio.wait_for(main(), GUARD_S))


def test_a_connection_that_never_asks_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENT_S", 0.05)

    async def main() -> None:
        async with served(metrics_app()) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read() == b""
            writer.close()
            assert (await answer(port)).startswith(b"HTTP/1.1 200 ")

    asyncio.run(asyncio.wait_for(main(), GUARD_S))


def test_many_may_connect_before_the_watchers_are_there() -> None:
    place = bound(LOOPBACK, "--metrics")
    with contextlib.ExitStack() as stack:
        stack.enter_context(place.listener)
        for _ in range(4 * connections.IDLE_MAX):
            # Without room the kernel does not answer, and no connection here makes room.
            address = place.listener.getsockname()
            stack.enter_context(socket.create_connection(address, timeout=60))
