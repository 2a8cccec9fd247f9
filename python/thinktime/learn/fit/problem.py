"""What is to be fitted: a family's parameters, on scales without bounds, to observations.

The scales are logarithms, and logarithms of odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.observed import Observed
from thinktime.learn.fit.scoring import Logs, climbed

_WORST = 1e6
"""Stands for the objective where it cannot be computed."""


@dataclass(frozen=True)
class Problem:
    """A family's parameters, some of them held, to be fitted to observations."""

    family: Family
    seen: Observed
    ranges: list[Range]
    held: tuple[int, ...] = ()

    def objective(self, p: Parameters) -> float:
        """Minus the log-likelihood a value."""
        try:
            with np.errstate(all="ignore"):
                found = -self.seen.log_likelihood(self.family, p) / self.seen.total
        except (ArithmeticError, ValueError):
            return _WORST
        return found if math.isfinite(found) else _WORST

    def loss(self, p: Parameters, free: FloatArray) -> float:
        """Minus the log-likelihood where the parameters that are searched for are ``free``."""
        return self.objective(self.at(p, free)) * self.seen.total

    def searched(self) -> list[int]:
        return [i for i in range(len(self.ranges)) if i not in self.held]

    def at(self, p: Parameters, free: FloatArray) -> list[float]:
        """Parameters as in ``p``, but for those that are searched for."""
        moved = list(p)
        for i, value in zip(self.searched(), free, strict=True):
            moved[i] = bounded(float(value), self.ranges[i])
        return moved

    def free(self, p: Parameters) -> FloatArray:
        """Those that are searched for, on scales without bounds."""
        return np.array([unbounded(p[i], self.ranges[i]) for i in self.searched()])

    def best(self, start: Parameters, least: float = 1e-12) -> list[float]:
        """The most likely parameters that a search from ``start`` finds.

        It ends where a step promises less than ``least`` of log-likelihood a value.
        """
        if not self.searched():
            return list(start)

        most = 30 if least > 1e-9 else 60
        with np.errstate(all="ignore"):
            found = climbed(self.logs(start), self.share, self.free(start), least, most)
        moved = self.at(start, found)
        return moved if self.objective(moved) <= self.objective(start) else list(start)

    @property
    def share(self) -> FloatArray:
        """That of each bin in the values."""
        return self.seen.count / self.seen.total

    def logs(self, p: Parameters) -> Logs:
        """The logarithms of the bins' probabilities by the parameters that are searched for."""

        def found(free: FloatArray) -> FloatArray | None:
            try:
                logs = self.seen.logs(self.family, self.at(p, free))
            except (ArithmeticError, ValueError):
                return None
            return None if np.isnan(logs).any() else logs

        return found

    def best_of(self, starts: Sequence[Parameters], least: float) -> list[float]:
        """The best of the searches from several places; few parameters need but one."""
        if len(self.ranges) < 4:
            starts = [min(starts, key=self.objective)]
        return min((self.best(start, least) for start in starts), key=self.objective)


def bounded(free: float, within: Range) -> float:
    """A number without bounds as one within a range."""
    low, high = within
    if math.isinf(low):
        return min(max(free, -1e6), 1e6)
    if math.isinf(high):
        return low + math.exp(min(max(free, -690.0), 690.0))
    odds = math.exp(-min(max(free, -690.0), 690.0))
    return low + (high - low) / (1 + odds)


def unbounded(value: float, within: Range) -> float:
    """The number without bounds of which ``bounded`` makes the value, which is moved inside."""
    low, high = within
    if math.isinf(low):
        return value
    if math.isinf(high):
        return math.log(max(value - low, 1e-300))
    share = (value - low) / (high - low) if high > low else 0.5
    share = min(max(share, 1e-290), 1 - 1e-9)
    return math.log(share / (1 - share))
