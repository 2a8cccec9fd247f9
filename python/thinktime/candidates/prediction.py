"""One more value beside several simulated ones: where it lies, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from thinktime.numerics import stdtrit

LEAST = 1e-12
"""Smaller values have its logarithm."""


@dataclass(frozen=True)
class Prediction:
    """One more value of a normal sample that is not negative, by Student's t."""

    middle: float
    deviation: float
    """The standard deviation of the sample."""

    many: int
    """The size of the sample, at least 2."""

    logs: bool
    """Whether the logarithms of the values are the sample; errors are those of logarithms then."""

    @classmethod
    def of(cls, values: Sequence[float], *, logs: bool = True, least: float = 0.0) -> Prediction:
        """The prediction after these values, or their logarithms.

        `least` is the smallest standard deviation that chance has.
        """
        seen = np.log(np.maximum(values, LEAST)) if logs else np.asarray(values)
        return cls(float(seen.mean()), max(float(seen.std(ddof=1)), least), len(seen), logs)

    @property
    def value(self) -> float:
        """The middle as a value."""
        return float(np.exp(self.middle)) if self.logs else self.middle

    @property
    def error(self) -> float:
        """The standard error of one more value."""
        return self.deviation * sqrt(1 + 1 / self.many)

    def off(self, value: float) -> float:
        """How many standard errors a value is above the middle."""
        seen = float(np.log(max(value, LEAST))) if self.logs else value
        return (seen - self.middle) / self.error

    def within(self, confidence: float) -> tuple[float, float]:
        """The interval in which one more value lies with this probability."""
        half = self.half(confidence)
        low, high = self.middle - half, self.middle + half
        return (float(np.exp(low)), float(np.exp(high))) if self.logs else (max(low, 0.0), high)

    def half(self, confidence: float) -> float:
        """Half the width of the interval."""
        return float(stdtrit(self.many - 1, (1 + confidence) / 2)) * self.error
