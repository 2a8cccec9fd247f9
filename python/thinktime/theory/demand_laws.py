"""More laws of the service demand: gamma, uniform, and any law known by its survival function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from thinktime.numerics import gammainc, gammaincc, gammaincinv
from thinktime.theory._checks import count, non_negative, positive
from thinktime.theory._panels import PLACES, WEIGHTS, Panels
from thinktime.theory.demand import DemandLaw
from thinktime.theory.law import ComplexArray, FloatArray, Law, check_fraction


@dataclass(frozen=True)
class Gamma(DemandLaw):
    """The gamma law with a shape and a mean, both above 0: C² = 1 / shape.

    E[e^{-s S}] = (1 + s mean / shape)^{-shape}. A whole number as shape is Erlang's law.

    Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 (1994), chapter
    17. Raises ValueError if the shape or the mean is not above 0.
    """

    shape: float
    mean_demand: float

    def __post_init__(self) -> None:
        positive("the shape", self.shape)
        positive("the mean", self.mean_demand)

    @classmethod
    def erlang(cls, stages: int, mean: float) -> Gamma:
        """The sum of ``stages`` exponential stages, with the mean ``mean`` together."""
        return cls(count("stages", stages), mean)

    @property
    def mean(self) -> float:
        return self.mean_demand

    @property
    def second_moment(self) -> float:
        return self.mean**2 * (1 + 1 / self.shape)

    @property
    def third_moment(self) -> float:
        return self.second_moment * self.mean * (1 + 2 / self.shape)

    def sf(self, t: ArrayLike) -> FloatArray:
        return np.asarray(gammaincc(self.shape, self._scaled(t)), dtype=np.float64)

    def percentile(self, p: float) -> float:
        return float(gammaincinv(self.shape, check_fraction(p)) * self.mean / self.shape)

    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        scaled, longer = self._scaled(x), np.asarray(x) * self.sf(x)
        first = self.mean * gammainc(self.shape + 1, scaled) + longer
        second = self.second_moment * gammainc(self.shape + 2, scaled) + np.asarray(x) * longer
        return first, second

    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        return np.asarray(-np.expm1(-self.shape * np.log1p(s * self.mean / self.shape)) / s)

    def _scaled(self, t: ArrayLike) -> FloatArray:
        return np.maximum(np.asarray(t, dtype=np.float64), 0.0) * (self.shape / self.mean)


@dataclass(frozen=True)
class Uniform(DemandLaw):
    """The uniform law between two bounds, 0 <= lo < hi.

    Raises ValueError if the bounds lie outside.
    """

    lo: float
    hi: float

    def __post_init__(self) -> None:
        positive("hi - lo", self.hi - non_negative("lo", self.lo))

    @property
    def mean(self) -> float:
        return (self.lo + self.hi) / 2

    @property
    def second_moment(self) -> float:
        return (self.lo**2 + self.lo * self.hi + self.hi**2) / 3

    @property
    def third_moment(self) -> float:
        return (self.lo + self.hi) * (self.lo**2 + self.hi**2) / 4

    def sf(self, t: ArrayLike) -> FloatArray:
        return (self.hi - np.clip(np.asarray(t, np.float64), self.lo, self.hi)) / self._width

    def percentile(self, p: float) -> float:
        return self.lo + check_fraction(p) * self._width

    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        # Up to lo nothing is shorter; from there on integrate (hi - t) / (hi - lo).
        points = np.asarray(x, dtype=np.float64)
        below, inside = np.minimum(points, self.lo), np.clip(points, self.lo, self.hi)
        a, b = inside - self.lo, inside + self.lo
        first = below + a * (self.hi - b / 2) / self._width
        thirds = (inside**2 + inside * self.lo + self.lo**2) / 3
        return first, below**2 + 2 * a * (self.hi * b / 2 - thirds) / self._width

    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        # (z - 1 + e^-z) / z² for the sloping part, by its series if z is small.
        z = s * self._width
        small = np.abs(z) < 0.3
        safe = np.where(small, 1.0, z)
        series = np.polyval(_SLOPE_SERIES, np.where(small, z, 0.0))
        slope = np.where(small, series, (safe + np.expm1(-safe)) / safe**2)
        level = -np.expm1(-s * self.lo) / s
        return np.asarray(level + np.exp(-s * self.lo) * self._width * slope)

    @property
    def _width(self) -> float:
        return self.hi - self.lo


_SLOPE_SERIES = np.cumprod([0.5, *(-1.0 / np.arange(3, 15))])[::-1]


@dataclass(frozen=True, eq=False)
class NumericalDemand(DemandLaw):
    """A service demand with a known survival function and mean.

    ``law`` is any `Law` with a mean above 0; it may have atoms. Moments and transforms come from
    quadrature of its survival function, with a relative error near 1e-11 if that is exact to the
    last digit in the tail too, which 1 - F is not. For a heavy tail give the
    ``known_second_moment``, which may be infinite. ``atoms`` are places, rising, at which the law
    is known to jump; a few hundred others are found. `size_based` measures the error that is left.

    Raises ValueError if the mean or the known second moment is not above 0.
    """

    law: Law
    known_second_moment: float | None = None
    atoms: ArrayLike = ()

    def __post_init__(self) -> None:
        positive("the mean", self.law.mean)
        if self.known_second_moment is not None and not self.known_second_moment > 0:
            raise ValueError(f"E[S²] must be above 0; it is {self.known_second_moment}")

    @property
    def mean(self) -> float:
        return self.law.mean

    @cached_property
    def panels(self) -> Panels:
        return Panels.of(self.sf, self.mean, self.atoms)

    @property
    def second_moment(self) -> float:
        if self.known_second_moment is not None:
            return self.known_second_moment
        return float(self.panels.bounded_moments[1][-1, -1])

    @property
    def third_moment(self) -> float:
        return self.panels.total(3 * self.panels.x**2 * self.panels.sf)

    def sf(self, t: ArrayLike) -> FloatArray:
        return self.law.sf(t)

    def percentile(self, p: float) -> float:
        return self.law.percentile(p)

    def bounded_moments(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        at, length, places = self.panels.split(x)
        values = self.law.sf(places)
        first, second = (moment[at, 0] for moment in self.panels.bounded_moments)
        return first + length * (values @ WEIGHTS), second + length * (
            2 * places * values @ WEIGHTS
        )

    def survival_transform(self, s: ComplexArray) -> ComplexArray:
        rows = np.asarray(s, dtype=np.complex128)
        if rows.ndim > 1:
            return np.asarray([self.survival_transform(row) for row in rows])
        if rows.ndim == 0:
            return self.survival_transform(rows[np.newaxis]).reshape(())
        x, weighted = self._nodes(rows)
        if not _evenly_spaced(rows):
            return np.asarray(np.exp(-np.multiply.outer(rows, x)) @ weighted)
        # One power after the other: the exponential takes most of the time.
        power, ratio = np.exp(-rows[0] * x), np.exp(-(rows[1] - rows[0]) * x)
        found = np.empty(len(rows), dtype=np.complex128)
        for k in range(len(rows)):
            found[k] = power @ weighted
            power *= ratio
        return found

    def _nodes(self, s: ComplexArray) -> tuple[FloatArray, FloatArray]:
        """Places, and the survival function there times their weights, fine enough for s."""
        panels = self.panels
        seen = panels.left < 40 / s.real.min()  # beyond, e^{-s t} has vanished
        left, width, values = panels.left[seen], panels.width[seen], panels.sf[seen]
        turns = np.abs(s).max() * width
        calm = turns <= 1
        x = left[calm][:, np.newaxis] + np.outer(width[calm], PLACES)
        weighted = values[calm] * np.outer(width[calm], WEIGHTS)
        parts = np.minimum(np.ceil(turns[~calm] / 8), 2000).astype(np.int64)
        piece = np.repeat(width[~calm] / parts, parts)
        number = np.arange(len(piece)) - np.repeat(np.cumsum(parts) - parts, parts)
        start = np.repeat(left[~calm], parts) + number * piece
        fine = start[:, np.newaxis] + np.outer(piece, _GAUSS_PLACES)
        dense = self.law.sf(fine) * np.outer(piece, _GAUSS_WEIGHTS)
        return np.concatenate((x, fine), axis=None), np.concatenate((weighted, dense), axis=None)


def _evenly_spaced(s: ComplexArray) -> bool:
    steps = np.diff(s)
    return len(s) > 2 and bool(np.all(np.abs(steps - steps[0]) <= 1e-13 * np.abs(s[1:])))


_GAUSS = leggauss(20)
_GAUSS_PLACES, _GAUSS_WEIGHTS = (1 + _GAUSS[0]) / 2, _GAUSS[1] / 2
