"""Two stations in a row, first come, first served, with exponential demands.

Demands do not follow from times there: the mean is that of the requests that found the server idle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.candidates.candidate import Candidate
from thinktime.candidates.idle import alone
from thinktime.candidates.visits import Visits

SPLITS = (0.5, 0.6, 0.7, 0.8)
"""The larger part of the work of two stations in a row."""

IDLE_LEAST = 100

_SEED = 19790101


@dataclass(frozen=True)
class Tandem:
    """A split of the work, and the mean of all of it with its standard error."""

    part: float
    mean_s: float
    error_s: float

    def variants(self, many: int) -> list[Candidate]:
        """The model with means that differ as by chance."""
        random = np.random.default_rng(_SEED)
        means = self.mean_s + self.error_s * random.standard_normal(many)
        both = [(m * self.part, m * (1 - self.part)) for m in np.maximum(means, 0.1 * self.mean_s)]
        return [
            Candidate("row", "fcfs", 1, tuple(f"exp({one:.6g}s)" for one in pair)) for pair in both
        ]


def tandems_of(seen: Visits) -> list[Tandem]:
    """A model of each split; none if too few requests found the server idle."""
    idle = alone(seen, 1)[0]
    if idle.seen < IDLE_LEAST:
        return []
    return [Tandem(part, idle.mean, idle.standard_error) for part in SPLITS]
