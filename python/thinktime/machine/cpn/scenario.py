"""Small scenarios: the tasks that come to a machine, their times and their demands.

Times are whole microseconds, the time unit of the nets.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from thinktime import _core

MICROSECONDS_MAX = 1_000_000_000
"""CPN Tools' integers end at 2^30 - 1: a little more than this many microseconds."""

DEFAULT = """\
# Three tasks for two cores: the last one comes when both cores are busy.

[[tasks]]
arrival = "0ms"
bursts = ["250ms"]

[[tasks]]
arrival = "1ms"
bursts = ["5ms", "5ms"]
sleeps = ["20ms"]

[[tasks]]
arrival = "2ms"
priority = "high"
bursts = ["40ms"]
"""
"""The scenario of an export that names none, as a file."""


@dataclass(frozen=True)
class Task:
    """A task of a scenario.

    Args:
        arrival: When it is created, in microseconds; 0 or more.
        bursts: Its demands in microseconds, each 1 or more; one at least.
        sleeps: How long it sleeps between two bursts, in microseconds, each 1 or more; one fewer
            than bursts.
        priority: A number of the scheduler's scale, or the name of one, such as "default".
    """

    arrival: int
    bursts: tuple[int, ...]
    sleeps: tuple[int, ...] = ()
    priority: int | str = "default"


def microseconds(text: str, where: str) -> int:
    """Return the whole number of microseconds that a time such as "31.5ms" is.

    Raises:
        InputError: It is not a time, or not a whole number of microseconds.
    """
    try:
        value = _core.Distribution(text).mean * 1e6
    except (_core.InputError, TypeError) as error:
        raise _core.InputError(f"{where}: {error}") from None
    if abs(value - round(value)) > 1e-6 * max(1.0, value):
        raise _core.InputError(
            f"{where} = {text!r}: the net's time unit is the microsecond: give a whole number "
            'of them, as in "1.5ms"'
        )
    return round(value)


def read(text: str) -> list[Task]:
    """Read a scenario from the text of a TOML file.

    Raises:
        InputError: It is not TOML, or a key is unknown, missing or wrong; the message names it.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _core.InputError(str(error)) from None
    if unknown := sorted(set(table) - {"tasks"}):
        raise _core.InputError(f"unknown key `{unknown[0]}`: a scenario has `tasks` only")
    entries = table.get("tasks")
    if not isinstance(entries, list) or not entries:
        raise _core.InputError("no tasks: give at least one, under [[tasks]]")
    tasks = [_task(entry, f"tasks[{number}]") for number, entry in enumerate(entries)]
    total = max(task.arrival for task in tasks) + sum(
        sum(task.bursts) + sum(task.sleeps) for task in tasks
    )
    if total > MICROSECONDS_MAX:
        raise _core.InputError(
            "the scenario may last longer than 1000 s, the end of CPN Tools' integers in "
            "microseconds: make arrivals, bursts or sleeps shorter"
        )
    return tasks


def _task(entry: Any, where: str) -> Task:
    keys = {"arrival", "priority", "bursts", "sleeps"}
    if not isinstance(entry, dict):
        raise _core.InputError(f"{where} is no table: write it under [[tasks]]")
    if unknown := sorted(set(entry) - keys):
        raise _core.InputError(
            f"{where}: unknown key `{unknown[0]}`: a task has {', '.join(sorted(keys))}"
        )
    bursts = _spans(entry.get("bursts"), f"{where}.bursts")
    sleeps = _spans(entry.get("sleeps", []), f"{where}.sleeps")
    if not bursts or len(sleeps) != len(bursts) - 1:
        raise _core.InputError(
            f"{where} has {len(bursts)} bursts and {len(sleeps)} sleeps: it needs one burst at "
            "least, and one sleep between each two"
        )
    priority = entry.get("priority", "default")
    if isinstance(priority, bool) or not isinstance(priority, int | str):
        raise _core.InputError(f"{where}.priority: neither a number nor a name")
    arrival = microseconds(entry.get("arrival", "0s"), f"{where}.arrival")
    return Task(arrival, bursts, sleeps, priority)


def _spans(entries: Any, where: str) -> tuple[int, ...]:
    if not isinstance(entries, list):
        raise _core.InputError(f'{where}: not a list of times, such as ["5ms"]')
    spans = tuple(microseconds(entry, f"{where}[{n}]") for n, entry in enumerate(entries))
    if any(span < 1 for span in spans):
        raise _core.InputError(f"{where}: a time of 0: each must be 1 microsecond or more")
    return spans
