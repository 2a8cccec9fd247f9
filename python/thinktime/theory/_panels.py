"""Integrals of a survival function, from its values alone.

The half line is cut into panels, on each of which a polynomial follows the function. Panels are
halved until it does. A jump ends up in a panel of negligible width, so that laws with atoms are
integrated as well as smooth ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

from thinktime.theory.law import FloatArray

_DEGREE = 16
_TOLERANCE = 1e-12
_NEGLIGIBLE = 1e-12  # of a panel's own integral
_PANELS_MAX = 20_000
_NARROW = 1e-3  # within this small a part of its place, a fall counts as a jump
_NARROWEST = 1e-13
_LEAST = 1e-295  # a smaller probability has fewer digits
_SMALLEST_POWER, _LARGEST_POWER = -40, 900  # of 2, times the mean: the range of the panels

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
# The error of the polynomial: the integral less that by every other place, and the last two
# Chebyshev coefficients, because a kink may escape one of the three.
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
    doubt: FloatArray
    """The possible error of the integral over each panel."""
    mean: float
    vanished: bool
    """Whether the tail beyond the last panel is negligible; otherwise it is a heavy one."""

    @classmethod
    def of(cls, sf: Integrand, mean: float, atoms: ArrayLike = ()) -> Panels:
        """The panels of a law with the mean ``mean``, of any scale and shape.

        ``atoms``: places, rising, at which it is known to jump; others are found by halving.
        """
        edges, vanished = _first_edges(sf, mean)
        edges = _with_jumps(edges, np.asarray(atoms, dtype=np.float64))
        left, width = edges[:-1], np.diff(edges)
        found: list[tuple[FloatArray, ...]] = []
        number = 0
        while len(left):
            values = sf(left[:, np.newaxis] + np.outer(width, PLACES))
            doubt = width * np.abs(values @ _DOUBTS.T).max(axis=1)
            rough = _rough(left, width, values, doubt, mean) & (number < _PANELS_MAX)
            found.append(tuple(part[~rough] for part in (left, width, values, doubt)))
            half = width[rough] / 2
            left = np.concatenate((left[rough], left[rough] + half))
            width = np.concatenate((half, half))
            number += len(half)
        parts = [np.concatenate(part) for part in zip(*found, strict=True)]
        order = np.argsort(parts[0], kind="stable")
        left, width, values, doubt = (part[order] for part in parts)
        return cls(left, width, values, doubt, mean, vanished)

    @cached_property
    def x(self) -> FloatArray:
        return np.asarray(self.left[:, np.newaxis] + np.outer(self.width, PLACES))

    @property
    def end(self) -> float:
        return float(self.left[-1] + self.width[-1])

    @property
    def jumps(self) -> NDArray[np.bool_]:
        """Whether a panel holds a jump: it is narrow, and most of its fall is at one place."""
        falls = -np.diff(self.sf, axis=1)
        step = 2 * falls.max(axis=1) > falls.sum(axis=1)
        return np.asarray((self.width < _NARROW * self.left) & step)

    @cached_property
    def error(self) -> float:
        """The possible error of E[min(S, x)] anywhere, relative to the mean.

        The mean is known from elsewhere: the part that the panels miss must be beyond them, and
        only if the tail has not vanished. That part enters results to first order, so that the
        square of its share is in doubt.
        """
        missed = 1 - self.bounded_moments[0][-1, -1] / self.mean
        beyond = abs(missed) if self.vanished or missed < 0 else missed**2
        return float(beyond + self.doubt.sum() / self.mean)

    @cached_property
    def beyond(self) -> FloatArray:
        """E[max(S - x, 0)] at ``x``, with all its digits even if little is left."""
        within = self.width[:, np.newaxis] * (self.sf @ _UP_TO.T)
        after = np.concatenate((np.cumsum(within[:0:-1, -1])[::-1], [0.0]))
        return np.asarray(after[:, np.newaxis] + within[:, -1:] - within + self.left_over)

    @property
    def left_over(self) -> float:
        """E[max(S - x, 0)] at the end of the last panel."""
        if self.vanished:
            return 0.0
        return max(0.0, self.mean - float(self.bounded_moments[0][-1, -1]))

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


def _first_edges(sf: Integrand, mean: float) -> tuple[FloatArray, bool]:
    """Powers of 2, up to where x² P(S > x) has vanished, or as far as numbers reach."""
    multiples = 2.0 ** np.arange(_SMALLEST_POWER, _LARGEST_POWER + 1)
    multiples = multiples[multiples < 1e300 / mean]
    survival = sf(mean * multiples)
    gone = ((multiples * survival) * multiples < 1e-18) | (survival < _LEAST)
    beyond = np.flatnonzero(gone & (multiples > 1))
    last = beyond[0] if len(beyond) else len(multiples) - 1
    vanished = multiples[last] * survival[last] < 1e-20
    return np.concatenate(([0.0], mean * multiples[: last + 1])), bool(vanished)


def _with_jumps(edges: FloatArray, atoms: FloatArray) -> FloatArray:
    """A narrow panel up to each atom, and none beyond the last atom."""
    inside = atoms[(atoms > edges[1]) & (atoms <= edges[-1])]
    return np.unique(np.concatenate((edges, inside, inside * (1 - _NARROWEST))))


def _rough(
    left: FloatArray, width: FloatArray, values: FloatArray, doubt: FloatArray, mean: float
) -> NDArray[np.bool_]:
    """The panels to halve."""
    right = left + width
    # Twice the place, times the error, is the error of the second moment.
    tolerable = _TOLERANCE * mean / np.maximum(1.0, right / mean)
    tolerable = np.maximum(tolerable, _NEGLIGIBLE * width * values[:, 0])
    return np.asarray((doubt > tolerable) & (width > 2 * _NARROWEST * right))
