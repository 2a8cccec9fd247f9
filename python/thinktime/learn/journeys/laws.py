"""Laws of counts and of sizes in the notation of workload files, with the means of the log."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime import Distribution
from thinktime.learn.fit import Fit, Tally, fit
from thinktime.learn.fit.empirical_law import outcomes

NEAR = 0.01
"""A law is written if its mean is this near to that of the values, or..."""

ERRORS, NEAR_MOST = 2.0, 0.05
"""...within this many standard errors, and at most off by this share."""


def counts_law(counts: ArrayLike, weights: ArrayLike | None = None) -> str:
    """The law of whole numbers, or the numbers themselves with their shares."""
    row = np.asarray(counts, dtype=np.float64)
    weight = np.ones(len(row)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(row):
        return "0"
    if row.min() >= 1 and row.max() > row.min():
        points, place = np.unique(row, return_inverse=True)
        best = _best(tuple(points.tolist()), tuple(np.bincount(place, weight).tolist()))
        if best and best.plausible and _near(best.mean, row, weight):
            return best.notation
    return outcomes(row, weight)


def _near(mean: float, row: NDArray[np.float64], weight: NDArray[np.float64]) -> bool:
    """Whether this is the values' mean, within the chance that a few very large ones have."""
    total = float(weight.sum())
    own = float(row @ weight) / total
    error = math.sqrt(float((row - own) ** 2 @ weight)) / total
    return abs(mean - own) <= max(NEAR * own, min(ERRORS * error, NEAR_MOST * own))


@lru_cache(maxsize=8)
def _best(points: tuple[float, ...], counts: tuple[float, ...]) -> Fit | None:
    """The best law of whole numbers, cached: replayed starts use the same ones again."""
    at = np.array(points)
    found = fit(Tally(at, at, np.array(counts, np.float64), whole=True, unit=""))
    return found[0] if found else None


def bounded(best: Fit, limit_s: float) -> str:
    """A law of times, cut off at the longest time that could be observed."""
    beyond = 1 - float(best.cdf(limit_s)[0])
    if beyond < 1e-6:
        return best.notation
    return f"truncated({best.notation}, lo=0s, hi={limit_s:g}s)"


def mean_of(notation: str) -> float:
    """The mean of a law by its notation."""
    mean = Distribution(notation).mean
    return float(mean) if mean is not None else math.inf
