"""Exponential and hyperexponential laws, of one and of two phases.

Sources: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 19; balanced means as in Allen, 'Probability, Statistics, and Queueing Theory' (1990),
3.2.9.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.learn.fit.family import POSITIVE, Family, FloatArray, Parameters, Range, written
from thinktime.learn.fit.observed import Observed


class Exponential(Family):
    """``exp(MEAN)``: P(X > x) = e^{-x / mean}."""

    name = "exp"
    parameters = ("mean",)
    free = 1

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return -np.expm1(-np.maximum(x, 0) / p[0])

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return np.exp(-np.maximum(x, 0) / p[0])

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        return p[0] * self.cdf(x, p)

    def mean(self, p: Parameters) -> float:
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        return -p[0] * math.log1p(-u)

    def notation(self, p: Parameters, unit: str) -> str:
        return f"exp({written(p[0], unit)})"

    def starts(self, seen: Observed) -> list[list[float]]:
        return [[seen.mean]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [POSITIVE]


class Hyperexponential(Family):
    """``h2(MEAN, cv2=)``: two phases with balanced means.

    The mean is m / (2 pᵢ) with probability pᵢ, p₁ = (1 + √((C² - 1) / (C² + 1))) / 2, C² >= 1.
    """

    name = "h2"
    parameters = ("mean", "cv2")
    free = 2

    def _phases(self, p: Parameters) -> tuple[tuple[float, float], ...]:
        mean, cv2 = p
        root = math.sqrt((cv2 - 1) / (cv2 + 1))
        shares = 0.5 * (1 + root), 1 / ((cv2 + 1) * (1 + root))
        return tuple((share, 0.5 * mean / share) for share in shares)

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        (a, m), (b, n) = self._phases(p)
        x = np.maximum(x, 0)
        return -(a * np.expm1(-x / m) + b * np.expm1(-x / n))

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        (a, m), (b, n) = self._phases(p)
        x = np.maximum(x, 0)
        return np.asarray(a * np.exp(-x / m) + b * np.exp(-x / n), dtype=np.float64)

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        (a, m), (b, n) = self._phases(p)
        return -(a * m * np.expm1(-x / m) + b * n * np.expm1(-x / n))

    def mean(self, p: Parameters) -> float:
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        return bisected(self, u, p)

    def notation(self, p: Parameters, unit: str) -> str:
        return f"h2({written(p[0], unit)}, cv2={p[1]:.6g})"

    def starts(self, seen: Observed) -> list[list[float]]:
        # The variance of a long tail misleads; that of the logarithms does not: it is 1.28² for
        # one phase, and grows by the distance of the two.
        return [[seen.mean, max(seen.cv2, 1.1)], [seen.mean, 1 + seen.log_deviation**2]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [POSITIVE, (1.0, 1e9)]


def bisected(family: Family, u: float, p: Parameters) -> float:
    """The quantile of a law that has no formula for it, by division of the logarithm's range."""
    low, high = -690.0, 690.0
    for _ in range(9):
        logs = np.linspace(low, high, 65)
        with np.errstate(all="ignore"):
            x = np.exp(logs)
            reached = family.cdf(x, p) >= u if u <= 0.5 else family.sf(x, p) <= 1 - u
        place = int(np.argmax(reached[:-1])) if reached[:-1].any() else 64
        low, high = float(logs[max(place - 1, 0)]), float(logs[place])
    return math.exp(high)
