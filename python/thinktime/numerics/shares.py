"""The interval of a share of independent events."""

from __future__ import annotations

from math import sqrt

from thinktime.numerics.student import NORMAL


def wilson(p: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` events; 0 to 1 without any.

    Source: Wilson, 'Probable inference' (Journal of the American Statistical Association 22, 1927).
    """
    if not n:
        return 0.0, 1.0
    middle = (p + NORMAL**2 / (2 * n)) / (1 + NORMAL**2 / n)
    half = NORMAL / (1 + NORMAL**2 / n) * sqrt(p * (1 - p) / n + NORMAL**2 / (4 * n**2))
    return min(max(middle - half, 0.0), p), max(min(middle + half, 1.0), p)
