"""Whether values are exponential, as the gaps of a Poisson process are.

Source: Stephens, 'EDF statistics for goodness of fit and some comparisons' (Journal of the
American Statistical Association 69, 1974), case 4, with the points of D'Agostino and Stephens,
'Goodness-of-Fit Techniques' (1986), table 4.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from thinktime.stats._samples import sample


@dataclass(frozen=True)
class AndersonDarling:
    """The distance of a sample from an exponential law with its own mean."""

    statistic: float
    """A²."""

    corrected: float
    """A² (1 + 0.6 / n), to compare with ``CRITICAL``."""

    CRITICAL: ClassVar[dict[float, float]] = {
        0.15: 0.922,
        0.10: 1.078,
        0.05: 1.341,
        0.025: 1.606,
        0.01: 1.957,
    }
    """Significance -> the value that an exponential sample exceeds with that probability."""

    def rejects(self, significance: float = 0.05) -> bool:
        """Whether the sample is not exponential, at one of the levels of ``CRITICAL``.

        Raises ValueError at any other level.
        """
        if significance not in self.CRITICAL:
            levels = ", ".join(str(level) for level in self.CRITICAL)
            raise ValueError(f"the significance must be one of {levels}; it is {significance}")
        return self.corrected > self.CRITICAL[significance]


def anderson_darling_exponential(samples: ArrayLike) -> AndersonDarling:
    """The test of Anderson and Darling for an exponential law of unknown mean.

    A² = -n - 1/n Σ (2 i - 1) (ln z_i + ln(1 - z_{n+1-i})), z_i = 1 - e^{-x_(i) / mean}. With more
    than some 10,000 values it finds differences that do not matter: take a part of them. Times that
    were written down in whole seconds are tied, and rejected for that: spread them over their
    second at random first, or test counts with `thinktime.stats.index_of_dispersion`.

    Raises ValueError if there are fewer than 2 values, or one is not above 0 and finite.
    """
    x = np.sort(sample(samples, 2))
    if x[0] <= 0:
        raise ValueError(f"every value must be above 0; the least is {x[0]}")
    n, scaled = len(x), x / x.mean()
    odd = 2 * np.arange(1, n + 1) - 1
    a2 = float(-n - odd @ (np.log(-np.expm1(-scaled)) - scaled[::-1]) / n)
    return AndersonDarling(a2, a2 * (1 + 0.6 / n))
