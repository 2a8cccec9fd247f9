"""The place at which a rising or falling function is zero.

Source: Brent, 'Algorithms for Minimization without Derivatives' (1973), chapter 4. It replaces
scipy's function, because importing that takes longer than most logs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

STEPS_MAX = 100

_RELATIVE = 4 * 2.0**-52
"""Relative to the root: no step comes closer."""


def root(function: Callable[[float], float], low: float, high: float, within: float) -> float:
    """A root between ``low`` and ``high``, where the function has different signs.

    It is found to ``within`` > 0, on the scale of the bounds. Raises ValueError if the signs are
    the same, and ArithmeticError if it is not found in `STEPS_MAX` steps.
    """
    before, at = low, high
    value_before, value = function(before), function(at)
    if value_before == 0 or value == 0:
        return before if value_before == 0 else at
    if (value_before < 0) == (value < 0):
        raise ValueError(f"the function has one sign at {low} and {high}")
    other, value_other = before, value_before
    step = step_before = at - before
    for _ in range(STEPS_MAX):
        if value_before != 0 and value != 0 and (value_before < 0) != (value < 0):
            other, value_other = before, value_before
            step = step_before = at - before
        if abs(value_other) < abs(value):
            before, at, other = at, other, at
            value_before, value, value_other = value, value_other, value
        least = (within + _RELATIVE * abs(at)) / 2
        half = (other - at) / 2
        if value == 0 or abs(half) < least:
            return at
        tried = math.inf
        if abs(step_before) > least and abs(value) < abs(value_before):
            tried = _interpolated((at, value), (before, value_before), (other, value_other))
        if 2 * abs(tried) < min(abs(step_before), 3 * abs(half) - least):
            step, step_before = tried, step
        else:
            step = step_before = half
        before, value_before = at, value
        at += step if abs(step) > least else math.copysign(least, half)
        value = function(at)
    raise ArithmeticError(f"no root was found in {STEPS_MAX} steps")


Point = tuple[float, float]


def _interpolated(here: Point, before: Point, other: Point) -> float:
    """The step from ``here`` to the root: by a line through two points, or x as a parabola of y."""
    (x, y), (x1, y1), (x2, y2) = here, before, other
    if x1 == x2:
        return -y * (x - x1) / (y - y1)
    slope1, slope2 = (y1 - y) / (x1 - x), (y2 - y) / (x2 - x)
    flat = slope2 * slope1 * (y2 - y1)
    return -y * (y2 * slope2 - y1 * slope1) / flat if flat else math.inf
