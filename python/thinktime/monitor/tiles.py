"""The figures of a run that are seen at one glance: its objectives, its last seconds, its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from thinktime.monitor.buckets import PER_OCTAVE
from thinktime.monitor.history import History, Instant
from thinktime.monitor.objectives import CANNOT_TELL, MET, NOT_MET, ObjectiveState, state_of
from thinktime.operations.run_progress import Moment
from thinktime.present import percentile, units
from thinktime.present.page import Tile
from thinktime.report.objectives import name_of

if TYPE_CHECKING:
    from thinktime.monitor.frames import WatchedRun

LAST_S = 10.0
"""The length of the last stretch in seconds."""

_SO_FAR = {MET: "Met so far", NOT_MET: "Not met so far", CANNOT_TELL: "Cannot tell yet"}


def tiles_of(
    run: WatchedRun, history: History, moment: Moment, objectives: Sequence[ObjectiveState]
) -> list[Tile]:
    """Five of them, in the order in which they matter."""
    return [
        _objectives(objectives),
        _last_p99(history, moment),
        _rate(history),
        _failed(moment, objectives),
        _left(run, history),
    ]


def _objectives(found: Sequence[ObjectiveState]) -> Tile:
    """The worst objective: the first that is not met, else that cannot be told, else the first."""
    if not found:
        return Tile("Objective", units.NOTHING, "the workload has none")
    state = state_of(found)
    shown = next(one for one in found if one.state == state)
    return Tile("Objective", _SO_FAR[state], _objective_words(shown), state)


def _objective_words(one: ObjectiveState) -> str:
    objective = one.objective
    text = units.percent if objective.name == "errors" else units.seconds
    found = units.NOTHING if one.value is None else text(one.value)
    return f"{name_of(objective)} {found}, {text(objective.limit)} or less"


def _last_p99(history: History, moment: Moment) -> Tile:
    """Of the last stretch; a percentile since the start hides a change."""
    stretch_s = history.instants[-1].time_s - _before(history).time_s
    of_run = percentile.text("p99", moment.response_p99_s, moment.measured)
    title = f"p99 of the last {units.seconds(stretch_s, 2)}"
    return Tile(title, last_p99(history), f"{of_run} since the start")


def last_p99(history: History) -> str:
    """The p99 of the last stretch, in words; a dash if it has too few requests."""
    last, before = history.instants[-1], _before(history)
    counts = dict(last.buckets)
    for place, count in before.buckets:
        counts[place] = counts.get(place, 0) - count
    held = sorted((place, count) for place, count in counts.items() if count > 0)
    whole = sum(count for _, count in held)
    return percentile.text("p99", _p99(held, whole), whole)


def _p99(held: list[tuple[int, int]], whole: int) -> float | None:
    """The upper bound of the bucket that holds it."""
    if not whole:
        return None
    upto = np.cumsum([count for _, count in held])
    place = held[int(np.searchsorted(upto, 0.99 * whole))][0]
    return float(2.0 ** (place / PER_OCTAVE))


def _rate(history: History) -> Tile:
    last, before = history.instants[-1], _before(history)
    time_s = last.time_s - before.time_s
    if time_s <= 0:
        return Tile("Done", units.NOTHING)
    begun = last.over + last.in_system - before.over - before.in_system
    done = units.rate((last.succeeded - before.succeeded) / time_s)
    return Tile("Done", done, f"of {units.rate(max(begun, 0) / time_s)} offered")


def _failed(moment: Moment, objectives: Sequence[ObjectiveState]) -> Tile:
    failed = moment.requests - moment.succeeded
    share = units.percent(failed / moment.requests) if moment.requests else units.NOTHING
    many = units.counted(moment.requests, "request")
    missed = {one.objective.name for one in objectives if one.state == NOT_MET}
    state = NOT_MET if "errors" in missed else ""
    return Tile("Failed", share if failed else "0", f"{units.count(failed)} of {many}", state)


def _left(run: WatchedRun, history: History) -> Tile:
    time_s = history.end_s
    if run.end_s:
        left = max(run.end_s - time_s, 0.0)
        return Tile("Time left", units.seconds(round(left), 3), f"of {units.seconds(run.end_s)}")
    if run.requests:
        over = history.instants[-1].over
        words = f"of {units.counted(run.requests, 'request')}"
        return Tile("Left", units.count(max(run.requests - over, 0)), words)
    return Tile("Time so far", units.seconds(time_s, 2), "its end is not known")


def _before(history: History) -> Instant:
    """The last instant before the stretch; the begin in a younger run."""
    end_s = history.end_s
    older = [one for one in history.instants if one.time_s <= end_s - LAST_S + 1e-9]
    return older[-1] if older else Instant(0.0, 0, 0, 0, 0)
