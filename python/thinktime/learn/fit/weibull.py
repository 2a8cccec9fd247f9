"""The Weibull law.

Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 21.
"""

from __future__ import annotations

import math

from thinktime.learn.fit.family import POSITIVE, Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations


class Weibull(Family):
    """``weibull(shape=, scale=)``: P(X > x) = e^{-(x / scale)^shape}."""

    name = "weibull"
    parameters = ("shape", "scale")
    free = 2

    def mean(self, p: Parameters) -> float:
        return p[1] * math.gamma(1 + 1 / p[0])

    def quantile(self, u: float, p: Parameters) -> float:
        return float(p[1] * (-math.log1p(-u)) ** (1 / p[0]))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"weibull(shape={p[0]:.6g}, scale={written(p[1], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        # The logarithm has the deviation π / (√6 shape) and the mean ln(scale) - 0.5772 / shape.
        shape = min(max(math.pi / (math.sqrt(6) * seen.log_deviation), 0.05), 500.0)
        return [[shape, math.exp(min(seen.log_mean + 0.5772 / shape, 690.0))]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [(0.02, 1e4), POSITIVE]
