"""The law of demands, some of which are known only to be above a value.

Source: Kaplan and Meier, 'Nonparametric estimation from incomplete observations' (Journal of the
American Statistical Association 53, 1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.candidates.visits import Floats, Mask

AT_RISK_LEAST = 30
"""With fewer values at least as large, the estimate there is too uncertain."""


@dataclass(frozen=True)
class Survival:
    """A law of demands, as far as it is known."""

    values: Floats
    """Demands in seconds, in order."""

    weights: Floats
    """The probability of each; their sum is below 1 if the largest are not known."""

    known_s: float
    """The largest value with enough values to support it."""

    seen: int
    """The number of demands that were seen to their end."""

    beyond_s: float
    """The mean excess of the missing ones over the largest one: that of values above the median, as
    if the excess did not depend on the value."""

    @property
    def missing(self) -> float:
        """The probability of demands that are larger than all that were seen."""
        return max(1 - float(self.weights.sum()), 0.0)

    @property
    def mean(self) -> float:
        """The mean in seconds."""
        if not len(self.values):
            return 0.0
        return float(self.values @ self.weights + self.missing * (self.values[-1] + self.beyond_s))

    @property
    def standard_error(self) -> float:
        """The mean's standard error, in seconds, if demands are independent; infinite below two."""
        if self.seen < 2:
            return np.inf
        variance = float((self.values - self.mean) ** 2 @ self.weights)
        return float(np.sqrt(variance / self.seen))


def survival(values: Floats, complete: Mask) -> Survival:
    """The product-limit estimate; a value that is not ``complete`` stands for any larger one."""
    order = np.lexsort((~complete, values))
    values, complete = values[order], complete[order]
    left = np.arange(len(values), 0, -1)
    stays = np.cumprod(1 - complete / left)
    weights = np.concatenate([[1.0], stays[:-1]]) * complete / left
    known = values[-AT_RISK_LEAST] if len(values) >= AT_RISK_LEAST else 0.0
    seen = values[complete]
    middle = float(np.median(seen)) if len(seen) else 0.0
    above = np.maximum(values - middle, 0)
    beyond = float(above.sum() / max(np.count_nonzero(seen > middle), 1))
    return Survival(seen, weights[complete], float(known), len(seen), beyond)
