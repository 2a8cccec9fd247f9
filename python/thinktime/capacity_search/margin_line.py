"""The root of the margin: a line through the probes, and an interval for its root."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.capacity_search.probe import Probe

_NORMAL_95 = 1.959964
_ERROR_MIN = 1e-3
_MARGIN_MAX = 20.0
_CONDITION_MAX = 1e13

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class MarginLine:
    """A line through margins against the value, and its root."""

    root: float
    """The value at which the margin is 0."""

    low: float
    """The lower end of the root's 95 % confidence interval, by Fieller's theorem."""

    high: float
    """Its upper end."""

    slope: float
    """How much the margin grows with the value."""

    precision: FloatArray
    """The inverse covariance of the line's height at the root and its slope."""

    def variance_after(self, at: float, error: float) -> float:
        """The variance of the root after one more probe with this standard error."""
        row = np.array([1.0, at - self.root])
        variance = error**2 + bend(self.slope * (at - self.root)) ** 2
        after = self.precision + np.outer(row, row) / max(variance, _ERROR_MIN**2)
        return float(np.linalg.inv(after)[0, 0]) / self.slope**2


def bend(margin: float) -> float:
    """How far the margin may lie off a straight line through the root.

    Near saturation the response time goes with 1/(c - v), in a closed system with v - c. At
    `margin`, the logarithm differs from its tangent at the root by this much: in an open system on
    this side of the root, in a closed one on the other.
    """
    far = min(abs(margin), _MARGIN_MAX)
    return math.expm1(far) - far


def crossing_of(probes: Sequence[Probe]) -> MarginLine | None:
    """The root of a line through the probes that have a margin.

    Each probe is weighted by the inverse of its variance, which has a part of chance and one of the
    bend. All probes on one side share the bend, so that many of them say no more than one. If the
    probes scatter more than that explains, the interval is widened accordingly. None if the probes
    do not tell a rising line from a level one.
    """
    known = [probe for probe in probes if probe.margin is not None]
    if len({probe.value for probe in known}) < 2:
        return None
    x = np.array([probe.value for probe in known])
    y = np.array([probe.margin for probe in known], dtype=np.float64)
    chance = np.maximum([probe.error for probe in known], _ERROR_MIN)
    bends = np.array([bend(margin) for margin in y])
    near = chance > bends
    alike = np.where(y < 0, np.sum(~near & (y < 0)), np.sum(~near & (y >= 0)))
    variance = chance**2 + bends**2 * np.maximum(alike, 1)
    fit = _line(x, y, variance, 0.0)
    if fit is None or fit[1] <= 0:
        return None
    a, b, _ = fit
    root = -a / b
    fit = _line(x, y, variance, root)
    if fit is None:
        return None
    a, b, precision = fit
    excess = float(np.sum((y - a - b * (x - root))[near] ** 2 / variance[near]))
    return _fieller(root, b, precision / max(1.0, excess / max(near.sum() - 2, 1)))


def _line(
    x: FloatArray, y: FloatArray, variance: FloatArray, origin: float
) -> tuple[float, float, FloatArray] | None:
    """The height at `origin` and the slope of the line, and their inverse covariance."""
    scale = float(np.max(np.abs(x)))
    design = np.column_stack([np.ones_like(x), (x - origin) / scale])
    precision = design.T @ (design / variance[:, None])
    if np.linalg.cond(precision) > _CONDITION_MAX:
        return None
    a, b = np.linalg.solve(precision, design.T @ (y / variance))
    shrink = np.diag([1.0, scale])
    return float(a), float(b) / scale, shrink @ precision @ shrink


def _fieller(root: float, slope: float, precision: FloatArray) -> MarginLine | None:
    """The values at which the line does not differ from 0 beyond chance."""
    covariance = np.linalg.inv(precision)
    q = _NORMAL_95**2
    lead = slope**2 - q * float(covariance[1, 1])
    if lead <= 0:
        return None
    middle = q * float(covariance[0, 1]) / lead
    half = math.sqrt(max(middle**2 + q * float(covariance[0, 0]) / lead, 0.0))
    return MarginLine(root, root + middle - half, root + middle + half, slope, precision)
