"""The law of demands of which some are known to be above a value only.

Source: Kaplan and Meier, 'Nonparametric estimation from incomplete observations' (Journal of the
American Statistical Association 53, 1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.server.visits import Floats, Mask

AT_RISK_LEAST = 30
"""Where fewer values are at least as large, what is estimated there is not told apart by it."""


@dataclass(frozen=True)
class Survival:
    """A law of demands, as far as it is known."""

    values: Floats
    """Demands in seconds, in order."""

    weights: Floats
    """The probability of each; their sum is below 1 where the largest are not known."""

    known_s: float
    """Up to here enough values speak."""

    seen: int
    """How many demands were seen to their end."""

    beyond_s: float
    """How much longer than the largest one the missing ones take on average: as those above the
    median would, if what is left of them hung on nothing."""

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
        """Of the mean, in seconds, if demands are independent; infinite for less than two."""
        if self.seen < 2:
            return np.inf
        variance = float((self.values - self.mean) ** 2 @ self.weights)
        return float(np.sqrt(variance / self.seen))

    def cdf(self, x: Floats) -> Floats:
        """The probability of at most these demands."""
        upto = np.concatenate([[0.0], np.cumsum(self.weights)])
        return np.asarray(upto[np.searchsorted(self.values, x, side="right")])


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
