"""Laws of counts and of sizes in the notation of workload files, with the means of the log."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime import Distribution
from thinktime.learn.fit import Fit, Tally, fit

NEAR = 0.01
"""A law is written where its mean is this near to that of the values."""

OUTCOMES_MAX = 40
"""Where no law fits, so many outcomes stand for the values at most."""


def counts_law(counts: ArrayLike, weights: ArrayLike | None = None) -> str:
    """The law of whole numbers, or the numbers themselves with their shares."""
    row = np.asarray(counts, dtype=np.float64)
    weight = np.ones(len(row)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(row):
        return "0"
    if row.min() >= 1 and row.max() > row.min():
        points, place = np.unique(row, return_inverse=True)
        best = _best(tuple(points.tolist()), tuple(np.bincount(place, weight).tolist()))
        mean = float(row @ weight / weight.sum())
        if best and best.plausible and abs(best.mean - mean) <= NEAR * mean:
            return best.notation
    return outcomes(row, weight)


@lru_cache(maxsize=8)
def _best(points: tuple[float, ...], counts: tuple[float, ...]) -> Fit | None:
    """The best law of whole numbers; the same ones come again where starts are replayed."""
    at = np.array(points)
    found = fit(Tally(at, at, np.array(counts, np.float64), whole=True, unit=""))
    return found[0] if found else None


def outcomes(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    most: int = OUTCOMES_MAX,
    digits: int | None = None,
) -> str:
    """A few values with their shares, which keep the mean: ``discrete(0.5: 1, 0.5: 2)``.

    At most ``most`` groups, of whole numbers or of values with so many ``digits``.
    """
    row = np.asarray(values, dtype=np.float64)
    weight = np.ones(len(row)) if weights is None else np.asarray(weights, dtype=np.float64)
    points, place = np.unique(row, return_inverse=True)
    heavy: NDArray[np.float64] = np.bincount(place, weight).astype(np.float64)
    if len(points) > most:
        middle = (np.cumsum(heavy) - heavy / 2) / heavy.sum()
        group = np.minimum((middle * most).astype(int), most - 1)
        total = np.bincount(group, heavy)
        points = np.bincount(group, heavy * points)[total > 0] / total[total > 0]
        heavy = total[total > 0].astype(np.float64)
        if digits is None:
            points, heavy = _whole(points, heavy)
    shares = rounded_shares(heavy / heavy.sum(), 6)
    pairs = [
        (s, round(float(v), digits or 0)) for s, v in zip(shares, points, strict=True) if s > 0
    ]
    if len(pairs) == 1:
        return f"{pairs[0][1]:.12g}"
    return f"discrete({', '.join(f'{share:.6f}: {value:.12g}' for share, value in pairs)})"


def _whole(
    points: NDArray[np.float64], heavy: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each value as the two whole numbers beside it, which keeps the mean."""
    low = np.floor(points)
    share = points - low
    both, place = np.unique(np.concatenate([low, low + 1]), return_inverse=True)
    weight = np.bincount(place, np.concatenate([heavy * (1 - share), heavy * share]))
    return both[weight > 0], weight[weight > 0].astype(np.float64)


def rounded_shares(shares: ArrayLike, digits: int) -> NDArray[np.float64]:
    """Shares of so many digits that still sum to 1, by the largest remainders.

    What is above 0 stays so: nothing becomes impossible.
    """
    row = np.asarray(shares, dtype=np.float64)
    unit = 10**digits
    scaled = row / row.sum() * unit
    whole = np.where(row > 0, np.maximum(np.floor(scaled), 1), 0)
    more = round(unit - whole.sum())
    if more > 0:
        whole[np.argsort(-(scaled - whole), kind="stable")[:more]] += 1
    else:
        whole[np.argmax(whole)] += more
    return np.asarray(whole / unit)


def bounded(best: Fit, limit_s: float) -> str:
    """A law of times, cut off where nothing longer could be seen."""
    beyond = 1 - float(best.cdf(limit_s)[0])
    if beyond < 1e-6:
        return best.notation
    return f"truncated({best.notation}, lo=0s, hi={limit_s:g}s)"


def mean_of(notation: str) -> float:
    """The mean of a law by its notation."""
    mean = Distribution(notation).mean
    return float(mean) if mean is not None else math.inf
