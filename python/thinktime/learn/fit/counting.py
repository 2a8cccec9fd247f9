"""Laws of whole numbers, of which a session has at least 1.

Source: Johnson, Kemp and Kotz, 'Univariate Discrete Distributions' (2005), chapters 4 and 5.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime._scipy import gammainc, gammaincc
from thinktime.learn.fit.exponential import bisected
from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.observed import Observed


class Geometric(Family):
    """``geometric(MEAN)`` on 1, 2, ...: P(X > k) = (1 - 1 / mean)^k."""

    name = "geometric"
    parameters = ("mean",)
    free = 1
    whole_only = True

    def _exponent(self, x: FloatArray, p: Parameters) -> FloatArray:
        rate = math.log1p(-1 / p[0]) if p[0] > 1 else -690.0
        return np.floor(np.maximum(x, 0)) * rate

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return -np.expm1(self._exponent(x, p))

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return np.exp(self._exponent(x, p))

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        whole = np.floor(x)
        upto = p[0] * self.cdf(whole, p)
        return np.asarray(upto + (x - whole) * self.sf(whole, p), dtype=np.float64)

    def mean(self, p: Parameters) -> float:
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        rate = math.log1p(-1 / p[0]) if p[0] > 1 else -690.0
        return max(1.0, math.ceil(math.log1p(-u) / rate - 1e-9))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"geometric({max(p[0], 1.0):.6g})"

    def starts(self, seen: Observed) -> list[list[float]]:
        return [[max(seen.mean, 1.001)]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [(1.0, 1e12)]


class Poisson(Family):
    """``poisson(MEAN)`` on 0, 1, ...; a session of 0 requests becomes one of 1."""

    name = "poisson"
    parameters = ("mean",)
    free = 1
    whole_only = True

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        upto = np.asarray(gammaincc(np.floor(np.maximum(x, 0)) + 1, p[0]), dtype=np.float64)
        return np.where(x < 0, 0.0, upto)

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        above = np.asarray(gammainc(np.floor(np.maximum(x, 0)) + 1, p[0]), dtype=np.float64)
        return np.where(x < 0, 1.0, above)

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        # E[X; X <= n] = mean P(X <= n - 1).
        whole = np.floor(x)
        inside = p[0] * self.cdf(whole - 1, p)
        return np.asarray(inside + x * self.sf(whole, p), dtype=np.float64)

    def mean(self, p: Parameters) -> float:
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        return float(round(bisected(self, u, p)))  # which ends at the step

    def notation(self, p: Parameters, unit: str) -> str:
        return f"poisson({p[0]:.6g})"

    def starts(self, seen: Observed) -> list[list[float]]:
        return [[max(seen.mean, 0.1)]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [(0.0, 1e12)]
