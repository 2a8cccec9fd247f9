"""A few values with their shares, in place of many values that no named law fits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 40
"""The largest number of outcomes."""

DIGITS = 6
"""The digits of shares."""


def outcomes(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    most: int = MOST,
    digits: int | None = None,
) -> str:
    """A few values with their shares, which keep the mean: ``discrete(0.5: 1, 0.5: 2)``.

    At most ``most`` groups of neighbours, written with ``digits`` after the point, or as whole
    numbers. There must be values; ``weights`` are their counts, once by default.
    """
    points, heavy = few(values, weights, most)
    if digits is None:
        points, heavy = _whole(points, heavy)
    shares = rounded_shares(heavy / heavy.sum(), DIGITS)
    pairs = [
        (s, round(float(v), digits or 0)) for s, v in zip(shares, points, strict=True) if s > 0
    ]
    if len(pairs) == 1:
        return f"{pairs[0][1]:.12g}"
    return f"discrete({', '.join(f'{share:.{DIGITS}f}: {value:.12g}' for share, value in pairs)})"


def few(
    values: ArrayLike, weights: ArrayLike | None, most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of groups of neighbours, and the weight of each; groups are at most ``most`` > 0.

    Groups are made equal half by the number of values, half by the sum of their squares: rare large
    values, behind which queues wait, are kept apart from usual ones.
    """
    row = np.asarray(values, dtype=np.float64)
    weight = np.ones(len(row)) if weights is None else np.asarray(weights, dtype=np.float64)
    points, place = np.unique(row, return_inverse=True)
    heavy: NDArray[np.float64] = np.bincount(place, weight).astype(np.float64)
    if len(points) <= most:
        return points, heavy
    middle = (_middles(heavy) + _middles(heavy * (points / points[-1]) ** 2)) / 2
    group = np.minimum((middle * most).astype(int), most - 1)
    total = np.bincount(group, heavy)
    means = np.bincount(group, heavy * points)[total > 0] / total[total > 0]
    return means, total[total > 0].astype(np.float64)


def _middles(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of all before the middle of each part."""
    return np.asarray((np.cumsum(parts) - parts / 2) / parts.sum())


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
    """Shares of this many digits that still sum to 1, by the largest remainders.

    A share above 0 stays above 0: no value becomes impossible.
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
