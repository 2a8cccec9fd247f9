"""Waits of Locust users after each task, as think times.

Source: https://docs.locust.io/en/stable/writing-a-locustfile.html#wait-time-attribute
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from thinktime.importing.draft import seconds
from thinktime.importing.locust.classes import last
from thinktime.importing.locust.literals import Names
from thinktime.importing.notes import Notes

Wait = tuple[float, float]
"""The bounds of the wait after a task, in seconds."""


def wait_of(node: ast.expr, names: Names, notes: Notes) -> Wait:
    """The bounds of the think time of a `wait_time`."""
    place = f"line {node.lineno}"
    call = node if isinstance(node, ast.Call) else None
    given = [names.value(one) for one in call.args] if call else []
    numbers = [float(one) for one in given if isinstance(one, int | float) and 0 <= one < 1e6]
    kind = last(call.func) if call else ""
    if kind == "between" and len(numbers) == 2 and numbers[0] < numbers[1]:
        return numbers[0], numbers[1]
    if kind in ("constant", "between") and numbers:
        return numbers[0], numbers[0]
    if kind in ("constant_pacing", "constant_throughput") and numbers and numbers[0] > 0:
        pace = numbers[0] if kind == "constant_pacing" else 1 / numbers[0]
        notes.add(place, f"`{kind}` is taken as a think time, which the response time adds to")
        return pace, pace
    notes.add(place, "the `wait_time` is left out: it is no between() or constant() of numbers")
    return 0.0, 0.0


def wait_of_bounds(bounds: Sequence[ast.expr | None], names: Names, notes: Notes) -> Wait:
    """The bounds of the think time of a `min_wait` and a `max_wait`, which are in milliseconds."""
    lines = [one.lineno for one in bounds if one is not None]
    given = [names.value(one) for one in bounds if one is not None]
    numbers = [one / 1000 for one in given if isinstance(one, int | float) and 0 <= one < 1e9]
    if len(numbers) < 2 or numbers[0] > numbers[1]:
        text = "`min_wait` and `max_wait` are left out: they are no two numbers"
        notes.add(f"line {lines[0]}", text)
        return 0.0, 0.0
    text = "`min_wait` and `max_wait` are taken in milliseconds, as by older versions of Locust"
    notes.add(f"line {lines[0]}", text)
    return numbers[0], numbers[1]


def with_wait(think: str | None, wait: Wait) -> str:
    """The think time after a task's last request, and the wait of the user after the task.

    Two random waits are taken as one between the sums of their bounds.
    """
    bounds = [float(one) for one in re.findall(r"([\d.]+)s", think or "0s")]
    lo, hi = bounds[0] + wait[0], bounds[-1] + wait[1]
    return seconds(lo) if lo == hi else f"uniform({seconds(lo)}, {seconds(hi)})"
