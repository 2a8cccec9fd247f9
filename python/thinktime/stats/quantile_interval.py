"""A confidence interval of a quantile whose ends are two values of the sorted sample.

Source: Le Boudec, 'Performance Evaluation of Computer and Communication Systems' (2010),
section 2.2; David and Nagaraja, 'Order Statistics' (2003), section 7.1.

The number of values below the p-quantile is binomial (n, p), whatever the law, if the values are
independent. Successive response times of a busy server are not: take them far enough apart, see
`thinktime.stats.lag_correlation`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from thinktime.numerics import bdtr, ndtri
from thinktime.stats._samples import fraction, sample

Method = Literal["exact", "normal", "extremes"]
_METHODS = ("exact", "normal", "extremes")


@dataclass(frozen=True)
class QuantileInterval:
    """An interval that holds the quantile with at least the wanted probability."""

    lower: float
    upper: float
    lower_rank: int
    """The ``lower``-th smallest value, counted from 1."""
    upper_rank: int
    coverage: float
    """The exact probability that the interval holds the quantile."""


def quantile_interval(
    samples: ArrayLike, p: float, confidence: float = 0.95, method: Method = "exact"
) -> QuantileInterval | None:
    """The interval of the p-quantile, 0 < p < 1; None if the sample is too small for it.

    - ``"exact"``: the narrowest ranks that leave at most (1 - confidence) / 2 on each side, by
      the binomial law;
    - ``"normal"``: ranks floor(n p - z sqrt(n p (1 - p))) and ceil(n p + z sqrt(...)) + 1;
    - ``"extremes"``: smallest and largest value, if they cover enough.

    Raises ValueError if p or the confidence lies outside, or values are not finite.
    """
    ordered = np.sort(sample(samples, 1))
    ranks = _ranks(len(ordered), fraction("p", p), fraction("confidence", confidence), method)
    if ranks is None:
        return None
    j, k = ranks
    coverage = _coverage(len(ordered), p, j, k)
    return QuantileInterval(float(ordered[j - 1]), float(ordered[k - 1]), j, k, coverage)


def minimum_samples(p: float, confidence: float = 0.95, method: Method = "exact") -> int:
    """The number of independent samples that `quantile_interval` needs for an interval.

    For p = 0.99 at 95 %: 368 exact, 563 normal, 299 for the extremes.

    Raises ValueError if p or the confidence lies outside.
    """
    fraction("p", p), fraction("confidence", confidence)
    most = 1
    while _ranks(most, p, confidence, method) is None:
        most *= 2
    least = most // 2  # the sample is too small or empty
    while most - least > 1:
        half = (least + most) // 2
        least, most = (half, most) if _ranks(half, p, confidence, method) is None else (least, half)
    return most


def _ranks(n: int, p: float, confidence: float, method: str) -> tuple[int, int] | None:
    if method not in _METHODS:
        raise ValueError(f"the method must be one of {', '.join(_METHODS)}; it is {method!r}")
    tail = (1 - confidence) / 2
    if method == "normal":
        spread = float(ndtri(1 - tail)) * math.sqrt(n * p * (1 - p))
        j, k = math.floor(n * p - spread), math.ceil(n * p + spread) + 1
    elif method == "exact":
        # P(below < j) <= tail and P(below >= k) <= tail.
        j = _least_below(tail, n, p)
        j += int(bdtr(j, n, p) <= tail)
        k = _least_below(1 - tail, n, p) + 1
    else:
        j, k = 1, n
        if _coverage(n, p, j, k) < confidence:
            return None
    return (j, k) if 1 <= j < k <= n else None


def _coverage(n: int, p: float, j: int, k: int) -> float:
    return float(bdtr(k - 1, n, p) - bdtr(j - 1, n, p))


def _least_below(probability: float, n: int, p: float) -> int:
    """The least number of values below the quantile not exceeded with this probability.

    scipy.stats has the same; it takes a second to import.
    """
    least, most = 0, n
    while least < most:
        half = (least + most) // 2
        least, most = (least, half) if bdtr(half, n, p) >= probability else (half + 1, most)
    return least
