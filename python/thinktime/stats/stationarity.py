"""Whether a series comes back to its mean, or wanders.

Source: Said and Dickey, 'Testing for unit roots in autoregressive-moving average models of
unknown order' (Biometrika 71, 1984); MacKinnon, 'Critical values for cointegration tests' (Queen's
Economics Department working paper 1227, 2010), for the critical values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.stats._samples import sample, varying

_MACKINNON = {
    0.01: (-3.43035, -6.5393, -16.786, -79.433),
    0.05: (-2.86154, -2.8903, -4.234, -40.040),
    0.10: (-2.56677, -1.5384, -2.809, 0.0),
}


@dataclass(frozen=True)
class DickeyFuller:
    """The test of a unit root, with a constant and no trend."""

    statistic: float
    """The t-ratio of x_{t-1}: the more negative, the stronger the pull to the mean."""

    lags: int
    observations: int

    def critical(self, significance: float = 0.05) -> float:
        """The value below which a wandering series falls with a probability of 0.01, 0.05 or 0.1.

        About -2.86 at 0.05. Raises ValueError at any other level.
        """
        if significance not in _MACKINNON:
            raise ValueError(f"the significance must be 0.01, 0.05 or 0.1; it is {significance}")
        terms = _MACKINNON[significance]
        return float(sum(c / self.observations**k for k, c in enumerate(terms)))

    def stationary(self, significance: float = 0.05) -> bool:
        """Whether a unit root is rejected."""
        return self.statistic < self.critical(significance)


def augmented_dickey_fuller(samples: ArrayLike, lags: int | None = None) -> DickeyFuller:
    """Regress x_t - x_{t-1} on x_{t-1}, a constant and the last ``lags`` differences.

    ``lags`` >= 0; None takes Schwert's 12 (n / 100)^{1/4}, at most a third of the values.

    Raises ValueError if there are fewer than 2 lags + 6 values, values are not finite or all the
    same, or the lags are negative.
    """
    values = varying(sample(samples, 6))
    n = len(values)
    p = min(int(12 * (n / 100) ** 0.25), (n - 6) // 3) if lags is None else lags
    if p != int(p) or p < 0:
        raise ValueError(f"lags must be a whole number, 0 or above; it is {p}")
    sample(values, 2 * p + 6)
    steps = np.diff(values)
    columns = [values[p:-1], np.ones(n - 1 - p)]
    columns += [steps[p - i : -i] for i in range(1, p + 1)]
    design, target = np.column_stack(columns), steps[p:]
    found, _, rank, _ = np.linalg.lstsq(design, target, rcond=None)
    if rank < design.shape[1]:
        raise ValueError("the values follow each other too regularly for this test")
    rest = target - design @ found
    variance = rest @ rest / (len(target) - design.shape[1])
    scale = variance * np.linalg.inv(design.T @ design)[0, 0]
    return DickeyFuller(float(found[0] / np.sqrt(scale)), p, len(target))
