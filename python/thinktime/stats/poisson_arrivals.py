"""Whether arrivals are a Poisson process, though its rate may change slowly.

Source: Kim and Whitt, 'Are call center and hospital arrivals well modeled by nonhomogeneous
Poisson processes?' (Manufacturing and Service Operations Management 16, 2014).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.stats._samples import sample
from thinktime.stats.kolmogorov import kolmogorov_smirnov


@dataclass(frozen=True)
class UniformityTest:
    """The test of Kolmogorov and Smirnov for places within intervals."""

    statistic: float
    """The largest distance from the uniform distribution function."""

    p_value: float
    """The probability, for a Poisson process, of a distance as large."""

    arrivals: int
    """The number of arrivals in the test."""


def conditional_uniformity(times: ArrayLike, interval: float) -> UniformityTest:
    """Whether arrivals lie uniformly within intervals, as those of a Poisson process do.

    ``times`` >= 0 in any order and ``interval`` > 0 in the same unit; the rate must be about
    constant within an interval. Given their number, the arrivals of each whole interval are then
    uniform in it, whatever its rate; all intervals are combined. The interval that holds the last
    arrival is left out.

    It finds rates that change within intervals and times that were rounded. It hardly notices
    gaps that are not exponential: for these see
    `thinktime.stats.anderson_darling_exponential` and `thinktime.stats.index_of_dispersion`.

    Raises ValueError if the interval is not above 0, a time is negative, or fewer than 2 arrivals
    lie in whole intervals.
    """
    values = sample(times, 2)
    if not interval > 0 or values.min() < 0:
        raise ValueError("the interval must be above 0, and every time 0 or above")
    number = np.floor(values / interval)
    places = (values / interval - number)[number < number.max()]
    sample(places, 2)
    return UniformityTest(*kolmogorov_smirnov(places), len(places))
