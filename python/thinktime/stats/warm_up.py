"""The part of a run to leave out at the beginning.

Source: White, Cobb and Spratt, 'A comparison of five steady-state truncation heuristics for
simulation' (Winter Simulation Conference 2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.stats._samples import sample

_BATCH = 5


@dataclass(frozen=True)
class WarmUp:
    """The result of MSER-5 for a run."""

    samples: int
    """The number of values to leave out at the beginning."""

    long_enough: bool
    """False if the best cut is at the middle of the run, the last place tried: the run is then too
    short to judge."""


def mser5(samples: ArrayLike) -> WarmUp:
    """MSER-5: leave out the beginning that makes the standard error of the rest smallest.

    Of the means Z_1..Z_m of five values each, leave out the first d, d <= m / 2, that minimise
    Σ_{i>d} (Z_i - their mean)² / (m - d)².

    Raises ValueError if there are fewer than 20 values, or values are not finite.
    """
    values = sample(samples, 4 * _BATCH)
    m = len(values) // _BATCH
    means = values[: m * _BATCH].reshape(m, _BATCH).mean(axis=1)
    means = means - means.mean()  # otherwise the squares would drown the differences
    left = m - np.arange(m // 2 + 1)
    sums = np.cumsum(means[::-1])[::-1][: len(left)]
    squares = np.cumsum(means[::-1] ** 2)[::-1][: len(left)]
    best = int(np.argmin((squares - sums**2 / left) / left**2))
    return WarmUp(_BATCH * best, best < m // 2)
