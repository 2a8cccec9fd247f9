"""The burstiness of starts: counts by time, and variance over mean at several scales.

Source: Cox and Lewis, 'The Statistical Analysis of Series of Events' (1966), section 4.5: of a
Poisson process whose rate changes, counts in windows have variance over mean 1 + Var(m) / E(m),
where m is the expected count of a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.starts.coverage import Coverage, Times

WINDOWS_S = (1.0, 10.0, 60.0)
"""The scales of bursts: a second, ten seconds, a minute."""

WINDOWS_LEAST = 20
BINS_MAX = 1 << 21
WIDTHS_S = (1, 2, 5, 10, 30, 60, 300, 600, 3600)


@dataclass(frozen=True)
class Counts:
    """Starts by short steps of the log."""

    width_s: float
    """The length of a step."""

    starts: NDArray[np.int64]
    covered: Times
    """The covered seconds of each step."""

    @property
    def edges(self) -> Times:
        """Beginnings of the steps, and the end of the last, in seconds from the log's beginning."""
        return np.asarray(np.arange(len(self.starts) + 1) * self.width_s, dtype=np.float64)


def count(times_s: Times, covered: Coverage, resolution_s: float) -> Counts:
    """Count starts by the second, or by longer steps if stamps are coarser or the log is long.

    ``times_s`` are from the log's beginning, within its span.
    """
    fitting = [w for w in WIDTHS_S if w >= resolution_s and covered.span_s / w <= BINS_MAX]
    width = float(fitting[0] if fitting else max(resolution_s, covered.span_s / BINS_MAX))
    steps = max(int(np.ceil(covered.span_s / width)), 1)
    # In place: of millions of sessions each array takes tens of megabytes.
    at = np.empty(len(times_s), np.int64)
    np.divide(times_s, width, out=at, casting="unsafe")
    np.minimum(at, steps - 1, out=at)
    starts = np.bincount(at, minlength=steps).astype(np.int64)
    del at
    edges = np.arange(steps + 1) * width
    seconds = np.diff(covered.upto(edges))
    # A step with starts is not lost: spreading may move one across the edge of a lost part.
    return Counts(width, starts, np.where(starts > 0, np.maximum(seconds, 0.01 * width), seconds))


def sums(values: NDArray[Any], counts: Counts, window_s: float) -> Times | None:
    """Sums of ``values`` by steps, over each window that the log covers whole.

    None if the windows are shorter than the steps, or too few.
    """
    many = round(window_s / counts.width_s)
    windows = len(values) // many if many else 0
    if windows < WINDOWS_LEAST:
        return None
    whole = _each(counts.covered, windows, many) >= window_s * (1 - 1e-9)
    if whole.sum() < WINDOWS_LEAST:
        return None
    return np.asarray(_each(values, windows, many)[whole])


def _each(values: NDArray[Any], windows: int, many: int) -> Times:
    """The sum of each window of this many values."""
    if many == 1:
        return values.astype(np.float64)
    return np.add.reduceat(values[: windows * many], np.arange(windows) * many).astype(np.float64)


def index(counts: Counts, window_s: float) -> float | None:
    """Variance over mean of the starts in windows: 1 for a Poisson process of constant rate.

    None if the stamps are coarser than the windows, or there are fewer than `WINDOWS_LEAST`.
    """
    found = sums(counts.starts, counts, window_s)
    if found is None or found.mean() == 0:
        return None
    return float(found.var(ddof=1) / found.mean())


def index_of_poisson(rates: Times, counts: Counts, window_s: float) -> float | None:
    """The same for a Poisson process with these rates (a second) in the steps of ``counts``."""
    found = sums(rates * counts.width_s, counts, window_s)
    if found is None or found.mean() == 0:
        return None
    return float(1 + found.var(ddof=1) / found.mean())
