"""The figures of a run that are seen at one glance: its objectives, its last seconds, its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.monitor.buckets import PER_OCTAVE
from thinktime.monitor.history import History, Instant
from thinktime.operations.moment import Moment, ObjectiveMoment
from thinktime.present import percentile, units
from thinktime.present.page import Tile
from thinktime.report.objectives import name_of

if TYPE_CHECKING:
    from thinktime.monitor.frames import WatchedRun

LAST_S = 10.0
"""The length of the last stretch in seconds."""


def tiles_of(run: WatchedRun, history: History, moment: Moment) -> list[Tile]:
    """Five of them, in the order in which they matter."""
    return [
        _objectives(moment),
        _last_p99(history, moment),
        _rate(history),
        _failed(moment),
        _left(run, history),
    ]


def _objectives(moment: Moment) -> Tile:
    """The objective that is beyond its limit, else the first."""
    known = moment.objectives
    if not known:
        return Tile("Objective", units.NOTHING, "the workload has none")
    shown = next((one for one in known if one.beyond), known[0])
    state = state_of(moment)
    value = {"not met": "Not met", "met": "Met so far"}.get(state, "Not known yet")
    return Tile("Objective", value, _objective_words(shown, moment), state)


def state_of(moment: Moment) -> str:
    """Whether the objectives are met so far; empty before all of them are known."""
    known = moment.objectives
    if any(one.beyond for one in known):
        return "not met"
    return "met" if known and all(_value(one, moment) is not None for one in known) else ""


def _value(one: ObjectiveMoment, moment: Moment) -> float | None:
    """What was found so far; None if too few requests bound it."""
    return percentile.known(one.name, one.value, moment.measured_about(one))


def _objective_words(one: ObjectiveMoment, moment: Moment) -> str:
    text = units.percent if one.name == "errors" else units.seconds
    value = _value(one, moment)
    found = units.NOTHING if value is None else text(value)
    return f"{name_of(one)} {found}, {text(one.limit)} or less"


def _last_p99(history: History, moment: Moment) -> Tile:
    """Of the last stretch; a percentile since the start hides a change."""
    last, before = history.instants[-1], _before(history)
    counts = dict(last.buckets)
    for place, count in before.buckets:
        counts[place] = counts.get(place, 0) - count
    held = sorted((place, count) for place, count in counts.items() if count > 0)
    whole = sum(count for _, count in held)
    title = f"p99 of the last {units.seconds(last.time_s - before.time_s, 2)}"
    value = percentile.text("p99", _p99(held, whole), whole)
    of_run = percentile.text("p99", moment.response_p99_s, moment.measured)
    return Tile(title, value, f"{of_run} since the start")


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


def _failed(moment: Moment) -> Tile:
    failed = moment.requests - moment.succeeded
    share = units.percent(failed / moment.requests) if moment.requests else units.NOTHING
    many = units.counted(moment.requests, "request")
    beyond = any(one.name == "errors" and one.beyond for one in moment.objectives)
    state = "not met" if beyond else ""
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
