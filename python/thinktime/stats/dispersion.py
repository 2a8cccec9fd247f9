"""Whether counts by interval are those of a Poisson process.

Source: Cox and Lewis, 'The Statistical Analysis of Series of Events' (1966), section 6.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime._core import law_tails
from thinktime.stats._samples import sample


@dataclass(frozen=True)
class Dispersion:
    """Variance over mean of counts."""

    index: float
    """1 on average for a Poisson process; above 1 burstier, below 1 more even."""

    p_value: float
    """The probability, for a Poisson process, of an index as far from 1, to either side."""


def index_of_dispersion(counts: ArrayLike) -> Dispersion:
    """Sample variance over mean of counts in intervals of the same length.

    (n - 1) times the index is about χ² with n - 1 degrees of freedom for a Poisson process of
    constant rate; a changing rate raises it too. The mean count should be 5 or more.

    Raises ValueError if there are fewer than 2 counts, one is negative, or all are 0.
    """
    values = sample(counts, 2)
    if values.min() < 0 or values.max() == 0:
        raise ValueError("counts must be 0 or above, and not all 0")
    index = float(values.var(ddof=1) / values.mean())
    degrees = len(values) - 1
    # The law of χ² is a gamma law.
    (below,), (above,) = law_tails("gamma", [degrees / 2, 2.0], [degrees * index])
    return Dispersion(index, min(1.0, 2 * min(below, above)))


def counts_by_interval(times: ArrayLike, interval: float) -> NDArray[np.int64]:
    """The number of the ``times`` >= 0 in each whole interval from 0 on.

    The interval that holds the last of them, likely cut short, is left out.

    Raises ValueError if the interval is not above 0, a time is negative, or there are no times.
    """
    values = sample(times, 1)
    if not interval > 0 or values.min() < 0:
        raise ValueError("the interval must be above 0, and every time 0 or above")
    at = np.floor(values / interval).astype(np.int64)
    return np.bincount(at[at < at.max()], minlength=int(at.max())).astype(np.int64)
