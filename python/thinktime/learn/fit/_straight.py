"""Pareto tails of a tally: straight lines where survival is drawn on two logarithmic scales.

Sources: Virkar and Clauset, 'Power-law distributions in binned empirical data' (Annals of Applied
Statistics 8, 2014); Stephens, 'EDF statistics for goodness of fit and some comparisons' (Journal
of the American Statistical Association 69, 1974), case 4, for distances that chance gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime.learn.fit.family import FloatArray
from thinktime.learn.fit.fitting import DECISIVE
from thinktime.learn.fit.observed import TINY, Observed
from thinktime.learn.fit.tally import LARGEST, Tally

LEAST_VALUES = 100
"""A tail of fewer values is not looked at."""

_THRESHOLDS = 200
_CHANCE = 0.9
"""A distance of this over √N is what chance gives in four of five samples, where the shape was
estimated."""

_STAMPS = 3
"""The tail of rounded stamps begins beyond so many steps, where the rounding hardly shows."""


@dataclass(frozen=True)
class Straight:
    """The bins over a threshold, with the Pareto law fitted to them."""

    place: int
    """The number of the first bin."""

    threshold: float
    lower: FloatArray
    upper: FloatArray
    """Bounds of the bins as ln(x / threshold)."""

    count: FloatArray
    span: float
    """Where the tail ends, likewise; infinite where it does not."""

    shape: float
    information: float
    """One over the variance of the shape."""

    @property
    def total(self) -> float:
        """How many values lie in the tail."""
        return float(self.count.sum())

    @property
    def ks(self) -> float:
        """The largest distance between the distribution functions of law and data."""
        with np.errstate(all="ignore"):
            kept = -np.expm1(-self.shape * self.span)
            at = [np.minimum(-np.expm1(-self.shape * y) / kept, 1) for y in self.bounds]
        return distance(at[0], at[1], self.count)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Of the bins, up to the tail's end."""
        return self.lower, np.minimum(self.upper, self.span)

    @property
    def log_likelihood(self) -> float:
        """The logarithm of the probability of the bins' values."""
        with np.errstate(all="ignore"):
            low, high = (np.exp(-self.shape * y) for y in self.bounds)
            mass = (low - high) / -np.expm1(-self.shape * self.span)
        return float(self.count @ np.log(np.fmax(mass, TINY)))


def distance(at_lower: FloatArray, at_upper: FloatArray, count: FloatArray) -> float:
    """The largest difference of a law's distribution function, at bounds of bins, to the data's."""
    upto, share = np.cumsum(count) / count.sum(), count / count.sum()
    return float(max(np.max(np.abs(at_upper - upto)), np.max(np.abs(at_lower - (upto - share)))))


def by_chance(total: float) -> float:
    """The distance to the right law that so many values may well have."""
    return _CHANCE / math.sqrt(min(total, DECISIVE))


def positive(tally: Tally) -> Observed | None:
    """The values above zero, if there are enough."""
    if np.all(tally.zero):
        return None
    seen = Observed(tally)
    if seen.step > 0 and not tally.whole:
        seen.lower, seen.upper = _unrounded(seen.first, seen), _unrounded(seen.last + 1, seen)
    return seen if seen.total >= LEAST_VALUES else None


def _unrounded(number: FloatArray, seen: Observed) -> FloatArray:
    """The x with P(X > x) = P(D >= number steps) for a Pareto law with the shape 3/2.

    P(D >= k) is the mean of P(X > x) over k - 1 to k, which by its second derivative is that at
    x = k - 1/2 times 1 + a (a + 1) / 24 x². So x lies (a + 1) / 24 x lower, whatever the scale.
    """
    middle = np.maximum(number - 0.5, 0.25)
    return np.where(number < 1, 0.0, middle - 2.5 / (24 * middle)) * seen.step


def bound_of(seen: Observed) -> float | None:
    """Where observation ends."""
    if seen.limit_at is None:
        return None
    if seen.step > 0 and not seen.tally.whole:
        return float(_unrounded(np.array(seen.limit_at + 1), seen))
    return seen.limit_at


def best_tail(seen: Observed, bound: float | None) -> Straight | None:
    """The longest tail as close to its law as chance allows; the closest where there is none."""
    above, least = values_above(seen), least_threshold(seen)
    places = np.flatnonzero((above >= LEAST_VALUES) & (seen.lower > least))
    places = places[places < len(above) - 4]  # a line goes through any two bins
    if not len(places):
        return None
    some = np.unique(np.linspace(0, len(places) - 1, _THRESHOLDS).astype(int))
    tails = [one for i in some if (one := straight(seen, int(places[i]), bound)) is not None]
    distances = [one.ks for one in tails]
    for one, ks in zip(tails, distances, strict=True):
        if ks <= by_chance(one.total):
            return one
    return tails[int(np.argmin(distances))] if tails else None


def values_above(seen: Observed) -> FloatArray:
    """How many values lie in each bin and those above it."""
    return np.cumsum(seen.count[::-1])[::-1]


def least_threshold(seen: Observed) -> float:
    """Beyond it a tail may begin."""
    return 0.0 if seen.tally.whole else _STAMPS * seen.step


def straight(seen: Observed, place: int, bound: float | None) -> Straight | None:
    """The Pareto law over the bins from ``place`` on, by maximum likelihood."""
    threshold = float(seen.lower[place])
    lower, upper = (np.log(side[place:]) - math.log(threshold) for side in (seen.lower, seen.upper))
    upper = np.where(seen.upper[place:] >= LARGEST, np.inf, upper)
    span = math.inf if bound is None else math.log(bound) - math.log(threshold)
    if not span > 0:
        return None
    count = seen.count[place:]
    shape, information = _shape(lower, np.minimum(upper, span), count, span)
    return Straight(place, threshold, lower, upper, count, span, shape, information)


def _shape(
    lower: FloatArray, upper: FloatArray, count: FloatArray, span: float
) -> tuple[float, float]:
    """The most likely shape of values in bins of y = ln(x / threshold), and its information.

    A bin has the probability (e^{-a y1} - e^{-a y2}) / (1 - e^{-a span}); Newton's steps on a.
    """
    total, width = float(count.sum()), upper - lower
    middle = np.where(np.isfinite(width), lower + np.minimum(width, 1) / 2, lower)
    shape = total / max(float(count @ middle), 1e-12 * total)
    information, end = 0.0, np.array([span])
    for _ in range(30):
        (slopes, bends), (of_all, bend_of_all) = _rates(width, shape), _rates(end, shape)
        slope = float(count @ (slopes - lower)) - total * float(of_all[0])
        information = float(count @ bends) - total * float(bend_of_all[0])
        if not information > 0:
            break
        step = min(max(slope / information, -shape / 2), shape)
        shape = min(max(shape + step, 1e-3), 1e3)
        if abs(step) < 1e-9 * shape:
            break
    return shape, max(information, 0.0)


def _rates(width: FloatArray, shape: float) -> tuple[FloatArray, FloatArray]:
    """Return w / (e^{a w} - 1), and minus its derivative by a, w² e^{a w} / (e^{a w} - 1)²."""
    z = np.clip(shape * width, 1e-8, 500.0)
    return z / np.expm1(z) / shape, (z / (2 * np.sinh(z / 2)) / shape) ** 2
