"""The times at which the sessions of a population came, as planned and as sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.validity.evidence import OF_POPULATION, THERE_AT_START, Evidence

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST = 100
"""Fewer sessions show nothing."""

LOOKED_AT = 20_000
"""The number of gaps that are tested, from all over the run: more would find differences that do
not matter."""

STRETCHES = 5
WINDOWS = 1000


def first_attempts(seen: Evidence) -> pl.LazyFrame:
    """The first attempt of the first request of every session that came during the run."""
    every = seen.rows
    import polars as pl

    return every.filter(
        (pl.col("request") == 0)
        & (pl.col("attempt") == 1)
        & (pl.col("session") % OF_POPULATION < THERE_AT_START)
    )


@dataclass(frozen=True)
class SessionArrivals:
    """The sessions of one population: times in seconds."""

    number: int
    end_s: float
    """The end of the run."""

    counts: NDArray[np.int64]
    """Counts in windows of equal length, with 10 sessions and more on average."""

    planned: list[Floats]
    """The planned times in some stretches of the run, in order."""

    sent: list[Floats]
    """The times of sending of the same sessions, in order."""


def came_of(rows: pl.LazyFrame, place: int, end_s: float) -> SessionArrivals:
    """The sessions of the population in this place, of the rows of first attempts."""
    import numpy as np
    import polars as pl

    own = rows.filter(pl.col("session") // OF_POPULATION == place)
    scheduled = pl.col("scheduled_ns")
    width = max(int(end_s * 1e9) // WINDOWS, 1)
    counted = own.group_by(scheduled // width).len().collect(engine="streaming")
    counts = np.zeros(WINDOWS, dtype=np.int64)
    inside = counted.filter(pl.col("scheduled_ns") < WINDOWS)
    counts[inside["scheduled_ns"].to_numpy()] = inside["len"].to_numpy()
    number = int(counts.sum())
    if number < LEAST:
        return SessionArrivals(number, end_s, counts, [], [])
    stretches = _stretches(int(end_s * 1e9), number)
    near = pl.any_horizontal(scheduled.is_between(begin, end) for begin, end in stretches)
    found = own.filter(near).select("scheduled_ns", "sent_ns").collect(engine="streaming")
    parts = [found.filter(scheduled.is_between(begin, end)) for begin, end in stretches]
    return SessionArrivals(
        number,
        end_s,
        counts.reshape(-1, _together(number)).sum(axis=1),
        [_seconds(one["scheduled_ns"]) for one in parts],
        [_seconds(one["sent_ns"]) for one in parts],
    )


def _together(number: int) -> int:
    """The number of windows to merge, so that each has 10 arrivals and more on average."""
    return next(n for n in (1, 2, 5, 10, 20, 50, 100) if number * n >= 10 * WINDOWS)


def _stretches(end_ns: int, number: int) -> list[tuple[int, int]]:
    """The stretches to test: the whole run, or some from all over it."""
    if number <= LOOKED_AT:
        return [(0, end_ns)]
    length = end_ns * LOOKED_AT // number // STRETCHES
    apart = (end_ns - length) // (STRETCHES - 1)
    return [(n * apart, n * apart + length) for n in range(STRETCHES)]


def _seconds(times_ns: pl.Series) -> Floats:
    """Times in order: rows are in the order in which attempts ended."""
    import numpy as np

    return np.asarray(np.sort(times_ns.drop_nulls().to_numpy()) * 1e-9)
