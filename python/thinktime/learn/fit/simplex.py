"""The least value of a function of a few numbers, without its slopes.

A triangle, or its equivalent in more dimensions, goes downhill: its worst corner is reflected about
the middle of the others. Source: Nelder and Mead, 'A simplex method for function minimization' (The
Computer Journal 7, 1965). It replaces scipy's function, because importing that takes longer than
most logs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thinktime.learn.fit.family import FloatArray

Function = Callable[[FloatArray], float]

NEAR = 1e-4
"""The search ends if corners, and their values, are no further apart."""

_SIDE, _SIDE_AT_ZERO = 0.05, 0.00025
"""The first sides, relative to a number; and for a number of 0."""


def least(function: Function, start: FloatArray, turns: int) -> tuple[FloatArray, float]:
    """The minimum of the function near ``start``, and its value, after at most this many turns."""
    corners = np.tile(start, (len(start) + 1, 1))
    for at, value in enumerate(start):
        corners[at + 1, at] = (1 + _SIDE) * value if value else _SIDE_AT_ZERO
    values = np.array([function(corner) for corner in corners])
    for _ in range(turns):
        order = np.argsort(values, kind="stable")
        corners, values = corners[order], values[order]
        apart = np.max(np.abs(corners[1:] - corners[0]))
        if apart <= NEAR and np.max(np.abs(values[0] - values[1:])) <= NEAR:
            break
        _turn(function, corners, values)
    best = int(np.argmin(values))
    return corners[best], float(values[best])


def _turn(function: Function, corners: FloatArray, values: FloatArray) -> None:
    """Move the worst corner, which is the last one, or all but the best, which is the first."""
    middle = np.add.reduce(corners[:-1], 0) / (len(corners) - 1)

    def thrown(far: float) -> tuple[FloatArray, float]:
        """The worst corner reflected about the middle, ``far`` times as far; itself at -1."""
        corner = (1 + far) * middle - far * corners[-1]
        return corner, function(corner)

    corner, value = thrown(1.0)
    if value < values[0]:
        further = thrown(2.0)
        corner, value = further if further[1] < value else (corner, value)
    elif not value < values[-2]:
        outside = bool(value < values[-1])
        corner, inner = thrown(0.5 if outside else -0.5)
        if not (inner <= value if outside else inner < values[-1]):
            _shrink(function, corners, values)
            return
        value = inner
    corners[-1], values[-1] = corner, value


def _shrink(function: Function, corners: FloatArray, values: FloatArray) -> None:
    """Move all corners but the first halfway to it."""
    for at in range(1, len(corners)):
        corners[at] = corners[0] + 0.5 * (corners[at] - corners[0])
        values[at] = function(corners[at])
