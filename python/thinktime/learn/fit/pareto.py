"""Pareto laws, without and with an upper bound.

Sources: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 20; Harchol-Balter, 'Performance Modeling and Design of Computer Systems' (2013),
chapter 20. The least value of n lies about scale / (n shape) above the scale.
"""

from __future__ import annotations

import math
from typing import ClassVar

from thinktime.learn.fit.family import Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations

SHAPE: Range = (1e-3, 1e3)


class Pareto(Family):
    """``pareto(shape=, scale=)``: P(X > x) = (scale / x)^shape from the scale on."""

    name = "pareto"
    parameters: ClassVar[tuple[str, ...]] = ("shape", "scale")
    free = 2

    def mean(self, p: Parameters) -> float:
        return p[0] / (p[0] - 1) * p[1] if p[0] > 1 else math.inf

    def quantile(self, u: float, p: Parameters) -> float:
        return math.exp(min(math.log(p[1]) - math.log1p(-u) / p[0], 690.0))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"pareto(shape={p[0]:.6g}, scale={written(p[1], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        low, high = seen.least_range()
        scale = (low + high) / 2
        return [[starting_shape(seen, scale), scale]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [SHAPE, seen.least_range()]


class BoundedPareto(Family):
    """``bounded_pareto(shape=, lo=, hi=)``: a Pareto value given that it is at most hi."""

    name = "bounded_pareto"
    parameters = ("shape", "lo", "hi")
    free = 3

    def mean(self, p: Parameters) -> float:
        return float(self.clipped_mean([p[2]], p)[0])

    def quantile(self, u: float, p: Parameters) -> float:
        kept = -math.expm1(-p[0] * math.log(p[2] / p[1]))
        return p[1] * math.exp(-math.log1p(-u * kept) / p[0])

    def notation(self, p: Parameters, unit: str) -> str:
        low, high = written(p[1], unit), written(p[2], unit)
        return f"bounded_pareto(shape={p[0]:.6g}, lo={low}, hi={high})"

    def starts(self, seen: Observations) -> list[list[float]]:
        low, high = (sum(pair) / 2 for pair in (seen.least_range(), seen.largest_range()))
        return [[starting_shape(seen, low), low, high]]

    def ranges(self, seen: Observations) -> list[Range]:
        low, high = seen.least_range(), seen.largest_range()
        between = (low[1] + max(high[0], low[1])) / 2
        return [SHAPE, (low[0], min(low[1], between)), (max(high[0], between), high[1])]


def starting_shape(seen: Observations, scale: float) -> float:
    """Hill's estimate of the shape with the given scale, within 0.05 to 100."""
    return 1 / min(max(seen.log_mean - math.log(max(scale, 1e-300)), 0.01), 20.0)
