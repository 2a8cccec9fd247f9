"""The checks of validity during a simulation, on its data so far.

It reports the number of finished requests and the number in the system, but no response times. By
Little's law the number in the system stands for these: at one rate, if one stays at a level, so
does the other. The end of its warm-up is reported only at the end, so the first quarter of the time
so far is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from thinktime._core import Workload
from thinktime.monitor.checks import InterimEvidence
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.history import History, Instant
from thinktime.present import units
from thinktime.results.finding import NoData
from thinktime.validity import UNSEEN, Finding, counts, load, percentiles, steadiness, warm_up
from thinktime.validity.evidence import Evidence
from thinktime.validity.stretches import LEAST, PARTS

if TYPE_CHECKING:
    from thinktime._core_types import Summary

LEFT_OUT = 0.25
"""The share of the time so far, at its beginning."""

_AT_THE_END = "a simulation reports its response times at its end"


def findings(history: History, run: WatchedRun) -> list[Finding]:
    """The checks' findings about a simulation so far."""
    names = (load.NAME, warm_up.NAME, steadiness.NAME)
    later = [Finding(name, UNSEEN, _AT_THE_END) for name in (counts.NAME, percentiles.NAME)]
    if run.replications > 1:
        why = "replications run beside one another, and are checked when they are over"
        return [*(Finding(name, UNSEEN, why) for name in names), *later]
    kept = _kept(history)
    found = []
    for name, check in zip(names, (_load, _filling, _steady), strict=True):
        try:
            one = check(kept, run)
        except NoData as why:
            one = Finding(name, UNSEEN, str(why))
        found += [] if one is None else [one]
    return [*found, *later]


def _kept(history: History) -> list[Instant]:
    """The instants in use: each ends an interval, except the first."""
    return [one for one in history.instants if one.time_s >= LEFT_OUT * history.end_s]


def _load(kept: list[Instant], run: WatchedRun) -> Finding | None:
    if run.checks is None:
        raise NoData("the workload's rate is known at the end")
    if run.checks.model not in ("open", "closed") and run.checks.session_length is None:
        raise NoData("the number of requests of a session is known at the end")
    return load.check(_evidence(kept, run))


def _filling(kept: list[Instant], run: WatchedRun) -> Finding | None:
    return warm_up.check(_evidence(kept, run))


def _steady(kept: list[Instant], run: WatchedRun) -> Finding | None:
    if not run.steady:
        raise NoData("the workload's rate is to change over time")
    _many_enough(kept)
    looked, times_s = _parted(kept)
    return steadiness.judged(looked, times_s, "number of requests in the system", units.number)


def _parted(kept: list[Instant]) -> tuple[np.ndarray, np.ndarray]:
    """The mean number in the system in up to twenty parts, and the beginning of each."""
    intervals = kept[1:]
    each = max(len(intervals) // PARTS, 1)
    used = intervals[len(intervals) % each :]
    used = used[-PARTS * each :]
    numbers = [one.in_system if one.mean is None else one.mean for one in used]
    begins = [one.time_s for one in kept[-len(used) - 1 : -1]]
    return np.reshape(numbers, (-1, each)).mean(axis=1), np.array(begins)[::each]


def _many_enough(kept: list[Instant]) -> None:
    """Raise NoData before there are enough intervals."""
    if len(kept) <= LEAST:
        # Whatever the length of the simulated time is by then.
        raise NoData("it was checked too few times so far, once a second")


def _evidence(kept: list[Instant], run: WatchedRun) -> Evidence:
    import polars as pl

    _many_enough(kept)
    times = np.array([one.time_s for one in kept])
    over = np.array([float(one.over) for one in kept])
    came = over + np.array([float(one.in_system) for one in kept])
    lengths = np.diff(times)
    if not (lengths > 0).all():
        raise NoData("its time stands still")
    # Intervals of one length, as in a result.
    edges = np.linspace(times[0], times[-1], len(times))
    scheduled, completed = (np.diff(np.interp(edges, times, one)) for one in (came, over))
    series = pl.DataFrame(
        {
            "start_s": edges[:-1],
            "interval_s": np.diff(edges),
            "scheduled": scheduled,
            "completed": completed,
            "response_mean_s": np.zeros(len(scheduled)),
            "in_system": [float(one.in_system) for one in kept[1:]],
        }
    )
    length_s = float(times[-1] - times[0])
    summary = {
        "warmup_s": float(times[0]),
        "duration_s": length_s,
        "requests": int(over[-1] - over[0]),
        "model": None if run.checks is None else run.checks.model,
        "offered_rate": float(came[-1] - came[0]) / length_s,
    }
    so_far, known = cast("Summary", summary), cast("Workload", run.checks)
    return InterimEvidence("simulate", so_far, known, given_series=series, run=run)
