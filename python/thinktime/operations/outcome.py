"""The common parts of simulations and runs: their times, their ends, and their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thinktime import _core, validity
from thinktime.inputs.arguments import Time as Time
from thinktime.inputs.files import GivenWorkload, workload_of
from thinktime.results import remote_rows
from thinktime.results.result import Result
from thinktime.results.run_notes import Notes

if TYPE_CHECKING:
    from thinktime._core_types import Summary

Progress = Callable[[int, float, int], None]
"""Called about twenty times a second with requests over, seconds of the run's own clock, and
requests in the system."""


def seconds(time: Time) -> float:
    """The number of seconds of a time."""
    return float(time) if isinstance(time, int | float) else _core.Distribution(time).mean


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run; `result` holds everything up to then."""

    def __init__(self, result: Result) -> None:
        """Keep the result."""
        super().__init__("interrupted")
        self.result = result


class Unwritten(_core.RunError):
    """A result could not be written, as when the disk is full.

    Attributes:
        result: What could not be written: a `Result`, the table of a sweep, or a `Capacity`.
    """

    def __init__(self, result: Any, why: str) -> None:
        """Keep the result."""
        super().__init__(why)
        self.result = result


def with_seed(given: GivenWorkload, seed: int | None) -> _core.Workload:
    """The workload, with the seed if one is given."""
    workload = workload_of(given)
    return workload if seed is None else workload.with_seed(seed)


def written_result(
    outcome: _core.ResultData,
    notes: Notes,
    note: Callable[[Summary], None] = lambda _: None,
) -> Result:
    """The result, written; `note` adds to its summary."""
    result = Result(outcome, notes.label, notes.made)
    if notes.told and result.summary:
        result.summary.setdefault("notes", []).extend(notes.told)
    note(result.summary)
    if outcome.unwritten is None and notes.finish():
        validity.note(result)
        remote_rows.note(result)
    if outcome.unwritten is not None:
        raise Unwritten(result, outcome.unwritten)
    if result.interrupted:
        raise Interrupted(result)
    return result
