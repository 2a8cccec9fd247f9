"""Gamma and Erlang laws.

Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994),
chapter 17; the starting shape is that of Minka, 'Estimating a gamma distribution' (2002).
"""

from __future__ import annotations

import math
from typing import ClassVar

from thinktime.learn.fit.family import POSITIVE, Family, Parameters, Range, written
from thinktime.learn.fit.observations import Observations

STAGES_MAX = 50
"""Laws with more stages look like any other shape, and are left to the gamma law."""


class Gamma(Family):
    """``gamma(shape=, scale=)``: mean shape times scale, C² = 1 / shape."""

    name = "gamma"
    parameters: ClassVar[tuple[str, ...]] = ("shape", "scale")
    free = 2

    def mean(self, p: Parameters) -> float:
        return p[0] * p[1]

    def notation(self, p: Parameters, unit: str) -> str:
        return f"gamma(shape={p[0]:.6g}, scale={written(p[1], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        shape = starting_shape(seen)
        return [[shape, seen.mean / shape]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [(1e-3, 1e7), POSITIVE]


class Erlang(Gamma):
    """``erlang(k, MEAN)``: the sum of k >= 2 exponential stages; of one it is ``exp``."""

    name = "erlang"
    parameters = ("k", "mean")
    free = 1

    def mean(self, p: Parameters) -> float:
        return p[1]

    def notation(self, p: Parameters, unit: str) -> str:
        return f"erlang({p[0]:.0f}, {written(p[1], unit)})"

    def starts(self, seen: Observations) -> list[list[float]]:
        return [[min(max(starting_shape(seen), 2.0), STAGES_MAX), seen.mean]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [(1.5, STAGES_MAX + 0.5), POSITIVE]

    def rounded(self, p: Parameters) -> list[list[float]]:
        nearby = {math.floor(p[0]), math.ceil(p[0])}
        return [[float(min(max(k, 2), STAGES_MAX)), p[1]] for k in sorted(nearby)]


def starting_shape(seen: Observations) -> float:
    """An approximate maximum likelihood estimate of the shape."""
    s = max(math.log(seen.mean) - seen.log_mean, 1e-6)
    return min(max((3 - s + math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s), 0.02), 1e6)
