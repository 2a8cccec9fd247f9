"""The distance of a model's simulations from the measurement, and the part of it due to chance.

Requests are compared with those that found as many others: their response times distinguish
policies and servers, and depend little on how many happened to come. All response times together,
and how often a request overtook another, are compared as well.

A second figure is the log-likelihood of the response times. Source: Bernardo and Smith, 'Bayesian
Theory' (1994), section 3.4, for the logarithm as the score of a prediction; the half that is added
to each count is that of Krichevsky and Trofimov, 'The performance of universal encoding' (IEEE
Transactions on Information Theory 27, 1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from thinktime.candidates.visits import Floats, Mask, Numbers, Visits

EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 1 << 40)
"""Groups by the number of others found: from each of these up to before the next."""

LEAST = 40
"""Smaller groups are not compared."""

PER_OCTAVE = 8
"""Buckets of response times to a factor of two, for likelihoods."""

SAME_TIME = 1e-4
"""Times that differ by no more than this share of them are the same."""

ADDED = 0.5
"""It is added to the count of each bucket: a time that no simulation gave is then as probable as
half a request among all simulated ones."""


class Stretch(NamedTuple):
    """The requests that came within a time."""

    took_s: Floats
    found: Numbers
    overtook: Mask

    @classmethod
    def of(cls, visits: Visits, begin_s: float, end_s: float) -> Stretch:
        """The requests that came from one time up to another, among all that were there."""
        kept = (visits.arrival_s >= begin_s) & (visits.arrival_s < end_s)
        return cls(visits.duration_s[kept], visits.found[kept], visits.overtook[kept])

    @property
    def groups(self) -> list[Mask]:
        """For each of the groups whether each request belongs to it."""
        return [(self.found >= low) & (self.found < high) for low, high in pairwise(EDGES)]


def distance(one: Stretch, other: Stretch) -> float:
    """The distance of the requests of two stretches; 0 if equal, 1 and more if unlike.

    It is half of Kolmogorov's distance of all response times, plus half of its mean over groups,
    weighted by the requests of `one` in each, plus the difference of the shares that overtook.
    """
    if min(len(one.took_s), len(other.took_s)) < LEAST:
        return 1.0
    apart, weights = [], []
    for own, others in zip(one.groups, other.groups, strict=True):
        mine, theirs = one.took_s[own], other.took_s[others]
        if min(len(mine), len(theirs)) >= LEAST:
            apart.append(kolmogorov(mine, theirs))
            weights.append(len(mine))
    by_found = float(np.average(apart, weights=weights)) if apart else 1.0
    passing = abs(float(one.overtook.mean() - other.overtook.mean()))
    return (kolmogorov(one.took_s, other.took_s) + by_found) / 2 + passing


def farthest(runs: Sequence[Stretch]) -> float:
    """The largest mean distance of one run from the others."""
    apart = np.zeros((len(runs), len(runs)))
    for other, n in combinations(range(len(runs)), 2):
        apart[n, other] = apart[other, n] = distance(runs[n], runs[other])
    return float(apart.sum(axis=1).max() / (len(runs) - 1))


def log_likelihood(one: Stretch, runs: Sequence[Stretch]) -> float:
    """The log-likelihood of the response times of a stretch, as `runs` predict them.

    It is the mean, over requests, of the natural logarithm of the probability of the bucket of a
    response time, among simulated requests that found as many others (among all of them, if fewer
    than `LEAST` did). Probabilities are shares of the runs together, with `ADDED` to each count. 0
    would be certain; -inf if nothing can be compared.
    """
    every = Stretch(*map(np.concatenate, zip(*runs, strict=True)))
    if not len(one.took_s) or not len(every.took_s):
        return -float("inf")
    mine, other = _bucket(one.took_s), _bucket(every.took_s)
    least = min(mine.min(), other.min())
    many = int(max(mine.max(), other.max()) - least) + 1
    logs = _logs(other - least, many)[mine - least]
    for own, alike in zip(one.groups, every.groups, strict=True):
        if np.count_nonzero(alike) >= LEAST and own.any():
            logs[own] = _logs(other[alike] - least, many)[mine[own] - least]
    return float(logs.mean())


def _bucket(times_s: Floats) -> Numbers:
    places = np.floor(np.log2(np.maximum(times_s, 1e-9)) * PER_OCTAVE)
    return np.asarray(places.astype(np.int64))


def _logs(buckets: Numbers, many: int) -> Floats:
    counts = np.bincount(buckets, minlength=many) + ADDED
    return np.asarray(np.log(counts / counts.sum()))


def kolmogorov(ones: Floats, others: Floats) -> float:
    """The largest difference between the distribution functions of two samples.

    Times that differ by at most `SAME_TIME` are the same: if many requests take one time, the last
    digit of a law would otherwise count as much as another server.
    """
    return max(_before(ones, others), _before(others, ones), 0.0)


def _before(ones: Floats, others: Floats) -> float:
    """The largest excess, over all times, of the share of `ones` that are no longer."""
    points = np.sort(ones)
    shares = np.arange(1, len(points) + 1) / len(points)
    theirs = np.searchsorted(np.sort(others), points * (1 + SAME_TIME), side="right") / len(others)
    return float((shares - theirs).max())
