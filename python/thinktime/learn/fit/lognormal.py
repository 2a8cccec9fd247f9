"""The lognormal law, whole and cut off above.

Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 14.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from thinktime._scipy import log_ndtr, ndtr, ndtri
from thinktime.learn.fit.family import REAL, Family, FloatArray, Parameters, Range, written
from thinktime.learn.fit.observed import Observed

SIGMA: Range = (1e-6, 20.0)
"""Values of a larger sigma would span more than 30 powers of ten."""


class Lognormal(Family):
    """``lognormal(mu=, sigma=)``: the logarithm of the value in base units is normal."""

    name = "lognormal"
    parameters: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    free = 2

    def _standard(self, x: FloatArray, p: Parameters) -> FloatArray:
        return np.asarray((np.log(np.maximum(x, 1e-320)) - p[0]) / p[1], dtype=np.float64)

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return np.asarray(ndtr(self._standard(x, p)), dtype=np.float64)

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return np.asarray(ndtr(-self._standard(x, p)), dtype=np.float64)

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        z = self._standard(x, p)
        inside = np.exp(p[0] + p[1] ** 2 / 2 + log_ndtr(z - p[1]))
        return np.asarray(inside + x * ndtr(-z), dtype=np.float64)

    def mean(self, p: Parameters) -> float:
        return math.exp(min(p[0] + p[1] ** 2 / 2, 690.0))

    def quantile(self, u: float, p: Parameters) -> float:
        return math.exp(min(p[0] + p[1] * float(ndtri(u)), 690.0))

    def notation(self, p: Parameters, unit: str) -> str:
        return f"lognormal(mu={p[0]:.6g}, sigma={p[1]:.6g})"

    def starts(self, seen: Observed) -> list[list[float]]:
        return [[seen.log_mean, seen.log_deviation]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [REAL, SIGMA]


class CutLognormal(Lognormal):
    """``truncated(lognormal(mu=, sigma=), hi=)``: a lognormal value given that it is up to hi."""

    name = "cut lognormal"
    parameters = ("mu", "sigma", "hi")
    free = 3

    def _kept(self, p: Parameters) -> float:
        return max(float(ndtr((math.log(p[2]) - p[0]) / p[1])), 1e-300)

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        return super().cdf(np.minimum(x, p[2]), p) / self._kept(p)

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        beyond = float(ndtr(-(math.log(p[2]) - p[0]) / p[1]))
        return np.maximum(super().sf(np.minimum(x, p[2]), p) - beyond, 0.0) / self._kept(p)

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        beyond = float(ndtr(-(math.log(p[2]) - p[0]) / p[1]))
        x = np.minimum(x, p[2])
        return (super().clipped_mean(x, p) - x * beyond) / self._kept(p)

    def mean(self, p: Parameters) -> float:
        return float(self.clipped_mean(np.array([p[2]]), p)[0])

    def quantile(self, u: float, p: Parameters) -> float:
        return super().quantile(u * self._kept(p), p)

    def notation(self, p: Parameters, unit: str) -> str:
        return f"truncated({super().notation(p, unit)}, hi={written(p[2], unit)})"

    def starts(self, seen: Observed) -> list[list[float]]:
        return [[seen.log_mean, seen.log_deviation, seen.largest_range()[1]]]

    def ranges(self, seen: Observed) -> list[Range]:
        return [REAL, SIGMA, seen.largest_range()]
