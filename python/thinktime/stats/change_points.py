"""The places where a series of values changes its law: the E-divisive procedure.

Source: Matteson and James, 'A nonparametric approach for multiple change point analysis of
multivariate data' (Journal of the American Statistical Association 109, 2014), for one variable and
exponent 1. Each split is compared with random permutations of the values. The seed is fixed, so
that the same values give the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.stats._samples import fraction, sample

_SEED = 20140101
_DISTANCES = 2**14
"""The distances that are computed at once: 128 KiB, which a core keeps near itself."""


@dataclass(frozen=True)
class ChangePoint:
    """A place from which on the values follow another law."""

    place: int
    """The number of the first value after the change, from 0."""

    p_value: float
    """The share of permutations whose best split is as good: small if the split is not due to
    chance."""


def change_points(
    values: ArrayLike, significance: float = 0.05, least: int = 3, permutations: int = 999
) -> list[ChangePoint]:
    """The change points of a series, in its order.

    Two of them are apart by at least ``least`` >= 2 values; fewer than twice as many values have no
    change point. The series is split where its parts differ most; then the parts are split, as long
    as the split is significant.

    Raises ValueError if values are not finite, or a parameter lies outside.
    """
    fraction("significance", significance)
    if least < 2 or permutations < 1:
        raise ValueError("least must be 2 or above, and permutations 1 or above")
    if len(np.atleast_1d(np.asarray(values))) < 2 * least:
        return []
    series = sample(values, 1)
    random = np.random.default_rng(_SEED)
    found: list[ChangePoint] = []
    parts = [(0, len(series))]
    while parts:
        best = max(((_best_split(series[a:b], least), a, b) for a, b in parts), key=_gain)
        (gain, place), begin, end = best
        if gain <= 0:
            break
        p_value = _p_value(series, parts, gain, least, random, permutations)
        if p_value > significance:
            break
        found.append(ChangePoint(begin + place, p_value))
        parts.remove((begin, end))
        parts += [(begin, begin + place), (begin + place, end)]
    return sorted(found, key=lambda one: one.place)


def _gain(split: tuple[tuple[float, int], int, int]) -> float:
    return split[0][0]


def _p_value(
    series: NDArray[np.float64],
    parts: list[tuple[int, int]],
    gain: float,
    least: int,
    random: np.random.Generator,
    permutations: int,
) -> float:
    """How often values that are permuted within the parts can be split as well."""
    drawn = [np.empty((permutations, end - begin)) for begin, end in parts]
    for number in range(permutations):
        for rows, (begin, end) in zip(drawn, parts, strict=True):
            rows[number] = random.permutation(series[begin:end])
    best = np.max([_best_gains(rows, least) for rows in drawn], axis=0)
    as_good = int((best >= gain * (1 - 1e-12)).sum())
    return (as_good + 1) / (permutations + 1)


def _best_gains(rows: NDArray[np.float64], least: int) -> NDArray[np.float64]:
    """The largest energy distance of each row's splits; 0 for rows that are too short for one."""
    many, size = rows.shape
    if size < 2 * least:
        return np.zeros(many)
    at_once = max(1, _DISTANCES // size**2)
    starts = range(0, many, at_once)
    return np.concatenate([_gains(rows[n : n + at_once], least).max(axis=1) for n in starts])


def _best_split(values: NDArray[np.float64], least: int) -> tuple[float, int]:
    """The largest energy distance of two parts, and the place at which the second begins."""
    if len(values) < 2 * least:
        return 0.0, 0
    (gains,) = _gains(values[None, :], least)
    place = int(gains.argmax())
    return float(gains[place]), place + least


def _gains(rows: NDArray[np.float64], least: int) -> NDArray[np.float64]:
    """The energy distance of the two parts of each row, for each split that leaves `least` values.

    With n and m values it is n m / (n + m) times twice the mean distance between the parts, less
    the mean distances within each.
    """
    size = rows.shape[1]
    apart = np.abs(rows[:, :, None] - rows[:, None, :])
    # Of the first k values with each other.
    upto = np.cumsum(np.cumsum(apart, axis=1), axis=2).diagonal(axis1=1, axis2=2)
    n = np.arange(1, size)
    within_first = upto[:, :-1]
    to_all = np.cumsum(apart.sum(axis=2), axis=1)[:, :-1]
    between = to_all - within_first
    within_second = upto[:, -1:] - 2 * between - within_first
    m = size - n
    pairs_first, pairs_second = np.maximum(n * (n - 1), 1), np.maximum(m * (m - 1), 1)
    distance = 2 * between / (n * m) - within_first / pairs_first - within_second / pairs_second
    gains: NDArray[np.float64] = (n * m / size * distance)[:, least - 1 : size - least]
    return gains
