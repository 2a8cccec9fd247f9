"""Exponential and hyperexponential laws, of one and of two phases.

Sources: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 19; balanced means as in Allen, 'Probability, Statistics, and Queueing Theory' (1990),
3.2.9.
"""

from __future__ import annotations

import math

from thinktime.learn.fit.family import POSITIVE, Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations


class Exponential(Family):
    """``exp(MEAN)``: P(X > x) = e^{-x / mean}."""

    name = "exp"
    parameters = ("mean",)
    free = 1

    def quantile(self, u: float, p: Parameters) -> float:
        return -p[0] * math.log1p(-u)

    def notation(self, p: Parameters, unit: str) -> str:
        return f"exp({written(p[0], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[seen.mean]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [POSITIVE]


class Hyperexponential(Family):
    """``h2(MEAN, cv2=)``: two phases with balanced means.

    The mean is m / (2 pᵢ) with probability pᵢ, p₁ = (1 + √((C² - 1) / (C² + 1))) / 2, C² >= 1.
    """

    name = "h2"
    parameters = ("mean", "cv2")
    free = 2

    def notation(self, p: Parameters, unit: str) -> str:
        return f"h2({written(p[0], unit)}, cv2={p[1]:.6g})"

    def starts(self, seen: Observations) -> list[list[float]]:
        # The variance misleads for a long tail. The variance of the logarithms does not: it is
        # 1.28² for one phase, and grows with the distance of the two.
        return [[seen.mean, max(seen.cv2, 1.1)], [seen.mean, 1 + seen.log_deviation**2]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [POSITIVE, (1.0, 1e9)]
