"""What a command tells its watchers' process: pickled, each with its length before it.

Only a command writes there, to a process that it began itself: nothing foreign is unpickled.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from thinktime.present.table import Table
    from thinktime.validity import Finding
    from thinktime.validity.session_length import Stay

_LENGTH = struct.Struct("<I")

Message = tuple[str, Any]
"""What kind of thing is told, and the thing."""


@dataclass(frozen=True)
class Moments:
    """The first two moments of a law."""

    mean: float
    second_moment: float


@dataclass(frozen=True)
class CheckInputs:
    """What checks read of a workload."""

    model: str
    request_rate: float | None
    """Requests a second; None where the workload has no rate of its own."""

    poisson: bool
    arrivals: tuple[dict[str, Any], ...] = ()
    """The table `arrivals` of each population."""

    session_length: Moments | None = None
    """Requests of a session; None where nobody knows."""

    stays: tuple[Stay, ...] = ()
    """How long sessions last, as far as it is known."""


@dataclass(frozen=True)
class WatchedRun:
    """What is watched."""

    command: str
    """`run`, `simulate`, `sweep`, `capacity` or `learn`."""

    title: str
    """As in 'shop against http://127.0.0.1:8080'."""

    workload: str = ""
    """The name of the workload."""

    requests: int | None = None
    """After how many requests it ends; None where nobody knows."""

    end_s: float | None = None
    """When the last request is begun; None where nobody knows."""

    steady: bool = True
    """Whether the workload asks for the same at any time."""

    here: bool = True
    """Whether the command itself makes the load."""

    replications: int = 1
    """How many simulations it is made of, beside one another."""

    checks: CheckInputs | None = None
    """What the workload of a run or a simulation asks for."""


@dataclass(frozen=True)
class RepeatedRuns:
    """The runs of `--runs`, of which the last one is going on."""

    number: int
    """Its number, from 1."""

    whole: int
    table: Table | None
    """Those that are over; None before one is."""

    agreement: Finding | None
    """Whether they agree; None before there are two."""


@dataclass(frozen=True)
class Setting:
    """How a process of watchers is set up: the first thing that it is told."""

    run: WatchedRun
    token: str
    page: int | None = None
    """The descriptor of the page's listener."""

    metrics: int | None = None
    """The descriptor of the metrics' listener."""

    hosts: tuple[str, ...] = ()
    """Names, besides addresses, by which this machine may be asked."""

    otlp: str | None = None
    """Where metrics are pushed to."""

    otlp_headers: tuple[tuple[str, str], ...] = ()
    """Header fields of what is pushed."""


def packed(message: Message) -> bytes:
    """A message as it is written."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def read(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None at the end."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        message: Message = pickle.loads(await reader.readexactly(length))
    except (EOFError, ConnectionError):  # the former of a message that is cut off
        return None
    return message
