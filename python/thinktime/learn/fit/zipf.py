"""The spread of requests over objects: Zipf's exponent.

With n objects the r-th most popular gets the share r^-s / H(n, s) of the requests, H(n, s) = Σ
r^-s. Ranks by count are not the true ones: chance changes the order of objects, and always makes
popularity look steeper. So the exponent is the one at which simulated counts, put in order, give
the same maximum likelihood estimate as the data (indirect inference).

Sources: Breslau, Cao, Fan, Phillips and Shenker, 'Web caching and Zipf-like distributions'
(INFOCOM 1999); Gourieroux, Monfort and Renault, 'Indirect inference' (Journal of Applied
Econometrics 8, 1993); Goldstein, Morris and Yen, 'Problems with fitting to the power-law
distribution' (European Physical Journal B 41, 2004), for the likelihood of ranks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.learn.fit.family import FloatArray
from thinktime.learn.fit.root import root

_EXPONENT_MAX = 10.0
_UNSEEN_MAX = 10
"""The largest number of objects, as a multiple of those seen."""

_TURNS = 6
_MADE = 100_000
"""Each turn simulates counts for about this many objects, in 2 to 20 repetitions."""


@dataclass(frozen=True)
class ZipfFit:
    """Zipf's law of the popularity of objects."""

    exponent: float
    """s, 0 or above: 0 if all are equally popular."""

    objects: int
    """n, with objects that exist by the law but were not requested."""


def zipf(counts: ArrayLike) -> ZipfFit:
    """Zipf's exponent and the number of objects, from the requests of each object in any order.

    Counts that are not above 0 and finite are left out. The result is the same for the same
    counts. Raises nothing.
    """
    row = np.asarray(counts, dtype=np.float64).ravel()
    row = np.sort(row[np.isfinite(row) & (row > 0)])[::-1]
    seen, requests = len(row), float(row.sum())
    if seen < 2:
        return ZipfFit(0.0, seen)
    exponent = _corrected(_ranked(row), seen, requests)
    return ZipfFit(exponent, _objects(exponent, seen, requests))


def _corrected(target: float, seen: int, requests: float) -> float:
    """The exponent whose simulated counts give the estimate ``target``.

    By the secant method, which ends with the mean of some turns.
    """
    generator = np.random.default_rng(1)
    exponent, rise, last = target, 1.0, (math.nan, math.nan)
    settled: list[FloatArray] = []
    for turn in range(_TURNS):
        made = _made(exponent, _objects(exponent, seen, requests), requests, generator)
        mean, noise = float(made.mean()), float(made.std()) / math.sqrt(len(made))
        if abs(exponent - last[0]) > 5 * noise:
            rise = min(max((mean - last[1]) / (exponent - last[0]), 0.1), 1.2)
        last = exponent, mean
        settled = [*settled, made - exponent] if turn > _TURNS // 2 else [made - exponent]
        off = float(np.mean(np.concatenate(settled))) + exponent - target
        exponent = min(max(exponent - off / rise, 0.0), _EXPONENT_MAX)
    return exponent


def _ranked(counts: FloatArray) -> float:
    """The maximum likelihood estimate with counts in falling order as ranks.

    At it the mean of ln r by the law, which falls with s, is that of the counts.
    """
    wanted = float(counts @ np.log(np.arange(1, len(counts) + 1)) / counts.sum())
    ranks, many = _thinned(len(counts))
    logs = np.log(ranks)

    def excess(s: float) -> float:
        weights = many * np.exp(-s * logs)
        return float(weights @ logs / weights.sum()) - wanted

    if excess(0.0) <= 0:
        return 0.0
    if excess(_EXPONENT_MAX) >= 0:
        return _EXPONENT_MAX
    return root(excess, 0.0, _EXPONENT_MAX, within=1e-7)


def _objects(exponent: float, seen: int, requests: float) -> int:
    """The number of objects if this many of them are requested at least once.

    The expected number of the latter is Σ (1 - e^{-N p_r}).
    """

    def excess(objects: float) -> float:
        ranks, weights = _thinned(round(objects))
        popular = ranks**-exponent
        share = popular / float(weights @ popular)
        return float(weights @ -np.expm1(-requests * share)) - seen

    if excess(seen) >= -0.5:
        return seen
    most = _UNSEEN_MAX * seen
    if excess(most) <= 0:
        return most
    return round(root(excess, seen, most, within=0.5))


def _thinned(objects: int) -> tuple[FloatArray, FloatArray]:
    """Ranks that represent all of them, and how many each represents: one by one up to 1000."""
    near = np.arange(1, min(objects, 1000) + 1, dtype=np.float64)
    if objects <= 1000:
        return near, np.ones(len(near))
    bounds = np.geomspace(1000.5, objects + 0.5, 500)
    ranks, many = np.sqrt(bounds[1:] * bounds[:-1]), np.diff(bounds)
    return np.concatenate([near, ranks]), np.concatenate([np.ones(len(near)), many])


def _made(
    exponent: float, objects: int, requests: float, generator: np.random.Generator
) -> FloatArray:
    """Estimates from simulated counts."""
    popular = np.arange(1, objects + 1, dtype=np.float64) ** -exponent
    expected = requests * popular / popular.sum()
    estimates = []
    for _ in range(min(max(_MADE // objects, 2), 20)):
        counts = np.sort(generator.poisson(np.minimum(expected, 1e18)).astype(np.float64))[::-1]
        counts = counts[counts > 0]
        if len(counts) > 1:
            estimates.append(_ranked(counts))
    return np.array(estimates or [exponent])
