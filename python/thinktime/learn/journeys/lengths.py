"""How many pages journeys have, although a log's edges cut some of them off."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.journeys.visits import Visits

ODDS_MAX = 1e3
"""The odds of an end are changed by no more than this."""


@dataclass(frozen=True)
class Lengths:
    """Numbers of pages, and how many journeys have each."""

    pages: NDArray[np.int64]
    """Each number once, in order, from 1 on."""

    many: NDArray[np.float64]
    """Not always whole: of journeys that were cut off only so much is known."""

    @property
    def mean(self) -> float:
        """The mean number of pages; 0 without journeys."""
        return float(self.pages @ self.many / max(float(self.many.sum()), 1e-300))

    def pages_within(self, most: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of the pages of a journey, if it comes to so many at most."""
        total = max(float(self.many.sum()), 1e-300)
        longer = 1 - np.concatenate([[0.0], np.cumsum(self.many)]) / total
        knots = np.concatenate([[0], self.pages]).astype(np.float64)
        upto = np.concatenate([[0.0], np.cumsum(longer[:-1] * np.diff(knots))])
        return np.asarray(np.interp(most, knots, upto))


def counted(lengths: NDArray[np.int64]) -> Lengths:
    """The numbers of pages, counted."""
    many = np.bincount(lengths)
    pages = np.flatnonzero(many)
    return Lengths(pages, many[pages].astype(np.float64))


def whole_lengths(visits: Visits, begin_s: float, end_s: float) -> Lengths:
    """The numbers of pages of journeys as if none were cut off.

    Looked at are the journeys that begin from ``begin_s`` on, where hardly one was under way
    before, and of these the pages up to ``end_s``, after which what follows may lie beyond the log.
    Source: Kaplan and Meier, 'Nonparametric estimation from incomplete observations' (Journal of
    the American Statistical Association 53, 1958).
    """
    starts = visits.starts
    lengths = np.bincount(visits.journey, minlength=len(visits.base))[starts]
    known = np.bincount(visits.journey, visits.start_s <= end_s, len(visits.base))[starts]
    looked_at = (visits.start_s[starts] >= begin_s) & (known > 0)
    if not looked_at.any():
        return counted(lengths)
    seen = known[looked_at].astype(np.int64)
    ended = lengths[looked_at] == seen
    gone = np.bincount(seen)
    pages = np.flatnonzero(gone)
    under_way = np.cumsum(gone[pages][::-1])[::-1]
    ends = np.bincount(seen[ended], minlength=len(gone))[pages] / under_way
    return Lengths(pages, len(seen) * _shares(ends))


def tilted(lengths: Lengths, mean: float) -> Lengths:
    """Lengths of this mean, as far as that can be reached.

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


def _with_odds(lengths: Lengths, ends: NDArray[np.float64], more: float) -> Lengths:
    odds = math.exp(more)
    shares = _shares(odds * ends / (odds * ends + 1 - ends))
    return Lengths(lengths.pages, float(lengths.many.sum()) * shares)


def _shares(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of lengths of which these end, of all that come to them; the longest end."""
    ends = np.append(ends[:-1], 1.0)
    going = np.concatenate([[1.0], np.cumprod(1 - ends[:-1])])
    return np.asarray(going * ends)
