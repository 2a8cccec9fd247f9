"""The order of two policies, from runs on the same seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtrit


@dataclass(frozen=True)
class Ratio:
    """A figure of one policy, divided by that of another."""

    value: float
    low: float
    """The lower end of the 95 % interval; `value` for a single run."""

    high: float

    @property
    def words(self) -> str:
        """As in '1.24 (1.18 to 1.31)'."""
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"

    def order(self, one: str, other: str) -> str:
        """The one with the smaller figure, as far as chance permits a statement."""
        if self.low <= 1 <= self.high:
            return "cannot tell"
        return one if self.high < 1 else other


def ratio(one: Sequence[float], other: Sequence[float]) -> Ratio:
    """From geometric means of two policies' runs, pair by pair on the same seed (Student's t)."""
    steps = [math.log(a / b) for a, b in zip(one, other, strict=True)]
    centre, half = statistics.fmean(steps), half_width(steps)
    return Ratio(*map(math.exp, (centre, centre - half, centre + half)))


def half_width(values: Sequence[float]) -> float:
    """Half the width of the 95 % interval of a mean (Student's t); 0 for one value."""
    if len(values) < 2:
        return 0.0
    quantile = float(stdtrit(len(values) - 1, 0.975))
    return quantile * statistics.stdev(values) / math.sqrt(len(values))
