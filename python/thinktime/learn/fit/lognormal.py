"""The lognormal law, whole and cut off above.

Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 14.
"""

from __future__ import annotations

import math
from typing import ClassVar

from thinktime.learn.fit.family import REAL, Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations

SIGMA: Range = (1e-6, 20.0)
"""Values of a larger sigma would span more than 30 powers of ten."""


class Lognormal(Family):
    """``lognormal(mu=, sigma=)``: the logarithm of the value in base units is normal."""

    name = "lognormal"
    parameters: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    free = 2

    def mean(self, p: Parameters) -> float:
        return math.exp(min(p[0] + p[1] ** 2 / 2, 690.0))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"lognormal(mu={p[0]:.6g}, sigma={p[1]:.6g})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[seen.log_mean, seen.log_deviation]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [REAL, SIGMA]


class CutLognormal(Lognormal):
    """``truncated(lognormal(mu=, sigma=), hi=)``: a lognormal value given that it is at most hi."""

    name = "cut lognormal"
    parameters = ("mu", "sigma", "hi")
    free = 3

    def mean(self, p: Parameters) -> float:
        return float(self.clipped_mean([p[2]], p)[0])

    def notation(self, p: Parameters, unit: str) -> str:
        return f"truncated({super().notation(p, unit)}, hi={written(p[2], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[seen.log_mean, seen.log_deviation, seen.largest_range()[1]]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [REAL, SIGMA, seen.largest_range()]
