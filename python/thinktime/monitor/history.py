"""The messages so far, in bounded memory, as the series of a result.

Counts are cumulative, so a missing moment does no harm: the difference of two others covers it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    import polars as pl

MOMENTS_MAX = 1200
"""Beyond this number, the later one of each two neighbours stays, with the greater values of
both."""

INTERVALS_MAX = 300
"""The number of drawn intervals: their length is doubled until no more are needed."""


@dataclass(frozen=True)
class Instant:
    """The counts at one time."""

    time_s: float
    over: int
    succeeded: int
    in_system: int
    most: int
    """The greatest number in the system since the instant before."""

    buckets: tuple[tuple[int, int], ...] = ()
    """Response times: places of buckets, and the count of each."""

    sum_s: float = 0.0
    """Their sum."""

    first_events: tuple[tuple[int, int], ...] = ()
    """Times to first events of streamed responses, as `buckets`."""

    mean: float | None = None
    """The mean number in the system since the instant before, if there were looks between."""

    @property
    def measured(self) -> int:
        """The number of response times."""
        return sum(count for _, count in self.buckets)


@dataclass
class History:
    """The instants of a run or a simulation."""

    instants: list[Instant] = field(default_factory=list)

    def take(self, instant: Instant) -> None:
        """Add an instant. If time begins anew, as after a pilot run, so does the history."""
        if self.instants and instant.time_s < self.instants[-1].time_s:
            self.instants.clear()
        self.instants.append(instant)
        if len(self.instants) > MOMENTS_MAX:
            self.instants = _joined(self.instants)

    @property
    def end_s(self) -> float:
        """The time of the last instant."""
        return self.instants[-1].time_s if self.instants else 0.0

    @property
    def interval_s(self) -> float:
        """The length of intervals: a round number of seconds, or less in a short simulation."""
        interval = 1.0
        while self.end_s / interval > INTERVALS_MAX:
            interval *= 2
        while 0 < self.end_s / interval < 4 and interval > 1e-9:
            interval /= 10
        return max(interval, self._apart_s)

    @property
    def _apart_s(self) -> float:
        """The distance of instants, rounded up: shorter intervals have no data."""
        times = np.array([0.0, *(one.time_s for one in self.instants)])
        apart = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
        scale = 10.0 ** math.ceil(math.log10(apart)) if apart > 0 else 0.0
        fits = (scale * part for part in (0.1, 0.2, 0.5, 1.0))
        return next((one for one in fits if one >= 0.8 * apart), 0.0)

    @property
    def edges_s(self) -> FloatArray:
        """The bounds of the finished intervals."""
        whole = int(self.end_s / self.interval_s + 1e-9) if self.interval_s > 0 else 0
        return np.linspace(0.0, whole * self.interval_s, whole + 1)

    def series(self) -> pl.DataFrame | None:
        """As `Result.series`; None before an interval is over."""
        import polars as pl

        edges = self.edges_s
        if len(edges) < 2:
            return None
        over = self._at(edges, [one.over for one in self.instants])
        done = self._at(edges, [one.succeeded for one in self.instants])
        inside = self._at(edges, [one.in_system for one in self.instants])
        begun = np.maximum.accumulate(over + inside)
        return pl.DataFrame(
            {
                "start_s": edges[:-1],
                "interval_s": np.full(len(edges) - 1, self.interval_s),
                "scheduled": np.diff(begun),
                "completed": np.diff(done),
                "failed": np.diff(over - done),
                "in_system": self._most(edges),
            }
        )

    def measured(self) -> tuple[float, pl.DataFrame | None]:
        """The beginning of the measurement, and the intervals since, for checks of validity.

        None before an interval is over. The number in the system is that at the ends of intervals.
        """
        import polars as pl

        quiet = [one.time_s for one in self.instants if not one.buckets]
        begin_s, edges = max(quiet, default=0.0), self.edges_s
        if len(edges) < 2:
            return begin_s, None
        many = np.diff(self._at(edges, [one.measured for one in self.instants]))
        times = np.diff(self._at(edges, [one.sum_s for one in self.instants]))
        inside = self._at(edges, [one.in_system for one in self.instants])
        begun = self._at(edges, [one.over for one in self.instants]) + inside
        columns = {
            "start_s": edges[:-1],
            "interval_s": np.full(len(many), self.interval_s),
            "scheduled": np.diff(begun),
            "completed": many,
            "response_mean_s": times / np.maximum(many, 1e-9),
            "in_system": inside[1:],
        }
        return begin_s, pl.DataFrame(columns)

    def bucket_counts(self) -> tuple[list[int], FloatArray] | None:
        """The buckets that hold anything, rising, and counts: rows are intervals."""
        edges = self.edges_s
        places = sorted({place for one in self.instants[-1:] for place, _ in one.buckets})
        if len(edges) < 2 or not places:
            return None
        held = [dict(one.buckets) for one in self.instants]
        columns = [self._at(edges, [one.get(place, 0) for one in held]) for place in places]
        return places, np.diff(np.column_stack(columns), axis=0)

    def _at(self, times_s: FloatArray, counts: Sequence[float]) -> FloatArray:
        """Counts at some times, interpolated between instants."""
        known = np.array([0.0, *(one.time_s for one in self.instants)])
        found: FloatArray = np.interp(times_s, known, np.array([0, *counts], dtype=float))
        return found

    def _most(self, edges: FloatArray) -> FloatArray:
        """The most in the system in each interval."""
        times = np.array([one.time_s for one in self.instants])
        most = np.array([max(one.most, one.in_system) for one in self.instants], dtype=float)
        inside = self._at(edges[1:], [one.in_system for one in self.instants])
        places = np.searchsorted(edges, times, side="left") - 1
        known = (places >= 0) & (places < len(inside))
        np.maximum.at(inside, places[known], most[known])
        return inside


def _joined(instants: list[Instant]) -> list[Instant]:
    kept = []
    for one, other in zip(instants[::2], instants[1::2], strict=False):
        mean = None if one.mean is None or other.mean is None else (one.mean + other.mean) / 2
        kept.append(replace(other, most=max(one.most, other.most), mean=mean))
    return kept + instants[len(kept) * 2 :]
