"""A lognormal tail beside a Pareto one, as a bend of the line that the Pareto tail is.

With y = ln(x / threshold), a lognormal tail has the density e^{-a y - b y²} up to a factor, with
b = 1 / (2 sigma²) >= 0, and the Pareto tail is b = 0 (`crates/log/src/fits/tail.rs`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime.learn.fit._pareto_tail import ParetoTail
from thinktime.learn.fit.family import FloatArray
from thinktime.learn.fit.simplex import least as least_of


@dataclass(frozen=True)
class LognormalTail:
    """The most likely lognormal tail."""

    gain: float
    """Its log-likelihood less that of the Pareto tail, 0 or above."""

    sigma: float
    """Infinite if the tail does not bend."""

    vuong: float
    """Vuong's statistic, of the Pareto tail against this one."""

    spread: float
    """The variance of y² that is not explained by y: the information of a value on b."""

    ks: float
    """The largest difference between the two distribution functions."""

    def noticed(self, total: float) -> float:
        """The largest sigma whose bend is three standard errors with this many values."""
        b = 3 / math.sqrt(max(total * self.spread, 1e-300))
        return math.sqrt(1 / (2 * b))


def bent(tail: ParetoTail) -> LognormalTail:
    """Fit a lognormal tail to the bins of a Pareto one."""
    count, total, bins = tail.count, tail.total, tail.bins
    lower, upper = tail.lower, tail.upper
    spread = _unexplained(np.where(np.isfinite(upper), (lower + upper) / 2, lower), count)
    best, least = (tail.shape, 0.0), -tail.log_likelihood
    scale = max(spread, 1e-12) ** -0.5

    def loss(free: FloatArray) -> float:
        found = -bins.log_likelihood(float(free[0]), _bend(free[1]))
        return found if math.isfinite(found) else 1e300

    for start in (0.01, 0.3):
        begin = np.array([tail.shape, math.log(start * scale)])
        at, found = least_of(loss, begin, turns=299)
        if found < least:
            best, least = (float(at[0]), _bend(at[1])), found
    difference = np.array(bins.logs(tail.shape, 0.0)) - np.array(bins.logs(*best))
    mean = float(count @ difference) / total
    deviation = math.sqrt(max(float(count @ (difference - mean) ** 2) / total, 0.0))
    return LognormalTail(
        gain=max(-mean * total, 0.0),
        sigma=math.sqrt(1 / (2 * best[1])) if best[1] > 0 else math.inf,
        vuong=math.sqrt(total) * mean / deviation if deviation > 1e-9 else 0.0,
        spread=spread,
        ks=bins.distance(*best),
    )


def _bend(logarithm: float) -> float:
    return math.exp(min(float(logarithm), 500.0))


def _unexplained(y: FloatArray, count: FloatArray) -> float:
    """The variance of y² about its regression on y."""
    share = count / count.sum()
    line, square = y - share @ y, y**2 - share @ y**2
    variance = float(share @ line**2)
    slope = float(share @ (line * square)) / variance if variance > 0 else 0.0
    return float(share @ (square - slope * line) ** 2)
