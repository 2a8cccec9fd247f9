"""How far a sample lies from a law, and how probable that is.

Source: Vrbik, 'Small-sample corrections to Kolmogorov-Smirnov test statistic' (Pioneer Journal of
Theoretical and Applied Statistics 15, 2018): with x = √n D, the limit law of Kolmogorov at
x + 1 / (6 √n) + (x - 1) / (4 n) serves small samples too. From 10 values on it is within 0.003 of
the exact p-value (a test holds it to that).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thinktime._scipy import kolmogorov


def kolmogorov_smirnov(places: NDArray[np.float64]) -> tuple[float, float]:
    """The statistic of Kolmogorov and Smirnov, and its p-value, against the uniform law.

    ``places`` are what the law's distribution function says of each value, in any order, at least
    one. scipy.stats has the exact test; it takes a second to import.
    """
    ordered = np.sort(places)
    n = len(ordered)
    below = np.arange(n) / n
    distance = float(max(np.max(ordered - below), np.max(below + 1 / n - ordered)))
    x = float(np.sqrt(n)) * distance
    return distance, float(kolmogorov(x + 1 / (6 * np.sqrt(n)) + (x - 1) / (4 * n)))
