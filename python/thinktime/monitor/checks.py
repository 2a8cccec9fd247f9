"""The checks of validity during a run, on its data so far.

Those that need every row are left to the end. Of lateness only the p99 is known so far. The
interval of the mean comes from twenty parts of the time.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from thinktime.monitor.buckets import PER_OCTAVE
from thinktime.operations.run_progress import Moment
from thinktime.present import units
from thinktime.results import independent_requests
from thinktime.results.finding import NoData
from thinktime.validity import (
    DOUBTFUL,
    FINE,
    UNSEEN,
    Finding,
    counts,
    generator,
    load,
    percentiles,
    punctuality,
    steadiness,
    warm_up,
)
from thinktime.validity.evidence import Evidence
from thinktime.validity.session_length import Stay

if TYPE_CHECKING:
    import polars as pl

    from thinktime._core import Workload
    from thinktime._core_types import ArrivalsTable, Summary
    from thinktime.monitor.frames import WatchedRun
    from thinktime.monitor.history import History

_PARTS = 20
_STUDENT = 2.093
"""Student's t with 19 degrees of freedom, for 95 %."""

_FEWEST = 10
"""With fewer intervals a rate is too uncertain."""

_NS = 1e9
_LOOK_S = 1.0
"""Shares of shorter times are too uncertain: the kernel counts by its ticks."""


@dataclass
class InterimEvidence(Evidence):
    """The facts before the end. The watchers' process has no workload, only a message about it."""

    run: WatchedRun | None = None

    @property
    def is_steady_by_plan(self) -> bool:
        """As reported at the beginning of the run."""
        return self.run is None or self.run.steady

    @property
    def arrivals(self) -> list[ArrivalsTable]:
        """As reported at the beginning of the run."""
        known_run = None if self.run is None else self.run.checks
        return [] if known_run is None else list(known_run.arrivals)

    @property
    def page_companions(self) -> float:
        """As reported at the beginning of the run."""
        known_run = None if self.run is None else self.run.checks
        return 1.0 if known_run is None else known_run.page_companions

    @property
    def stays(self) -> tuple[Stay, ...]:
        """As reported at the beginning of the run."""
        known_run = None if self.run is None else self.run.checks
        return () if known_run is None else known_run.stays


def _punctual(seen: Evidence) -> Finding | None:
    """The conclusion from the p99 of lateness about its mean.

    A mean within its bound has a p99 below a hundred times it. If the p99 is already below that
    bound, hardly any request is later.
    """
    p99, mean_s = (seen.summary.get("lateness_s") or {}).get("p99"), seen.mean_s
    if p99 is None or not mean_s:
        raise NoData("no request succeeded")
    bound = max(punctuality.NOTED * mean_s, punctuality.RESOLUTION_S)
    words = f"the p99 of lateness is {units.seconds(p99)}, at a mean response time of "
    words += units.seconds(mean_s)
    if p99 > min(100 * bound, max(mean_s, bound)):
        return Finding(punctuality.NAME, DOUBTFUL, words, punctuality.ADVICE)
    if p99 <= bound:
        return Finding(punctuality.NAME, FINE, words)
    raise NoData(f"{words}: the mean is known at the end")


def _load(seen: Evidence) -> Finding | None:
    known_run = cast("InterimEvidence", seen).run
    known = None if known_run is None else known_run.checks
    if known is None or seen.given_series is None or len(seen.given_series) < _FEWEST:
        raise NoData("the time is too short so far")
    if known.model not in ("open", "closed") and known.session_length is None:
        raise NoData("the number of requests of a session is known at the end")
    return load.check(seen)


def _percentiles(seen: Evidence) -> Finding | None:
    if seen.summary[independent_requests.KEY] is None:
        raise NoData("the time is too short so far")
    return percentiles.check(seen)


_CHECKS: tuple[tuple[str, Callable[[Evidence], Finding | None]], ...] = (
    (generator.NAME, generator.check),
    (punctuality.NAME, _punctual),
    (load.NAME, _load),
    (warm_up.NAME, warm_up.check),
    (steadiness.NAME, steadiness.check),
    (counts.NAME, counts.check),
    (percentiles.NAME, _percentiles),
)
"""The checks, in the order of a report."""


@dataclass
class Cores:
    """The use of cores by a process's threads, from the kernel's counts."""

    process: int | None
    at_start: dict[str, tuple[int, int]] = field(default_factory=dict)
    since_s: float = 0.0

    def look(self, time_s: float) -> dict[str, float] | None:
        """The shares of the busiest thread since the first look: of a core, and without one.

        None before a second is over, and if the kernel keeps no such counts.
        """
        now = self._threads()
        if not now:
            return None
        if not self.at_start or time_s < self.since_s:  # another run of several
            self.at_start, self.since_s = now, time_s
        span_s = time_s - self.since_s
        if span_s < _LOOK_S:
            return None
        used = [
            tuple(end - start for end, start in zip(one, self.at_start[name], strict=True))
            for name, one in now.items()
            if name in self.at_start
        ]
        ran, waited = max(used, default=(0, 0))
        return {
            "cpu_share": min(ran / _NS / span_s, 1.0),
            "without_core_share": min(waited / _NS / span_s, 1.0),
        }

    def _threads(self) -> dict[str, tuple[int, int]]:
        """Nanoseconds on a core, and ready without one, of each thread."""
        found = {}
        try:
            for thread in os.listdir(f"/proc/{self.process}/task"):
                text = Path(f"/proc/{self.process}/task/{thread}/schedstat").read_text()
                ran, waited, _ = text.split()
                found[thread] = int(ran), int(waited)
        except (OSError, ValueError):  # it has ended, or the counts are missing
            return {}
        return found


def findings(seen: Evidence) -> list[Finding]:
    """The findings of the checks about a run so far."""
    found = []
    for name, check in _CHECKS:
        try:
            one = check(seen)
        except NoData as why:
            one = Finding(name, UNSEEN, str(why))
        if one is not None:
            found.append(one)
    return found


def evidence(
    history: History, moment: Moment, used: dict[str, float] | None, run: WatchedRun
) -> Evidence:
    """The facts about a run at a moment: `used` is its use of cores, None if unknown."""
    begin_s, series = history.measured()
    # The wait after the beginning of the last request does not belong to the run.
    end_s = min(history.end_s, run.end_s or math.inf)
    since = None if series is None else _within(series, begin_s, end_s)
    many = sum(count for _, count in moment.response_buckets)
    failed = moment.requests - moment.succeeded
    again = max(sum(moment.errors.values()) - failed, 0)  # attempts that were not the last
    summary: dict[str, Any] = {
        "warmup_s": begin_s,
        "duration_s": max(end_s - begin_s, 0.0),
        "requests": many + failed,
        "errors": failed,
        "retries": again,
        "errors_by_kind": moment.errors,
        "response_time_s": {
            "mean": moment.response_sum_s / many if many else None, "ci95": _half_width(since),
        },
        "lateness_s": {"p99": moment.lateness_p99_s},
        "generator": used,
        "model": None if run.checks is None else run.checks.model,
        "offered_rate": _begun_a_second(since),
    }  # fmt: skip
    bins = [(2.0 ** (place / PER_OCTAVE), count) for place, count in moment.response_buckets]
    summary[independent_requests.KEY] = independent_requests.counted(summary, bins)
    so_far, known = cast("Summary", summary), cast("Workload", run.checks)
    return InterimEvidence("run", so_far, known, given_series=series, run=run)


def _within(series: pl.DataFrame, begin_s: float, end_s: float) -> pl.DataFrame:
    """The intervals that lie between two times."""
    ends = series["start_s"] + series["interval_s"]
    return series.filter((series["start_s"] >= begin_s - 1e-9) & (ends <= end_s + 1e-9))


def _begun_a_second(series: pl.DataFrame | None) -> float | None:
    if series is None:
        return None
    length = float(series["interval_s"].sum())
    return float(series["scheduled"].sum()) / length if length else None


def _half_width(series: pl.DataFrame | None) -> float | None:
    """The half-width of the mean's 95 % interval, from twenty parts of the time, or None."""
    if series is None or len(series) < _PARTS:
        return None
    many, means = (series[name].to_numpy() for name in ("completed", "response_mean_s"))
    places = np.array_split(np.arange(len(many)), _PARTS)
    counted = np.array([many[part].sum() for part in places])
    sums = np.array([(many * means)[part].sum() for part in places])
    if counted.min() <= 0:
        return None
    # The error of a ratio of sums, to first order.
    apart = (sums - sums.sum() / counted.sum() * counted) / counted.mean()
    return _STUDENT * float(apart.std(ddof=1)) / math.sqrt(_PARTS)
