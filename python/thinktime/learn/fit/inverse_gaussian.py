"""The inverse Gaussian law.

Source: Chhikara and Folks, 'The Inverse Gaussian Distribution' (1989), chapter 2.
"""

from __future__ import annotations

from thinktime.learn.fit.family import POSITIVE, Family, Parameters, Range
from thinktime.learn.fit.observations import Observations


class InverseGaussian(Family):
    """``inverse_gaussian(mu=, lambda=)``: mean mu, C² = mu / lambda."""

    name = "inverse_gaussian"
    parameters = ("mu", "lambda")
    free = 2

    def notation(self, p: Parameters, unit: str) -> str:
        return f"inverse_gaussian(mu={p[0]:.6g}{unit}, lambda={p[1]:.6g}{unit})"

    def starts(self, seen: Observations) -> list[list[float]]:
        # 1 / λ is the mean of 1 / x less 1 / mean; few small values make it too large.
        inverse = seen.average(1 / seen.values) - 1 / seen.mean
        by_variance = seen.mean / max(seen.cv2, 1e-6)
        return [
            [seen.mean, min(1 / max(inverse, 1e-12 / seen.mean), 1e6 * seen.mean)],
            [seen.mean, by_variance],
        ]

    def ranges(self, seen: Observations) -> list[Range]:
        return [POSITIVE, (0.0, 1e9 * seen.mean)]
