"""Laws of whole numbers, of which a session has at least 1.

Source: Johnson, Kemp and Kotz, 'Univariate Discrete Distributions' (2005), chapters 4 and 5.
"""

from __future__ import annotations

import math

from thinktime.learn.fit.family import Family, Parameters, Range
from thinktime.learn.fit.observations import Observations


class Geometric(Family):
    """``geometric(MEAN)`` on 1, 2, ...: P(X > k) = (1 - 1 / mean)^k."""

    name = "geometric"
    parameters = ("mean",)
    free = 1
    whole_only = True

    def quantile(self, u: float, p: Parameters) -> float:
        rate = math.log1p(-1 / p[0]) if p[0] > 1 else -690.0
        return max(1.0, math.ceil(math.log1p(-u) / rate - 1e-9))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"geometric({max(p[0], 1.0):.6g})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[max(seen.mean, 1.001)]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [(1.0, 1e12)]


class Poisson(Family):
    """``poisson(MEAN)`` on 0, 1, ...; a session of 0 requests becomes one of 1."""

    name = "poisson"
    parameters = ("mean",)
    free = 1
    whole_only = True

    def quantile(self, u: float, p: Parameters) -> float:
        return float(round(super().quantile(u, p)))  # the search ends at the step

    def notation(self, p: Parameters, unit: str) -> str:
        return f"poisson({p[0]:.6g})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[max(seen.mean, 0.1)]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [(0.0, 1e12)]
