"""Integrals of a survival function, from its values alone.

The half line is cut into panels, on each of which a polynomial follows the function. Panels are
halved until that is so; a jump ends up in a panel of no width to speak of, so that laws with
atoms are integrated as well as smooth ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

from thinktime.theory.law import FloatArray

_DEGREE = 8
_TOLERANCE = 1e-11
_ROUNDING = 4e-16  # of a survival function computed as 1 - F
_PANELS_MAX = 20_000
_NARROW = 1e-9  # a fall within so small a part of its place is a jump
_SMALLEST_POWER, _LARGEST_POWER = -40, 80  # of 2, times the mean: where panels begin and end

Integrand = Callable[[ArrayLike], FloatArray]


def _places(degree: int) -> FloatArray:
    """Chebyshev's points on [0, 1], ends included."""
    return np.asarray((1 - np.cos(np.pi * np.arange(degree + 1) / degree)) / 2)


def _integration_matrix(degree: int) -> FloatArray:
    """Row j times the values at the places is the integral from 0 to place j."""
    z = 2 * _places(degree) - 1
    integrals = chebyshev.chebint(np.eye(degree + 1), lbnd=-1, axis=0)
    rows = chebyshev.chebval(z, integrals).T @ np.linalg.inv(chebyshev.chebvander(z, degree))
    return np.asarray(rows / 2, dtype=np.float64)


PLACES = _places(_DEGREE)
_UP_TO = _integration_matrix(_DEGREE)
WEIGHTS = _UP_TO[-1]
# What the polynomial may be wrong by: the integral less that by every other place, and the last
# two coefficients by Chebyshev, for a kink may please one of the three.
_DOUBTS = np.vstack(
    (WEIGHTS, np.linalg.inv(chebyshev.chebvander(2 * PLACES - 1, _DEGREE))[-2:] / _DEGREE)
)
_DOUBTS[0, ::2] -= _integration_matrix(_DEGREE // 2)[-1]


@dataclass(frozen=True, eq=False)
class Panels:
    """Panels from 0 to where a survival function has vanished, and its values in each."""

    left: FloatArray
    width: FloatArray
    sf: FloatArray
    """At ``x``: one row a panel."""

    @classmethod
    def of(cls, sf: Integrand, mean: float) -> Panels:
        """For a law with the mean ``mean``, of whatever scale and shape."""
        edges = _first_edges(sf, mean)
        left, width = edges[:-1], np.diff(edges)
        found: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        number = len(left)
        while len(left):
            values = sf(left[:, np.newaxis] + np.outer(width, PLACES))
            rough = _rough(left, width, values, mean, number < _PANELS_MAX)
            found.append((left[~rough], width[~rough], values[~rough]))
            half = width[rough] / 2
            left = np.concatenate((left[rough], left[rough] + half))
            width = np.concatenate((half, half))
            number += len(half)
        parts = [np.concatenate(part) for part in zip(*found, strict=True)]
        order = np.argsort(parts[0], kind="stable")
        return cls(*(part[order] for part in parts))

    @cached_property
    def x(self) -> FloatArray:
        return np.asarray(self.left[:, np.newaxis] + np.outer(self.width, PLACES))

    @property
    def end(self) -> float:
        return float(self.left[-1] + self.width[-1])

    @property
    def narrow(self) -> NDArray[np.bool_]:
        """Whether a panel is so narrow that a fall within it is a jump."""
        return np.asarray(self.width < _NARROW * self.left)

    @cached_property
    def bounded_moments(self) -> tuple[FloatArray, FloatArray]:
        """E[min(S, x)] and E[min(S, x)²] at ``x``."""
        return self.up_to(self.sf), self.up_to(2 * self.x * self.sf)

    def up_to(self, values: FloatArray) -> FloatArray:
        """The integral from 0 to each ``x`` of a function given by its values there."""
        within = self.width[:, np.newaxis] * (values @ _UP_TO.T)
        before = np.concatenate(([0.0], np.cumsum(within[:-1, -1])))
        return np.asarray(before[:, np.newaxis] + within)

    def total(self, values: FloatArray) -> float:
        """The integral over all panels but the first, whose place is 0."""
        return float(self.width[1:] @ (values[1:] @ WEIGHTS))

    def split(self, x: ArrayLike) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """For each x: the panel that holds it, and places between its left end and x."""
        points = np.clip(np.asarray(x, dtype=np.float64), 0.0, self.end)
        at = np.searchsorted(self.left, points, side="right").astype(np.int64) - 1
        length = points - self.left[at]
        return at, length, self.left[at][..., np.newaxis] + length[..., np.newaxis] * PLACES


def _first_edges(sf: Integrand, mean: float) -> FloatArray:
    powers = mean * 2.0 ** np.arange(_SMALLEST_POWER, _LARGEST_POWER + 1)
    gone = np.flatnonzero((powers / mean) ** 2 * sf(powers) < 1e-18)
    gone = gone[powers[gone] > mean]
    last = gone[0] if len(gone) else len(powers) - 1
    return np.concatenate(([0.0], powers[: last + 1]))


def _rough(
    left: FloatArray, width: FloatArray, values: FloatArray, mean: float, more: bool
) -> NDArray[np.bool_]:
    """Which panels to halve, if there may be ``more``."""
    right = left + width
    doubt = width * np.abs(values @ _DOUBTS.T).max(axis=1)
    # Twice the place, times the error, is what the second moment is wrong by.
    tolerable = _TOLERANCE * mean / np.maximum(1.0, right / mean)
    worth_it = (width > 1e-13 * right) & more
    return np.asarray((doubt > tolerable) & (doubt > _ROUNDING * width) & worth_it)
