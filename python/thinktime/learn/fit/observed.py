"""The probability that a law gives to each bin of a tally, as the values were observed.

*Exact* values: F at the bounds of the bin. *Whole* numbers: a law of the continuum is rounded,
and at least 1, as Thinktime does with the requests of a session: N = max(1, floor(X + 1/2)).
*Stamped* values are differences of two stamps that were rounded down to multiples of r. The first
stamp falls anywhere within its r, so the difference is r floor(U + X / r) with U uniform on
(0, 1), and P(D <= k r) is the mean of F over k r to (k + 1) r. All are conditional on being at
most ``limit``.

Source: Heitjan, 'Inference from grouped continuous data' (Statistical Science 4, 1989), for
likelihoods of bins; the kernel of two stamps is the triangular one of Sheppard's corrections.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.tally import LARGEST, Tally

IntArray: TypeAlias = NDArray[np.int64]

TINY = 1e-300
"""Stands for a probability of 0."""
KEPT = 500  # times logarithms of probabilities are kept, of the parameters looked at last

_PLACES, _WEIGHTS = (0.5 * (leggauss(4)[0] + 1), 0.5 * leggauss(4)[1])

_MANY = 1000
"""Whole numbers and stamps in more bins than so many are joined..."""

_FINE = 100
"""...above this number, to bins that are one in so many wide."""

_SWITCH = 1e-6
_FAR = 10_000
"""Below the one the mean of a tail over a step is a quadrature, and beyond the other in steps the
tail in its middle: a difference of clipped means would lose digits."""


@dataclass(frozen=True)
class _Cells:
    """The steps that begin at edges: near ones by places among their bounds, and those far up."""

    near: IntArray
    before: NDArray[np.bool_]
    """Which of the near ones lie below 0."""

    bounds: FloatArray
    start: IntArray
    end: IntArray
    far: IntArray
    middles: FloatArray


class Observed:
    """A tally made ready for likelihoods. It has at least one bin above zero.

    Exact values of 0, to which no law of the continuum gives a probability, are set apart.
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
        self._logs: dict[tuple[object, ...], FloatArray] = {}

    def _continuum(self, low: FloatArray, high: FloatArray) -> None:
        point = high <= low  # stands for values of three digits
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
            # Where P(D <= k r) is to be taken: before the first and at the last of the bin.
            self.lower, self.upper = self.first - 1, self.last
            self.low = np.maximum(self.first - 1, 0) * self.step
            self.high = (self.last + 1) * self.step

    def _join(self, first: FloatArray, last: FloatArray) -> None:
        """Join bins of the same number; and where there are many, neighbours far up."""
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
    def _edges(self) -> tuple[FloatArray, IntArray, IntArray, int]:
        """All bounds, the limit among them; the places of each bin's two, and of the limit."""
        limit = np.inf if self.limit_at is None else self.limit_at
        bounds = np.concatenate([self.lower, self.upper, [min(limit, LARGEST)]])
        edges, places = np.unique(bounds, return_inverse=True)
        size = len(self.lower)
        return edges, places[:size], places[size:-1], int(places[-1])

    def coarse(self, bins: int) -> Observed:
        """The same with neighbours joined to about so many bins, for a first search."""
        if len(self.count) <= bins:
            return self
        starts = np.unique(np.linspace(0, len(self.count), bins, endpoint=False, dtype=np.int64))
        ends = np.append(starts[1:], len(self.count)) - 1
        other = copy.copy(self)
        other._logs = {}
        for cached in [name for name in vars(other) if name in _CACHED]:
            delattr(other, cached)
        other.lower, other.upper = self.lower[starts], self.upper[ends]
        other.low, other.high = self.low[starts], self.high[ends]
        weighted = np.add.reduceat(self.values * self.count, starts)
        other.count = np.add.reduceat(self.count, starts)
        other.values = weighted / other.count
        return other

    def masses(self, family: Family, p: Parameters) -> FloatArray:
        """P(bin) given that values are at most the limit, for each bin."""
        edges, lower, upper, limit = self._edges
        with np.errstate(all="ignore"):
            below, above = self._tails(family, p, edges)
            mass = np.where(
                above[lower] < 0.5, above[lower] - above[upper], below[upper] - below[lower]
            )
            return np.fmax(mass / self._seen_share(below[limit]), 0.0)

    def _seen_share(self, upto_limit: float) -> float:
        """P(X <= limit)."""
        return 1.0 if self.limit_at is None else max(float(upto_limit), TINY)

    @cached_property
    def _cells(self) -> _Cells:
        """Over which steps tails are averaged for each of the edges."""
        at = self._edges[0]
        near = np.flatnonzero(at <= _FAR)
        ends = np.concatenate([np.maximum(at[near], 0), at[near] + 1]) * self.step
        bounds, places = np.unique(ends, return_inverse=True)
        return _Cells(
            near=near,
            before=at[near] < 0,
            bounds=bounds,
            start=places[: len(near)],
            end=places[len(near) :],
            far=np.flatnonzero(at > _FAR),
            middles=(at[at > _FAR] + 0.5) * self.step,
        )

    def _tails(
        self, family: Family, p: Parameters, at: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """P(value <= edge) and P(value > edge) as values were observed."""
        if self.step == 0 or self.tally.whole:
            return family.cdf(at, p), family.sf(at, p)
        cells, below, above = self._cells, np.empty(len(at)), np.empty(len(at))
        means = family.clipped_mean(cells.bounds, p)
        means = (means[cells.end] - means[cells.start]) / self.step
        over = np.where(cells.before, 1.0, np.minimum(np.maximum(means, 0.0), 1.0))
        under = 1 - over
        for tail, exact in ((over, family.sf), (under, family.cdf)):
            small = (tail < _SWITCH) & ~cells.before
            if small.any():
                points = cells.bounds[cells.start[small], np.newaxis] + _PLACES * self.step
                tail[small] = exact(points.ravel(), p).reshape(points.shape) @ _WEIGHTS
        below[cells.near], above[cells.near] = under, over
        if len(cells.far):
            below[cells.far] = family.cdf(cells.middles, p)
            above[cells.far] = family.sf(cells.middles, p)
        return below, above

    def logs(self, family: Family, p: Parameters) -> FloatArray:
        """The logarithm of P(bin), for each bin; a bin without probability has one of 1e-300."""
        at: tuple[object, ...] = (family.name, *p)  # searches often come back to where they were
        if at not in self._logs:
            if len(self._logs) >= KEPT:
                self._logs.clear()
            self._logs[at] = np.log(np.maximum(self.masses(family, p), TINY))
        return self._logs[at]

    def log_likelihood(self, family: Family, p: Parameters) -> float:
        """Σ count ln P(bin)."""
        return float(self.count @ self.logs(family, p))

    def impossible(self, family: Family, p: Parameters) -> float:
        """The share of values to which the law gives no probability at all."""
        return float(self.count[self.masses(family, p) <= TINY].sum() / self.total)

    def distance(self, family: Family, p: Parameters) -> float:
        """The largest difference between the two distribution functions, at bounds of bins."""
        edges, lower, upper, limit = self._edges
        with np.errstate(all="ignore"):
            below, _ = self._tails(family, p, edges)
            model = np.fmax(below / self._seen_share(below[limit]), 0.0)
        upto = np.cumsum(self.count) / self.total
        before = upto - self.count / self.total
        apart = (model[upper] - upto, model[lower] - before)
        return float(min(1.0, max(np.max(np.abs(one)) for one in apart)))

    # ---- what starting values are made of

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
        """The value below which the fraction ``u`` lies."""
        at = int(np.searchsorted(np.cumsum(self.count), u * self.total))
        return float(self.values[min(at, len(self.values) - 1)])

    def least_range(self) -> Range:
        """Between which bounds the least value lies."""
        return float(self.low[0]), float(self.high[0])

    def largest_range(self) -> Range:
        """Between which bounds the largest value lies."""
        low, high = float(self.low[-1]), float(self.high[-1])
        return low, min(high, 10 * low) if low > 0 else high


_CACHED = [name for name, member in vars(Observed).items() if isinstance(member, cached_property)]
