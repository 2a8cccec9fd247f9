"""A worker from the server's side: started, listened to, and ended."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from thinktime import InputError
from thinktime.assistants.call import Call
from thinktime.assistants.tools import Tool
from thinktime.assistants.worker import GRACE_S

Heard = Callable[[float, float | None, str], Awaitable[None]]
"""Passes progress on: what is done, of how much if that is known, and in words."""

_LONGEST = 8_000_000
"""The bytes of a line of a worker."""

_SHOWN = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH", "OPENBLAS_NUM_THREADS")
"""Variables that a worker has from its first instruction."""


class ToolError(Exception):
    """What went wrong, in the program's own words."""


@dataclass
class WorkQueue:
    """The work of a server: one piece at a time, since a measurement bears nothing beside it."""

    directory: Path
    allow: Sequence[str]
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def done(self, tool: Tool, given: Mapping[str, Any], heard: Heard) -> dict[str, Any]:
        """The answer of a tool.

        Raises:
            ToolError: It failed.
        """
        try:
            Call(tool.name, given, self.directory, lambda *_: None).checked(tool.schema)
        except InputError as error:
            raise ToolError(str(error)) from None
        if tool.quick:
            return await self._worked(tool, given, heard)
        if self._turn.locked():
            await heard(0, None, "it waits for other work to end")
        async with self._turn:
            return await self._worked(tool, given, heard)

    async def _worked(self, tool: Tool, given: Mapping[str, Any], heard: Heard) -> dict[str, Any]:
        with TemporaryDirectory() as scratch:
            place = {"TMPDIR": os.path.realpath(scratch)}
            first = {name: os.environ[name] for name in _SHOWN if name in os.environ}
            call = {
                "tool": tool.name,
                "do": [tool.do.__module__, tool.do.__name__],
                "arguments": given,
                "directory": str(self.directory),
                "allow": list(self.allow),
                "environment": {**os.environ, **place},
            }
            process = await anyio.open_process(
                [sys.executable, "-P", "-m", "thinktime.assistants.worker"],
                stdin=PIPE, stdout=PIPE, stderr=None, env=first | place, start_new_session=True,
            )  # fmt: skip
            wanted = True
            try:
                found = await _answer(process, call, heard)
                wanted = False
                return found
            except ToolError:
                wanted = False
                raise
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process, unfinished=wanted)


async def _answer(process: Process, call: Mapping[str, Any], heard: Heard) -> dict[str, Any]:
    """The answer of a worker; its progress is passed on."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(anyio.BrokenResourceError):
        await process.stdin.send(json.dumps(call).encode() + b"\n")
    lines, last = BufferedByteReceiveStream(process.stdout), -1.0
    while True:
        try:
            line = json.loads(await lines.receive_until(b"\n", _LONGEST))
        except (anyio.EndOfStream, anyio.IncompleteRead):
            raise ToolError(f"the work ended without an answer: {await _how(process)}") from None
        if "answer" in line:
            return dict(line["answer"])
        if "error" in line:
            raise ToolError(line["error"])
        done, whole, words = line["progress"]
        if done > last:  # the protocol wants it to grow
            last = done
            await heard(done, whole, words)


async def _how(process: Process) -> str:
    status = await process.wait()
    return f"signal {-status}" if status < 0 else f"status {status}"


async def _end(process: Process, *, unfinished: bool) -> None:
    """Let the worker end, or ask it to, which keeps what it has; then end it and its children."""
    if process.returncode is None:
        if unfinished:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        with anyio.move_on_after(GRACE_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_drained, process)
                await process.wait()
                tasks.cancel_scope.cancel()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.aclose()


async def _drained(process: Process) -> None:
    """Read on, so that the worker can write."""
    assert process.stdout is not None
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
        while True:
            await process.stdout.receive()
