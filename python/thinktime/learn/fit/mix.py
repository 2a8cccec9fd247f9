"""Mixes of two laws: short gaps among think times, and sizes with a body and a tail.

Sources: Barford and Crovella, 'Generating representative Web workloads for network and server
performance evaluation' (SIGMETRICS 1998), for sizes with a lognormal body and a Pareto tail.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from thinktime.learn.fit.exponential import Exponential
from thinktime.learn.fit.family import (
    POSITIVE,
    REAL,
    SHARE,
    Family,
    Parameters,
    Part,
    Range,
    weighted,
)
from thinktime.learn.fit.lognormal import SIGMA, CutLognormal, Lognormal
from thinktime.learn.fit.observations import Observations
from thinktime.learn.fit.pareto import SHAPE, Pareto


class Mix(Family):
    """The first law with the probability ``weight``, the first parameter; otherwise the second."""

    parts: ClassVar[tuple[Part, Part]]

    def _both(self, p: Parameters) -> list[tuple[float, Family, list[float]]]:
        first, second = self.parts
        return [(p[0], first.family, first.of(p)), (1 - p[0], second.family, second.of(p))]

    def mean(self, p: Parameters) -> float:
        return sum(w * law.mean(of) for w, law, of in self._both(p))

    def notation(self, p: Parameters, unit: str) -> str:
        return weighted([(w, law.notation(of, unit)) for w, law, of in self._both(p)])

    @abstractmethod
    def starts(self, seen: Observations) -> list[list[float]]: ...


class ExponentialLognormal(Mix):
    """``mix(w: exp(MEAN), 1 - w: lognormal(mu=, sigma=))``: short gaps, then think times."""

    name = "exp+lognormal"
    parameters = ("weight", "mean", "mu", "sigma")
    free = 4
    parts = (Part(Exponential(), (1,)), Part(Lognormal(), (2, 3)))

    def starts(self, seen: Observations) -> list[list[float]]:
        found = []
        for share in (0.3, 0.6):
            cut = seen.quantile(share)
            below, above = seen.values <= cut, seen.values > cut
            if not np.any(above):
                continue
            logs = np.log(seen.values)
            mean = float(np.average(seen.values[below], weights=seen.count[below]))
            mu = float(np.average(logs[above], weights=seen.count[above]))
            spread = np.average((logs[above] - mu) ** 2, weights=seen.count[above])
            found.append([share, mean, mu, max(math.sqrt(float(spread)), 0.1)])
        return found or [[0.5, seen.mean, seen.log_mean, seen.log_deviation]]

    def ranges(self, seen: Observations) -> list[Range]:
        return [SHARE, POSITIVE, REAL, SIGMA]


class LognormalPareto(Mix):
    """``mix(w: lognormal(mu=, sigma=), 1 - w: pareto(shape=, scale=))``: a body and a tail."""

    name = "lognormal+pareto"
    parameters = ("weight", "mu", "sigma", "shape", "scale")
    free = 5
    profiled = 4
    parts: ClassVar[tuple[Part, Part]] = (Part(Lognormal(), (1, 2)), Part(Pareto(), (3, 4)))

    def starts(self, seen: Observations) -> list[list[float]]:
        """One start for each of some places at which the tail may begin."""
        found: list[list[float]] = []
        for share in (0.3, 0.5, 0.65, 0.8, 0.87, 0.92, 0.95, 0.98, 0.99):
            cut = seen.quantile(share)
            below, above = seen.values < cut, seen.values > cut
            if not (np.any(below) and np.any(above)) or any(cut == start[4] for start in found):
                continue
            logs = np.log(seen.values)
            mu = float(np.average(logs[below], weights=seen.count[below]))
            spread = float(np.average((logs[below] - mu) ** 2, weights=seen.count[below]))
            excess = float(np.average(logs[above], weights=seen.count[above])) - math.log(cut)
            shape = 1 / min(max(excess, 0.02), 20.0)
            found.append([share, mu, max(math.sqrt(spread), 0.1), shape, cut])
        return found

    def ranges(self, seen: Observations) -> list[Range]:
        return [SHARE, REAL, SIGMA, SHAPE, (float(seen.low[0]), float(seen.high[-1]))]


class CutLognormalPareto(LognormalPareto):
    """The same with a body that ends at the beginning of the tail."""

    name = "cut lognormal+pareto"
    parts = (Part(CutLognormal(), (1, 2, 4)), Part(Pareto(), (3, 4)))
