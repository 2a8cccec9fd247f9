"""The problem of a fit: a family's parameters, on scales without bounds, and observations.

The scales are logarithms, and logarithms of odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime._core import bounded, unbounded
from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.observations import Observations

_WORST = 1e6
"""It replaces the objective if that cannot be computed."""


@dataclass(frozen=True)
class Problem:
    """A family's parameters for given observations; some of them are fixed."""

    family: Family
    seen: Observations
    ranges: list[Range]
    held: tuple[int, ...] = ()

    def objective(self, p: Parameters) -> float:
        """Minus the log-likelihood a value."""
        found = -self.seen.log_likelihood(self.family, p) / self.seen.total
        return found if math.isfinite(found) else _WORST

    def loss(self, p: Parameters, free: FloatArray) -> float:
        """Minus the log-likelihood with ``free`` for the parameters that are searched for."""
        return self.objective(self.at(p, free)) * self.seen.total

    def searched(self) -> list[int]:
        return [i for i in range(len(self.ranges)) if i not in self.held]

    def at(self, p: Parameters, free: FloatArray) -> list[float]:
        """Parameters as in ``p``, except for those that are searched for."""
        moved = list(p)
        for i, value in zip(self.searched(), free, strict=True):
            moved[i] = bounded(value, *self.ranges[i])
        return moved

    def free(self, p: Parameters) -> FloatArray:
        """The parameters that are searched for, on scales without bounds."""
        return np.array([unbounded(p[i], *self.ranges[i]) for i in self.searched()])

    def best(self, start: Parameters, least: float = 1e-12) -> list[float]:
        """The most likely parameters that a search from ``start`` finds.

        It ends if a step promises less than ``least`` of log-likelihood a value.
        """
        if not self.searched():
            return list(start)

        most = 30 if least > 1e-9 else 60
        seen, name = self.seen.likelihood, self.family.name
        moved = seen.climbed(name, list(start), self.ranges, self.searched(), least, most)
        return moved if self.objective(moved) <= self.objective(start) else list(start)

    def best_of(self, starts: Sequence[Parameters], least: float) -> list[float]:
        """The best of the searches from several places; few parameters need only one."""
        if len(self.ranges) < 4:
            starts = [min(starts, key=self.objective)]
        return min((self.best(start, least) for start in starts), key=self.objective)
