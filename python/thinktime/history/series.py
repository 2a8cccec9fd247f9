"""A figure of several results, each with its own error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime.comparison.requests import Floats
from thinktime.numerics import stdtr
from thinktime.numerics.student import NORMAL


@dataclass(frozen=True, eq=False)
class Series:
    """The values of a figure, the oldest first."""

    values: Floats
    errors: Floats
    """The standard error of each value, from its own result."""

    sources: Sequence[object]
    """Values of the same source have the same error: together they are known no better."""

    def p_value(self, place: int) -> float:
        """Of the hypothesis that the values before and from `place` on have one mean.

        A t-test of two samples, whose variance is that between the values, or that which their
        own errors give if it is larger. There are at least two values on either side.
        """
        before, after = self.values[:place], self.values[place:]
        freedom = len(self.values) - 2
        squares = np.sum((before - before.mean()) ** 2) + np.sum((after - after.mean()) ** 2)
        between = float(squares) / freedom * (1 / len(before) + 1 / len(after))
        variance = max(between, self._own(0, place) + self._own(place, len(self.values)))
        step = abs(float(after.mean() - before.mean()))
        if variance == 0:
            return 0.0 if step else 1.0
        return float(2 * stdtr(freedom, -step / np.sqrt(variance)))

    def beyond_chance(self, place: int, changes: Sequence[tuple[int, float]]) -> bool:
        """Whether the step at one of the changes is more than the values' own errors explain."""
        edges = [0, *(one for one, _ in changes), len(self.values)]
        begin, end = edges[edges.index(place) - 1], edges[edges.index(place) + 1]
        step = self.values[place:end].mean() - self.values[begin:place].mean()
        variance = self._own(begin, place) + self._own(place, end)
        return bool(abs(step) > NORMAL * np.sqrt(variance))

    def _own(self, begin: int, end: int) -> float:
        """The variance of a mean of values by their own errors."""
        return float(np.mean(self.errors[begin:end] ** 2)) / len(set(self.sources[begin:end]))
