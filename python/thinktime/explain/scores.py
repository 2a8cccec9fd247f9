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
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thinktime.explain.visits import Floats, Visits

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


def distance(one: Visits, other: Visits, begin_s: float, end_s: float) -> float:
    """The distance of the requests that came within a time; 0 if equal, 1 and more if unlike.

    It is half of Kolmogorov's distance of all response times, plus half of its mean over groups,
    weighted by the requests of `one` in each, plus the difference of the shares that overtook.
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


def farthest(runs: Sequence[Visits], begin_s: float, end_s: float) -> float:
    """The largest mean distance of one run from the others."""
    many = len(runs)
    apart = np.zeros((many, many))
    for n in range(many):
        for other in range(n):
            apart[n, other] = apart[other, n] = distance(runs[n], runs[other], begin_s, end_s)
    return float(apart.sum(axis=1).max() / (many - 1))


def log_likelihood(one: Visits, runs: Sequence[Visits], begin_s: float, end_s: float) -> float:
    """The log-likelihood of the response times of `one` within a time, as `runs` predict them.

    It is the mean, over requests, of the natural logarithm of the probability of the bucket of a
    response time, among simulated requests that found as many others (among all of them, if fewer
    than `LEAST` did). Probabilities are shares of the runs together, with `ADDED` to each count. 0
    would be certain; -inf if nothing can be compared.
    """
    kept = one.between(begin_s, end_s)
    theirs = [run.between(begin_s, end_s) for run in runs]
    if not kept.any() or not any(there.any() for there in theirs):
        return -float("inf")
    mine, found = _bucket(one.took_s[kept]), one.found[kept]
    pairs = list(zip(runs, theirs, strict=True))
    other = _bucket(np.concatenate([run.took_s[there] for run, there in pairs]))
    other_found = np.concatenate([run.found[there] for run, there in pairs])
    least = min(mine.min(), other.min())
    many = int(max(mine.max(), other.max()) - least) + 1
    every = _logs(other - least, many)
    found_logs = every[mine - least]
    for low, high in pairwise(EDGES):
        alike = (other_found >= low) & (other_found < high)
        own = (found >= low) & (found < high)
        if np.count_nonzero(alike) >= LEAST and own.any():
            found_logs[own] = _logs(other[alike] - least, many)[mine[own] - least]
    return float(found_logs.mean())


def _bucket(times_s: Floats) -> NDArray[np.int64]:
    places = np.floor(np.log2(np.maximum(times_s, 1e-9)) * PER_OCTAVE)
    return np.asarray(places.astype(np.int64))


def _logs(buckets: NDArray[np.int64], many: int) -> Floats:
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
