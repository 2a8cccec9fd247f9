"""The bins of a tally, by the form of its values: exact, whole numbers, or stamped.

*Whole* numbers: a continuous law is rounded, and at least 1, as Thinktime does with the requests of
a session: N = max(1, floor(X + 1/2)). *Stamped* values are differences of two stamps that were
rounded down. `thinktime._core.Likelihood` computes their likelihoods (see
`crates/log/src/fits/likelihood.rs`).
"""

from __future__ import annotations

import copy
import math
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.tally import LARGEST, Tally

IntArray: TypeAlias = NDArray[np.int64]

TINY = 1e-300
"""It replaces a probability of 0."""

_MANY = 1000
"""If whole numbers and stamps have more bins than this, bins are joined..."""

_FINE = 100
"""...above this number, to bins whose relative width is one in this many."""


class Observations:
    """A tally in the form that likelihoods need. It has at least one bin above zero.

    Exact values of 0, which have no probability under a continuous law, are set apart.
    """

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.step = 1.0 if tally.whole else tally.resolution
        zero = tally.zero
        self.zeros = float(tally.count[zero].sum())
        self.count = tally.count[~zero]
        if self.step > 0:
            self._lattice(tally)
        else:
            self._continuum(tally.low[~zero], tally.high[~zero])
        self.total = float(self.count.sum())

    def _continuum(self, low: FloatArray, high: FloatArray) -> None:
        point = high <= low  # represents values of three digits
        lower, upper = np.where(point, low * 0.995, low), np.where(point, low * 1.005, high)
        before = np.concatenate([[0.0], np.maximum.accumulate(upper)[:-1]])
        lower = np.where(point, np.minimum(np.maximum(lower, before), low), lower)
        after = np.concatenate([lower[1:], [np.inf]])
        upper = np.where(point & (after > low), np.minimum(upper, after), upper)
        if self.tally.limit is not None:
            self.limit_at: float | None = self.tally.limit
            lower = np.minimum(lower, self.limit_at)
            upper = np.minimum(upper, self.limit_at)
        else:
            self.limit_at = None
        upper = np.where(upper > lower, upper, lower * (1 + 1e-9) + TINY)
        self.lower, self.upper = lower, np.minimum(upper, LARGEST)
        self.low, self.high = self.lower, self.upper

    def _lattice(self, tally: Tally) -> None:
        """Bins by the first and the last whole number of steps in them."""
        low, high = tally.low / self.step, tally.high / self.step
        first = np.where(high > low, np.ceil(low - 1e-6), np.round(low))
        last = np.where(high > low, np.ceil(high - 1e-6) - 1, np.round(low))
        last = np.maximum(last, first)
        if tally.whole:
            first, last = np.maximum(first, 1), np.maximum(last, 1)
        self.limit_at = None
        if tally.limit is not None:
            self.limit_at = float(np.floor(tally.limit / self.step + 1e-6))
            last = np.minimum(last, np.maximum(self.limit_at, first))
        self._join(first, last)
        if tally.whole:
            self.lower, self.upper = self.first - 0.5, self.last + 0.5
            self.lower[self.first <= 1] = -1.0
            self.limit_at = None if self.limit_at is None else self.limit_at + 0.5
            self.low, self.high = np.maximum(self.lower, 0.5), self.upper
        else:
            # The places of P(D <= k r): before the first step and at the last step of the bin.
            self.lower, self.upper = self.first - 1, self.last
            self.low = np.maximum(self.first - 1, 0) * self.step
            self.high = (self.last + 1) * self.step

    def _join(self, first: FloatArray, last: FloatArray) -> None:
        """Join bins of the same number; and if there are many, neighbours far up."""
        place, joined = first, len(first) > _MANY
        if joined:
            above = np.floor(_FINE * np.log(np.maximum(first, _FINE) / _FINE))
            place = np.where(first < _FINE, first, _FINE + above)
        starts = np.flatnonzero(np.diff(place, prepend=-1.0) != 0)
        self.count = np.add.reduceat(self.count, starts)
        self.first, self.last = first[starts], np.maximum.reduceat(last, starts)
        if joined:
            cell = place[starts] - _FINE
            low, high = (np.ceil(_FINE * np.exp((cell + i) / _FINE)) for i in (0, 1))
            before = np.concatenate([[0.0], np.maximum.accumulate(self.last)[:-1]])
            top = np.inf if self.limit_at is None else self.limit_at
            wide = cell >= 0
            self.first = np.where(wide, np.clip(low, before + 1, self.first), self.first)
            self.last = np.where(wide, np.maximum(np.minimum(high - 1, top), self.last), self.last)

    @cached_property
    def likelihood(self) -> _core.Likelihood:
        """The likelihood of laws."""
        stamped = self.step if not self.tally.whole else 0.0
        limit = math.inf if self.limit_at is None else min(self.limit_at, LARGEST)
        columns = (self.lower.tolist(), self.upper.tolist(), self.count.tolist())
        return _core.Likelihood(*columns, limit=limit, step=stamped)

    def coarse(self, bins: int) -> Observations:
        """The same with neighbours joined to about this many bins, for a first search."""
        if len(self.count) <= bins:
            return self
        starts = np.unique(np.linspace(0, len(self.count), bins, endpoint=False, dtype=np.int64))
        ends = np.append(starts[1:], len(self.count)) - 1
        other = copy.copy(self)
        for cached in [name for name in vars(other) if name in _CACHED]:
            delattr(other, cached)
        other.lower, other.upper = self.lower[starts], self.upper[ends]
        other.low, other.high = self.low[starts], self.high[ends]
        weighted = np.add.reduceat(self.values * self.count, starts)
        other.count = np.add.reduceat(self.count, starts)
        other.values = weighted / other.count
        return other

    def log_likelihood(self, family: Family, p: Parameters) -> float:
        """Σ count ln P(bin), given that values are at most the limit; NaN if there is no law.

        A bin without probability has one of 1e-300.
        """
        return self.likelihood.log_likelihood(family.name, list(p))

    def impossible(self, family: Family, p: Parameters) -> float:
        """The share of values that have no probability under the law."""
        return self.likelihood.impossible(family.name, list(p))

    def distance(self, family: Family, p: Parameters) -> float:
        """The largest difference between the two distribution functions, at bounds of bins."""
        return self.likelihood.distance(family.name, list(p))

    # ---- statistics for starting values

    @cached_property
    def values(self) -> FloatArray:
        """One value above zero for each bin."""
        if self.step == 0:
            half = np.where(self.upper < LARGEST, (self.upper - self.lower) / 2, 0.0)
            return np.asarray(np.maximum(self.lower + half, TINY))
        middle = (self.first + self.last) / 2 * self.step
        return np.asarray(np.maximum(middle, 0.3 * self.step), dtype=np.float64)

    def average(self, of: FloatArray) -> float:
        """The mean over all values of something that is given by bin."""
        return float(of @ self.count / self.total)

    @cached_property
    def mean(self) -> float:
        """The mean of the values."""
        return self.average(self.values)

    @cached_property
    def cv2(self) -> float:
        """Their squared coefficient of variation."""
        scaled = self.values / self.mean
        return min(self.average((scaled - 1) ** 2), 1e6)

    @cached_property
    def log_mean(self) -> float:
        """The mean of their logarithms."""
        return self.average(np.log(self.values))

    @cached_property
    def log_deviation(self) -> float:
        """The standard deviation of their logarithms, at least 1e-3."""
        variance = self.average((np.log(self.values) - self.log_mean) ** 2)
        return max(float(np.sqrt(variance)), 1e-3)

    def quantile(self, u: float) -> float:
        """The quantile of the fraction ``u``."""
        at = int(np.searchsorted(np.cumsum(self.count), u * self.total))
        return float(self.values[min(at, len(self.values) - 1)])

    def least_range(self) -> Range:
        """The bounds of the least value."""
        return float(self.low[0]), float(self.high[0])

    def largest_range(self) -> Range:
        """The bounds of the largest value."""
        low, high = float(self.low[-1]), float(self.high[-1])
        return low, min(high, 10 * low) if low > 0 else high


_CACHED = [
    name for name, member in vars(Observations).items() if isinstance(member, cached_property)
]
