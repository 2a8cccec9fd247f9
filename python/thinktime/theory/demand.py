"""Laws of the service demand: the work that a request brings to a station.

Symbols: S the service demand, E[S] its mean, C² = Var S / E[S]² its squared coefficient of
variation.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from thinktime.numerics import gammainc
from thinktime.theory._checks import non_negative, positive
from thinktime.theory._panels import Panels
from thinktime.theory.law import ComplexArray, FloatArray, Law, check_fraction


class Demand(Protocol):
    """The part of a service demand that the formulas for means need."""

    @property
    def mean(self) -> float:
        """E[S]."""

    @property
    def second_moment(self) -> float:
        """E[S²]."""

    @property
    def cv2(self) -> float:
        """C²."""


class DemandLaw(Law):
    """A service demand with a known law. It is a `Demand` too."""

    @property
    @abstractmethod
    def second_moment(self) -> float:
        """E[S²]."""

    @property
    @abstractmethod
    def third_moment(self) -> float:
        """E[S³]."""

    @property
    def cv2(self) -> float:
        """C²."""
        return self.second_moment / self.mean**2 - 1.0

    @abstractmethod
    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """E[min(S, x)] and E[min(S, x)²] for x >= 0, shaped as ``x``."""

    @abstractmethod
    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        """∫_0^∞ e^{-s t} P(S > t) dt for Re s > 0, shaped as ``s``.

        The Laplace-Stieltjes transform of the demand is E[e^{-s S}] = 1 - s times this.
        """

    @cached_property
    def panels(self) -> Panels:
        """The panels on which integrals take the survival function."""
        return Panels.of(self.sf, self.mean)


@dataclass(frozen=True)
class Moments:
    """A service demand with known moments only: E[S] > 0 and E[S²] >= E[S]².

    Raises ValueError if no law has these moments.
    """

    mean: float
    second_moment: float

    def __post_init__(self) -> None:
        positive("the mean", self.mean)
        # For a constant demand a rounding error may put E[S²] slightly below E[S]².
        if not self.second_moment >= self.mean**2 * (1 - 1e-12):
            raise ValueError(
                f"the second moment must be at least the square of the mean, {self.mean**2}; "
                f"it is {self.second_moment}"
            )

    @classmethod
    def from_cv2(cls, mean: float, cv2: float) -> Moments:
        """The moments for a mean above 0 and a C² of 0 or above."""
        return cls(positive("the mean", mean), mean**2 * (1 + non_negative("C²", cv2)))

    @property
    def cv2(self) -> float:
        """C²."""
        return self.second_moment / self.mean**2 - 1.0


@dataclass(frozen=True)
class Deterministic(DemandLaw):
    """Every request brings the same demand, ``value`` > 0."""

    value: float

    def __post_init__(self) -> None:
        positive("the value", self.value)

    @property
    def mean(self) -> float:
        return self.value

    @property
    def second_moment(self) -> float:
        return self.value**2

    @property
    def third_moment(self) -> float:
        return self.value**3

    def sf(self, t: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(t) < self.value, dtype=np.float64)

    def percentile(self, p: float) -> float:
        return self.value if check_fraction(p) > 0 else 0.0

    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        least = np.minimum(np.asarray(x, dtype=np.float64), self.value)
        return least, least**2

    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        return np.asarray(-np.expm1(-s * self.value) / s)


@dataclass(frozen=True)
class Hyperexponential(DemandLaw):
    """A mixture of exponentials: rate ``rates[k]`` with probability ``probabilities[k]``.

    One phase is the exponential law. E[S^n] = n! Σ p_k / rate_k^n, so C² >= 1.
    The response time of an open FCFS station with such a demand has a law of this kind too,
    see `mh1_response`.

    Raises ValueError if the two differ in length, a rate is not above 0, a probability is negative
    or the probabilities do not sum to 1 (within 1e-9; they are then scaled).
    """

    probabilities: Sequence[float]
    rates: Sequence[float]

    def __post_init__(self) -> None:
        probabilities, rates = tuple(self.probabilities), tuple(self.rates)
        if len(probabilities) != len(rates) or not rates:
            raise ValueError(
                "give one rate for each probability, and at least one; "
                f"there are {len(probabilities)} probabilities and {len(rates)} rates"
            )
        for p, rate in zip(probabilities, rates, strict=True):
            non_negative("each probability", p)
            positive("each rate", rate)
        total = math.fsum(probabilities)
        if abs(total - 1) > 1e-9:
            raise ValueError(f"the probabilities must sum to 1; they sum to {total}")
        object.__setattr__(self, "probabilities", tuple(float(p / total) for p in probabilities))
        object.__setattr__(self, "rates", tuple(float(rate) for rate in rates))

    @classmethod
    def exponential(cls, mean: float) -> Hyperexponential:
        """The exponential law: one phase, C² = 1."""
        return cls((1.0,), (1 / positive("the mean", mean),))

    @classmethod
    def balanced(cls, mean: float, cv2: float) -> Hyperexponential:
        """Two phases with balanced means, p_1 / rate_1 = p_2 / rate_2, for C² >= 1.

        p_1 = (1 + sqrt((C² - 1) / (C² + 1))) / 2 and rate_k = 2 p_k / mean: Tijms,
        'Stochastic Models' (1994). Written `h2(MEAN, cv2=...)` in workload files.

        Raises ValueError if mean <= 0 or C² < 1.
        """
        positive("the mean", mean)
        if not (math.isfinite(cv2) and cv2 >= 1):
            raise ValueError(f"a hyperexponential law needs a C² of 1 or above; it is {cv2}")
        # p_2 from 2 p_1 p_2 = 1 / (C² + 1), without the cancellation of 1 - p_1.
        p1 = (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2
        p2 = 1 / (2 * (cv2 + 1) * p1)
        return cls((p1, p2), (2 * p1 / mean, 2 * p2 / mean))

    @property
    def mean(self) -> float:
        return self._moment(1)

    @property
    def second_moment(self) -> float:
        return self._moment(2)

    @property
    def third_moment(self) -> float:
        return self._moment(3)

    def sf(self, t: ArrayLike) -> FloatArray:
        elapsed = np.maximum(np.asarray(t, dtype=np.float64), 0.0)
        decay = np.exp(-elapsed[..., np.newaxis] * np.asarray(self.rates))
        return np.asarray(decay @ np.asarray(self.probabilities), dtype=np.float64)

    def percentile(self, p: float) -> float:
        if len(self.rates) > 1:
            return super().percentile(p)
        return -math.log1p(-check_fraction(p)) / self.rates[0]

    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        rates, p = np.asarray(self.rates), np.asarray(self.probabilities)
        scaled = np.asarray(x, dtype=np.float64)[..., np.newaxis] * rates
        first = -np.expm1(-scaled) @ (p / rates)
        return first, np.asarray(2 * gammainc(2, scaled) @ (p / rates**2))

    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        return np.asarray((1 / (s[..., np.newaxis] + self.rates)) @ np.asarray(self.probabilities))

    def _moment(self, n: int) -> float:
        phases = zip(self.probabilities, self.rates, strict=True)
        return math.factorial(n) * math.fsum(p / rate**n for p, rate in phases)
