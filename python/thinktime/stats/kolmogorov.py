"""The distance of a sample from a law, and its probability.

Source: Vrbik, 'Small-sample corrections to Kolmogorov-Smirnov test statistic' (Pioneer Journal of
Theoretical and Applied Statistics 15, 2018): with x = √n D, the limit law of Kolmogorov at
x + 1 / (6 √n) + (x - 1) / (4 n) serves small samples too. From 10 values on it is within 0.003 of
the exact p-value (a test holds it to that). The limit law's series are Kolmogorov's and, for small
x, that of Jacobi's theta functions (Marsaglia, Tsang and Wang, 'Evaluating Kolmogorov's
distribution', Journal of Statistical Software 8, 2003).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_SMALL = 1.0
"""Below this the series for small x needs fewer terms."""

_TERMS = 8
"""Omitted terms are less than 1e-16 of the value of either series on its side."""


def kolmogorov_smirnov(places: NDArray[np.float64]) -> tuple[float, float]:
    """The statistic of Kolmogorov and Smirnov, and its p-value, against the uniform law.

    ``places`` are the values of the law's distribution function for the sample, in any order, at
    least one. scipy.stats has the exact test; it takes a second to import.
    """
    ordered = np.sort(places)
    n = len(ordered)
    below = np.arange(n) / n
    distance = float(max(np.max(ordered - below), np.max(below + 1 / n - ordered)))
    x = math.sqrt(n) * distance
    return distance, limit(x + 1 / (6 * math.sqrt(n)) + (x - 1) / (4 * n))


def limit(x: float) -> float:
    """P(√n D > x) for n without end, for any x."""
    if x <= 0:
        return 1.0
    if x < _SMALL:
        terms = (math.exp(-(((2 * k - 1) * math.pi / x) ** 2) / 8) for k in range(1, _TERMS))
        return 1 - math.sqrt(2 * math.pi) / x * sum(terms)
    terms = ((-1.0) ** (k - 1) * math.exp(-2 * (k * x) ** 2) for k in range(1, _TERMS))
    return 2 * sum(terms)
