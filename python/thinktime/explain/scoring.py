"""How far what a model does is from what was measured, and what of that may be chance.

Requests are compared with those that found as many others: their response times tell policies and
servers apart, and hang little on how many happened to come. Beside these stand all response times
together, and how often a request overtook another.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thinktime.explain.visits import Floats, Visits

EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 1 << 40)
"""Groups by how many others were found: from each of these up to before the next."""

LEAST = 40
"""Smaller groups are not compared."""


def distance(one: Visits, other: Visits, begin_s: float, end_s: float) -> float:
    """Of the requests that came within a time; 0 for the same, 1 and more for nothing alike.

    Half of Kolmogorov's distance of all response times and half of its mean over groups, weighted
    by how many of `one` are in each; and the difference of the shares that overtook.
    """
    kept_one, kept_other = one.between(begin_s, end_s), other.between(begin_s, end_s)
    if kept_one.sum() < LEAST or kept_other.sum() < LEAST:
        return 1.0
    took, took_other = one.took_s[kept_one], other.took_s[kept_other]
    found, found_other = one.found[kept_one], other.found[kept_other]
    apart, weights = [], []
    for low, high in pairwise(EDGES):
        mine = took[(found >= low) & (found < high)]
        theirs = took_other[(found_other >= low) & (found_other < high)]
        if min(len(mine), len(theirs)) >= LEAST:
            apart.append(kolmogorov(mine, theirs))
            weights.append(len(mine))
    by_found = float(np.average(apart, weights=weights)) if apart else 1.0
    passing = abs(float(one.overtook[kept_one].mean() - other.overtook[kept_other].mean()))
    return (kolmogorov(took, took_other) + by_found) / 2 + passing


def kolmogorov(ones: Floats, others: Floats) -> float:
    """The largest difference between the distribution functions of two samples."""
    points = np.concatenate([ones, others])
    return float(np.abs(_share(ones, points) - _share(others, points)).max())


def _share(values: Floats, points: Floats) -> NDArray[np.float64]:
    return np.asarray(np.searchsorted(np.sort(values), points, side="right") / len(values))
