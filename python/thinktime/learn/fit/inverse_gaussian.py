"""The inverse Gaussian law.

Source: Chhikara and Folks, 'The Inverse Gaussian Distribution' (1989), chapter 2: with
a = √(λ/x) (x/μ - 1) and b = √(λ/x) (x/μ + 1), F(x) = Φ(a) + e^{2λ/μ} Φ(-b), and
E[X; X <= x] = μ (Φ(a) - e^{2λ/μ} Φ(-b)).
"""

from __future__ import annotations

import numpy as np

from thinktime._scipy import log_ndtr, ndtr
from thinktime.learn.fit.exponential import bisected
from thinktime.learn.fit.family import POSITIVE, Family, FloatArray, Parameters, Range
from thinktime.learn.fit.observed import Observed


class InverseGaussian(Family):
    """``inverse_gaussian(mu=, lambda=)``: mean mu, C² = mu / lambda."""

    name = "inverse_gaussian"
    parameters = ("mu", "lambda")
    free = 2

    def _parts(self, x: FloatArray, p: Parameters) -> tuple[FloatArray, FloatArray]:
        """a, and e^{2λ/μ} Φ(-b)."""
        x = np.maximum(x, 1e-300)
        root = np.sqrt(p[1] / x)
        a, b = root * (x / p[0] - 1), root * (x / p[0] + 1)
        return a, np.exp(2 * p[1] / p[0] + log_ndtr(-b))

    def cdf(self, x: FloatArray, p: Parameters) -> FloatArray:
        a, second = self._parts(x, p)
        return np.asarray(np.minimum(ndtr(a) + second, 1.0), dtype=np.float64)

    def sf(self, x: FloatArray, p: Parameters) -> FloatArray:
        a, second = self._parts(x, p)
        return np.asarray(np.maximum(ndtr(-a) - second, 0.0), dtype=np.float64)

    def clipped_mean(self, x: FloatArray, p: Parameters) -> FloatArray:
        a, second = self._parts(x, p)
        rest = np.maximum(ndtr(-a) - second, 0.0)
        return np.asarray(p[0] * (ndtr(a) - second) + x * rest, dtype=np.float64)

    def mean(self, p: Parameters) -> float:
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        return bisected(self, u, p)

    def notation(self, p: Parameters, unit: str) -> str:
        return f"inverse_gaussian(mu={p[0]:.6g}{unit}, lambda={p[1]:.6g}{unit})"

    def starts(self, seen: Observed) -> list[list[float]]:
        # 1 / λ is the mean of 1 / x less 1 / mean; few small values make it too large.
        inverse = seen.average(1 / seen.values) - 1 / seen.mean
        by_variance = seen.mean / max(seen.cv2, 1e-6)
        return [
            [seen.mean, min(1 / max(inverse, 1e-12 / seen.mean), 1e6 * seen.mean)],
            [seen.mean, by_variance],
        ]

    def ranges(self, seen: Observed) -> list[Range]:
        return [POSITIVE, (0.0, 1e9 * seen.mean)]
