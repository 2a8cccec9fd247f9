"""A conversation with `thinktime mcp`, as an assistant's program has it: by the SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the package mcp is not installed")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

COMMAND = Path(sys.executable).with_name("thinktime")

OPEN = """
name = "open"
seed = 7

[arrivals]
model = "open"
rate = "60/s"

[[request]]
name = "item"
get = "/item"

[slo]
p99 = "500ms"
"""
ONE_SERVER = """
name = "one server"

[[station]]
name = "server"
policy = "ps"
demand = "exp(8ms)"
"""


def folder_of(place: Path, **files: str) -> Path:
    """A folder with a workload, a system, and further files by their stems."""
    place.mkdir(exist_ok=True)
    for name, text in {"open": OPEN, "server": ONE_SERVER, **files}.items():
        (place / f"{name}.toml").write_text(text, "utf-8")
    return place


@dataclass
class Assistant:
    """One that calls tools, and keeps what was said of progress."""

    session: ClientSession

    async def call(
        self, tool: str, heard: Callable[[str], None] | None = None, **given: Any
    ) -> Any:
        """The result of a call."""

        async def progress(_: float, __: float | None, words: str | None) -> None:
            if heard is not None:
                heard(words or "")

        return await self.session.call_tool(tool, given, progress_callback=progress)

    async def answer(self, tool: str, **given: Any) -> dict[str, Any]:
        """The answer of a call that succeeds, which stands in both of its forms."""
        found = await self.call(tool, **given)
        assert not found.is_error, found.content[0].text
        assert json.loads(found.content[0].text) == found.structured_content
        return dict(found.structured_content)

    async def refusal(self, tool: str, **given: Any) -> str:
        """The words of a call that fails."""
        found = await self.call(tool, **given)
        assert found.is_error, found.content[0].text
        words = str(found.content[0].text)
        assert "Traceback" not in words
        assert 'File "' not in words
        return words


@asynccontextmanager
async def assistant(folder: Path, *allow: str) -> AsyncIterator[Assistant]:
    """An assistant at a server that works in a folder."""
    allowed = [word for one in allow for word in ("--allow", one)]
    server = StdioServerParameters(
        command=str(COMMAND),
        args=["mcp", "--directory", str(folder), *allowed],
        env=dict(os.environ),
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield Assistant(session)


def talk(folder: Path, say: Callable[[Assistant], Awaitable[Any]], *allow: str) -> Any:
    """Have a conversation, and return what it gives."""

    async def whole() -> Any:
        async with asyncio.timeout(300), assistant(folder, *allow) as one:
            return await say(one)

    return asyncio.run(whole())
