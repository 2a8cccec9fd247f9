"""Whether values depend on the ones some places before.

Source: Kendall and Gibbons, 'Rank Correlation Methods' (1990). Lancet (Kogias, Mallon and Bugnion,
USENIX ATC 2019) accepts samples as independent at a p-value above 1e-10, and otherwise takes fewer
of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.numerics import stdtr
from thinktime.stats._samples import sample, varying


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation of values with those a lag later."""

    correlation: float
    """-1 to 1; 0 on average for independent values."""

    p_value: float
    """The probability, for independent values, of a correlation as far from 0."""


def lag_correlation(samples: ArrayLike, lag: int = 1) -> RankCorrelation:
    """Spearman's ρ of x_i and x_{i+lag}; its p-value by Student's t with n - 2 degrees.

    t = ρ sqrt((n - 2) / (1 - ρ²)) for n pairs. ``lag`` >= 1. Equal values share their rank.

    Raises ValueError if there are fewer than lag + 3 values, values are not finite or all the same,
    or the lag is below 1.
    """
    if lag != int(lag) or lag < 1:
        raise ValueError(f"the lag must be a whole number, 1 or above; it is {lag}")
    values = sample(samples, lag + 3)
    before, after = (_ranks(varying(part)) for part in (values[:-lag], values[lag:]))
    n = len(before)
    rho = float(np.clip(np.corrcoef(before, after)[0, 1], -1.0, 1.0))
    if abs(rho) == 1:
        return RankCorrelation(rho, 0.0)
    t = abs(rho) * math.sqrt((n - 2) / (1 - rho**2))
    return RankCorrelation(rho, float(2 * stdtr(n - 2, -t)))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each value's rank, from 1; equal ones have the mean of theirs.

    scipy.stats has the same; it takes a second to import.
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks
