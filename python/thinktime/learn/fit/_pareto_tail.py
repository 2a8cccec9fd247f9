"""Pareto tails of a tally: straight lines in a plot of survival on two logarithmic scales.

`thinktime._core.Tail` computes likelihoods (see `crates/log/src/fits/tail.rs`). Source of the
distances that chance gives: Stephens, 'EDF statistics for goodness of fit and some comparisons'
(Journal of the American Statistical Association 69, 1974), case 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime import _core
from thinktime.learn.fit.family import FloatArray
from thinktime.learn.fit.fits import DECISIVE
from thinktime.learn.fit.observations import IntArray, Observations
from thinktime.learn.fit.tally import LARGEST, Tally

LEAST_VALUES = 100
"""A tail of fewer values is not considered."""

_THRESHOLDS = 200
_CHANCE = 0.9
"""Chance gives at most this over √N in four of five samples, if the shape was estimated."""

_STAMPS = 3
"""The tail of rounded stamps begins beyond this many steps, where rounding hardly shows."""


@dataclass(frozen=True)
class ParetoTail:
    """The bins over a threshold, with the most likely Pareto law."""

    place: int
    """The number of the first bin."""

    threshold: float
    lower: FloatArray
    upper: FloatArray
    """Bounds of the bins as ln(x / threshold)."""

    count: FloatArray
    shape: float
    information: float
    """One over the variance of the shape."""

    ks: float
    """The largest distance between the distribution functions of law and data."""

    bins: _core.Tail

    @property
    def total(self) -> float:
        """The number of values in the tail."""
        return float(self.count.sum())

    @property
    def log_likelihood(self) -> float:
        """The logarithm of the probability of the bins' values."""
        return self.bins.log_likelihood(self.shape, 0.0)


def by_chance(total: float) -> float:
    """The plausible distance to the right law with this many values."""
    return _CHANCE / math.sqrt(min(total, DECISIVE))


def positive(tally: Tally) -> Observations | None:
    """The values above zero, if there are enough."""
    if np.all(tally.zero):
        return None
    seen = Observations(tally)
    if seen.step > 0 and not tally.whole:
        seen.lower, seen.upper = _unrounded(seen.first, seen), _unrounded(seen.last + 1, seen)
    return seen if seen.total >= LEAST_VALUES else None


def _unrounded(number: FloatArray, seen: Observations) -> FloatArray:
    """The x with P(X > x) = P(D >= number steps) for a Pareto law with the shape 3/2.

    P(D >= k) is the mean of P(X > x) over k - 1 to k, which by its second derivative is that at
    x = k - 1/2 times 1 + a (a + 1) / 24 x². So x lies (a + 1) / 24 x lower, whatever the scale.
    """
    middle = np.maximum(number - 0.5, 0.25)
    return np.where(number < 1, 0.0, middle - 2.5 / (24 * middle)) * seen.step


def bound_of(seen: Observations) -> float | None:
    """The upper end of observation."""
    if seen.limit_at is None:
        return None
    if seen.step > 0 and not seen.tally.whole:
        return float(_unrounded(np.array(seen.limit_at + 1), seen))
    return seen.limit_at


def best_tail(seen: Observations, bound: float | None) -> ParetoTail | None:
    """The longest tail as close to its law as chance allows; if there is none, the closest."""
    above, least = values_above(seen), least_threshold(seen)
    places = np.flatnonzero((above >= LEAST_VALUES) & (seen.lower > least))
    places = places[places < len(above) - 4]  # any two bins lie on a line
    if not len(places):
        return None
    some = np.unique(np.linspace(0, len(places) - 1, _THRESHOLDS).astype(int))
    places = places[some]
    return _closest(seen, bound, places, [by_chance(total) for total in above[places]])


def values_above(seen: Observations) -> FloatArray:
    """The number of values in each bin and those above it."""
    return np.cumsum(seen.count[::-1])[::-1]


def least_threshold(seen: Observations) -> float:
    """The bounds beyond which a tail may begin."""
    return 0.0 if seen.tally.whole else _STAMPS * seen.step


def straight(seen: Observations, place: int, bound: float | None) -> ParetoTail | None:
    """The Pareto law over the bins from ``place`` on, by maximum likelihood."""
    return _closest(seen, bound, np.array([place]), [1.0])


def _closest(
    seen: Observations, bound: float | None, places: IntArray, enough: list[float]
) -> ParetoTail | None:
    """The first close enough of the tails from these places on, otherwise the closest."""
    end = math.inf if bound is None else bound
    upper = np.where(seen.upper >= LARGEST, np.inf, seen.upper)
    columns = seen.lower.tolist(), upper.tolist(), seen.count.tolist()
    found = _core.closest_tail(columns, end, places.tolist(), enough)
    if found is None:
        return None
    place, shape, information, ks = found
    threshold = float(seen.lower[place])
    lower, upper = (np.log(side[place:] / threshold) for side in (seen.lower, upper))
    tail = _core.Tail(*columns, place, end)
    return ParetoTail(
        place, threshold, lower, upper, seen.count[place:], shape, information, ks, tail
    )
