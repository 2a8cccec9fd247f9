"""The messages of a command to its watchers' process: pickled, each after its length.

Only a command writes there, to a process that it started itself: nothing foreign is unpickled.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from thinktime._core_types import ArrivalsTable
    from thinktime.present.table import Table
    from thinktime.validity import Finding
    from thinktime.validity.session_length import Stay

_LENGTH = struct.Struct("<I")

Message = tuple[str, Any]
"""The kind of a message, and its content."""


@dataclass(frozen=True)
class Moments:
    """The first two moments of a law."""

    mean: float
    second_moment: float


@dataclass(frozen=True)
class CheckInputs:
    """The facts of a workload that checks read."""

    model: str
    request_rate: float | None
    """Requests a second; None if the workload has no rate of its own."""

    dispersion: float | None
    """As `Workload` has it."""

    arrivals: tuple[ArrivalsTable, ...] = ()
    """The table `arrivals` of each population."""

    session_length: Moments | None = None
    """Requests of a session; None if unknown."""

    stays: tuple[Stay, ...] = ()
    """The length of sessions, if known."""

    page_companions: float = 1.0
    """As `Evidence` has it."""


@dataclass(frozen=True)
class WatchedRun:
    """The watched operation."""

    command: str
    """`run`, `simulate`, `sweep`, `capacity` or `learn`."""

    title: str
    """As in 'shop against http://127.0.0.1:8080'."""

    workload: str = ""
    """The name of the workload."""

    requests: int | None = None
    """The number of requests after which it ends; None if unknown."""

    end_s: float | None = None
    """The time at which the last request is begun; None if unknown."""

    steady: bool = True
    """Whether the workload is the same at any time."""

    here: bool = True
    """Whether the command itself makes the load."""

    replications: int = 1
    """The number of parallel simulations in it."""

    checks: CheckInputs | None = None
    """The facts of a run's or a simulation's workload."""


@dataclass(frozen=True)
class RepeatedRuns:
    """The runs of `--runs`, up to the current one."""

    number: int
    """Its number, from 1."""

    whole: int
    table: Table | None
    """The finished ones; None before one has ended."""

    agreement: Finding | None
    """Whether they agree; None before there are two."""


@dataclass(frozen=True)
class Setting:
    """The settings of a process of watchers: its first message."""

    run: WatchedRun
    token: str
    page: int | None = None
    """The descriptor of the page's listener."""

    metrics: int | None = None
    """The descriptor of the metrics' listener."""

    hosts: tuple[str, ...] = ()
    """Names, besides addresses, under which this machine may be asked."""

    otlp: str | None = None
    """The destination of metrics."""

    otlp_headers: tuple[tuple[str, str], ...] = ()
    """Header fields of pushes."""


def packed(message: Message) -> bytes:
    """A message in its written form."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def read(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None at the end."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        message: Message = pickle.loads(await reader.readexactly(length))
    except (EOFError, ConnectionError):  # the beginning of a message that is cut off
        return None
    return message
