"""Student's quantile at 0.975, which sets the width of a 95 % interval.

Written out, so that a simulation need not import a library of functions for it.
"""

from __future__ import annotations

from math import sqrt

NORMAL = 1.959963984540054
"""The normal quantile at 0.975."""


def quantile(degrees: int) -> float:
    """Student's quantile at 0.975, to 0.2 %.

    Args:
        degrees: Degrees of freedom, 1 or more.

    One and two degrees have closed forms; more degrees use the expansion of Abramowitz and Stegun,
    'Handbook of Mathematical Functions' (1964), 26.7.5.
    """
    if degrees == 1:
        return 12.706204736432095
    if degrees == 2:
        return 0.95 * sqrt(2 / (1 - 0.95**2))
    z, square = NORMAL, NORMAL**2
    terms = (
        z * (square + 1) / 4,
        z * (5 * square**2 + 16 * square + 3) / 96,
        z * (3 * square**3 + 19 * square**2 + 17 * square - 15) / 384,
        z * (79 * square**4 + 776 * square**3 + 1482 * square**2 - 1920 * square - 945) / 92160,
    )
    return z + sum(term / float(degrees) ** power for power, term in enumerate(terms, 1))
