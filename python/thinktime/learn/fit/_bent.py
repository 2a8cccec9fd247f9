"""A lognormal tail beside a Pareto one, as a bend of the line that the Pareto tail is.

With y = ln(x / threshold), a lognormal tail has the density e^{-a y - b y²} up to a factor, with
b = 1 / (2 sigma²) >= 0, and the Pareto tail is b = 0. Its integral from y on is
M(y) = √(π / 4b) e^{-a y - b y²} erfcx((a + 2 b y) / (2 √b)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime._core import erfcx
from thinktime.learn.fit._straight import Straight, distance
from thinktime.learn.fit.family import FloatArray
from thinktime.learn.fit.observed import TINY
from thinktime.learn.fit.simplex import least as least_of


@dataclass(frozen=True)
class Bent:
    """The most likely lognormal tail."""

    gain: float
    """Its log-likelihood less that of the Pareto tail, 0 or above."""

    sigma: float
    """Infinite where the tail does not bend."""

    vuong: float
    """Vuong's statistic, of the Pareto tail against this one."""

    spread: float
    """The variance of y² that is not explained by y: the information of a value on b."""

    ks: float
    """The largest difference between the two distribution functions."""

    def noticed(self, total: float) -> float:
        """The largest sigma whose bend is three standard errors with so many values."""
        b = 3 / math.sqrt(max(total * self.spread, 1e-300))
        return math.sqrt(1 / (2 * b))


def bent(tail: Straight) -> Bent:
    """Fit a lognormal tail to the bins of a Pareto one."""
    count, total = tail.count, tail.total
    straight = _logs(tail, tail.shape, 0.0)
    lower, upper = tail.lower, tail.upper
    spread = _unexplained(np.where(np.isfinite(upper), (lower + upper) / 2, lower), count)
    best, least = (tail.shape, 0.0), -float(count @ straight)
    scale = max(spread, 1e-12) ** -0.5

    def loss(free: FloatArray) -> float:
        found = -float(count @ _logs(tail, free[0], _bend(free[1])))
        return found if math.isfinite(found) else 1e300

    for start in (0.01, 0.3):
        begin = np.array([tail.shape, math.log(start * scale)])
        at, found = least_of(loss, begin, turns=299)
        if found < least:
            best, least = (float(at[0]), _bend(at[1])), found
    difference = straight - _logs(tail, *best)
    mean = float(count @ difference) / total
    deviation = math.sqrt(max(float(count @ (difference - mean) ** 2) / total, 0.0))
    return Bent(
        gain=max(-mean * total, 0.0),
        sigma=math.sqrt(1 / (2 * best[1])) if best[1] > 0 else math.inf,
        vuong=math.sqrt(total) * mean / deviation if deviation > 1e-9 else 0.0,
        spread=spread,
        ks=distance(_upto(tail, lower, *best), _upto(tail, tail.bounds[1], *best), count),
    )


def _bend(logarithm: float) -> float:
    return math.exp(min(float(logarithm), 500.0))


def _upto(tail: Straight, y: FloatArray, a: float, b: float) -> FloatArray:
    """The distribution function of the lognormal tail."""
    with np.errstate(all="ignore"):
        beyond, ends = _beyond(y, a, b), _beyond(np.array([0.0, tail.span]), a, b)
        share = (ends[0] - beyond) / (ends[0] - ends[1])
    return np.asarray(np.fmin(np.fmax(share, 0.0), 1.0), dtype=np.float64)


def _logs(tail: Straight, a: float, b: float) -> FloatArray:
    """The logarithm of the probability of each bin."""
    with np.errstate(all="ignore"):
        first, last = (_beyond(y, a, b) for y in tail.bounds)
        ends = _beyond(np.array([0.0, tail.span]), a, b)
        mass = (first - last) / (ends[0] - ends[1])
    return np.asarray(np.log(np.fmax(mass, TINY)), dtype=np.float64)


def _beyond(y: FloatArray, a: float, b: float) -> FloatArray:
    """The integral of the density from y on, up to a factor."""
    if b < 1e-12:
        return np.exp(-a * y)
    finite = np.where(np.isfinite(y), y, 0.0)
    root = math.sqrt(b)
    scaled = np.array(erfcx(((a + 2 * b * finite) / (2 * root)).tolist()))
    found = np.exp(-a * finite - b * finite**2) * scaled
    return np.where(np.isfinite(y), found, 0.0)


def _unexplained(y: FloatArray, count: FloatArray) -> float:
    """The variance of y² about its regression on y."""
    share = count / count.sum()
    line, square = y - share @ y, y**2 - share @ y**2
    variance = float(share @ line**2)
    slope = float(share @ (line * square)) / variance if variance > 0 else 0.0
    return float(share @ (square - slope * line) ** 2)
