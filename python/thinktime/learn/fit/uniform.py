"""The uniform law and the constant.

Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 2 (1995),
chapter 26. The extremes of n values lie about (hi - lo) / n within the bounds.
"""

from __future__ import annotations

from thinktime.learn.fit.family import Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations


class Uniform(Family):
    """``uniform(lo, hi)``: all values between two bounds are equally likely."""

    name = "uniform"
    parameters = ("lo", "hi")
    free = 2

    def mean(self, p: Parameters) -> float:
        return (p[0] + p[1]) / 2

    def quantile(self, u: float, p: Parameters) -> float:
        return p[0] + u * (p[1] - p[0])

    def notation(self, p: Parameters, unit: str) -> str:
        return f"uniform({written(p[0], unit)}, {written(p[1], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        low, high = self.ranges(seen)
        return [[sum(low) / 2, sum(high) / 2]]

    def ranges(self, seen: Observations) -> list[Range]:
        low, high = seen.least_range(), seen.largest_range()
        between = (low[1] + max(high[0], low[1])) / 2
        if len(seen.count) == 1:
            between = (low[0] + high[1]) / 2
        return [(low[0], min(low[1], between)), (max(high[0], between), high[1])]


class Constant(Family):
    """``const(VALUE)``: always the same value."""

    name = "const"
    parameters = ("value",)
    free = 1

    def quantile(self, u: float, p: Parameters) -> float:
        return p[0]

    def notation(self, p: Parameters, unit: str) -> str:
        return f"const({written(p[0], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return []

    def ranges(self, seen: Observations) -> list[Range]:
        return [seen.least_range()]

    def solved(self, seen: Observations) -> list[float] | None:
        if seen.tally.resolution > 0:
            # Two stamps differ by the value rounded down, or up with its fraction as probability.
            near = seen.last[-1] - seen.first[0] <= 1
            middle = seen.average((seen.first + seen.last) / 2)
            return [float(middle * seen.step)] if near else None
        return [float(seen.values[0])] if len(seen.count) == 1 else None
