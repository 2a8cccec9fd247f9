"""The law of a time: a service demand, a wait or a response time."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.numerics import brentq

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]

_SMALLEST = 1e-300  # replaces a survival probability of 0 before its logarithm is taken


class Law(ABC):
    """The law of a random time T >= 0 with a finite mean.

    Times are in seconds, or in any one unit that is used throughout.
    """

    @property
    @abstractmethod
    def mean(self) -> float:
        """E[T]."""

    @abstractmethod
    def sf(self, t: ArrayLike) -> FloatArray:
        """Survival function P(T > t), shaped as ``t``; 1 if ``t`` is negative."""

    def cdf(self, t: ArrayLike) -> FloatArray:
        """Distribution function P(T <= t), shaped as ``t``."""
        return np.asarray(1.0 - self.sf(t), dtype=np.float64)

    def percentile(self, p: float) -> float:
        """The smallest t with P(T <= t) >= p.

        ``p`` is a fraction, 0 <= p < 1: the 99th percentile is ``percentile(0.99)``.
        The relative error is about 1e-10.

        Raises ValueError if p lies outside the range.
        """
        return invert(lambda t: float(self.sf(t)), check_fraction(p), self.mean)


def check_fraction(p: float) -> float:
    """Return ``p`` if 0 <= p < 1, otherwise raise ValueError."""
    if not 0 <= p < 1:
        raise ValueError(f"p is a fraction, at least 0 and below 1 (0.99, not 99); it is {p}")
    return p


def invert(sf: Callable[[float], float], p: float, start: float) -> float:
    """The t at which a continuous survival function equals 1 - p.

    ``start`` > 0 is a first guess at an upper bound. The search runs on log sf, which is
    close to a straight line for the laws of queues.
    """
    target = math.log1p(-p)

    def excess(t: float) -> float:
        return math.log(max(sf(t), _SMALLEST)) - target

    if excess(0.0) <= 0:
        return 0.0
    lower, upper = 0.0, start
    while excess(upper) > 0:
        lower, upper = upper, 2 * upper
    return float(brentq(excess, lower, upper, xtol=1e-14 * upper, rtol=1e-12))
