"""The numbers of pages of journeys, some of which a log's edges cut off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ODDS_MAX = 1e3
"""The odds of an end are changed by no more than this."""


@dataclass(frozen=True)
class Lengths:
    """Numbers of pages, and the count of journeys with each."""

    pages: NDArray[np.int64]
    """Each number once, in order, from 1 on."""

    many: NDArray[np.float64]
    """Not always whole, because the lengths of journeys that were cut off are estimated."""

    @property
    def mean(self) -> float:
        """The mean number of pages; 0 without journeys."""
        return float(self.pages @ self.many / max(float(self.many.sum()), 1e-300))

    def pages_within(self, most: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of the pages of a journey, limited to this many."""
        total = max(float(self.many.sum()), 1e-300)
        longer = 1 - np.concatenate([[0.0], np.cumsum(self.many)]) / total
        knots = np.concatenate([[0], self.pages]).astype(np.float64)
        upto = np.concatenate([[0.0], np.cumsum(longer[:-1] * np.diff(knots))])
        return np.asarray(np.interp(most, knots, upto))


def counted(many: NDArray[np.int64]) -> Lengths:
    """The lengths of counts of journeys by their number of pages, from 0 on."""
    pages = np.flatnonzero(many)
    return Lengths(pages, many[pages].astype(np.float64))


def whole(seen: NDArray[np.int64], ended: NDArray[np.int64]) -> Lengths:
    """The numbers of pages of journeys as if none were cut off.

    ``seen`` are the counts of journeys by the observed number of pages, from 0 on, not all 0;
    ``ended`` are those of journeys without further pages. Source: Kaplan and Meier, 'Nonparametric
    estimation from incomplete observations' (Journal of the American Statistical Association 53,
    1958).
    """
    pages = np.flatnonzero(seen)
    under_way = np.cumsum(seen[pages][::-1])[::-1]
    return Lengths(pages, int(seen.sum()) * _shares(ended[pages] / under_way))


def tilted(lengths: Lengths, mean: float) -> Lengths:
    """Lengths of this mean, as far as it can be reached.

    The odds of an end are changed alike after all numbers of pages but the largest.
    """
    under_way = np.cumsum(lengths.many[::-1])[::-1]
    ends = lengths.many / np.maximum(under_way, 1e-300)
    low, high = -math.log(ODDS_MAX), math.log(ODDS_MAX)
    for _ in range(60):
        middle = (low + high) / 2
        if _with_odds(lengths, ends, middle).mean > mean:
            low = middle
        else:
            high = middle
    return _with_odds(lengths, ends, (low + high) / 2)


def of_mean(choices: Sequence[Lengths], mean: float, within: float) -> Lengths:
    """The first of these, tilted, that reaches ``mean`` but for the share ``within``.

    If none does, journeys have one of the two whole numbers of pages about the mean.
    """
    for one in choices:
        found = tilted(one, mean)
        if abs(found.mean / mean - 1) <= within:
            return found
    fewer = max(math.floor(mean), 1)
    more = min(max(mean - fewer, 0.0), 1.0)
    total = float(choices[0].many.sum())
    both = Lengths(np.array([fewer, fewer + 1]), total * np.array([1 - more, more]))
    return both if more > 0 else Lengths(both.pages[:1], both.many[:1])


def _with_odds(lengths: Lengths, ends: NDArray[np.float64], more: float) -> Lengths:
    odds = math.exp(more)
    shares = _shares(odds * ends / (odds * ends + 1 - ends))
    return Lengths(lengths.pages, float(lengths.many.sum()) * shares)


def _shares(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of journeys that end at each length, of all that reach it; the longest end."""
    ends = np.append(ends[:-1], 1.0)
    going = np.concatenate([[1.0], np.cumprod(1 - ends[:-1])])
    return np.asarray(going * ends)
