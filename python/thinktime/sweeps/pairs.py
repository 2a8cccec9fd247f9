"""Two dispatch policies compared by one figure, with intervals wide enough for many comparisons.

Times are compared by their ratio: intervals of their logarithms are widened and combined (the
method of variance estimates recovery, as in `comparison.change`). A widened interval of the times
themselves would soon reach below 0 if a policy's times vary much, and hide plain differences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from thinktime.comparison import Change, Estimate
from thinktime.comparison.change import change, in_common, together
from thinktime.comparison.estimate import LONG

FALSE_ALARM = 0.05
"""The largest probability that any of all comparisons at a point is wrong."""

Kept = Mapping[str, Any]
"""An estimate in the form that `evidence` keeps."""


@dataclass(frozen=True)
class Pairs:
    """Comparisons of policies at a point, by their number in all."""

    comparisons: int

    def change(self, figure: str, before: Kept, after: Kept) -> Change:
        """The change of a figure from the first policy to the second."""
        name = figure.removeprefix("page ")
        if name == "errors" or not (before["value"] > 0 and after["value"] > 0):
            return change(name, self._wide(before), self._wide(after), paired=True)
        shared = in_common(_estimate(before), _estimate(after))
        (down_a, up_a), (down_b, up_b) = (self._logarithms(name, one) for one in (before, after))
        step = math.log(after["value"] / before["value"])
        low = math.expm1(step - together(down_b, up_a, shared))
        high = math.expm1(min(step + together(up_b, down_a, shared), _LOGARITHM_MAX))
        value = before["value"]
        return Change(
            name, value, after["value"], value * low, value * high, low, high, paired=shared > 0
        )

    @property
    def _wider(self) -> float:
        return widening(self.comparisons)

    def _wide(self, kept: Kept) -> Estimate:
        value = kept["value"]
        low, high = (value + (kept[end] - value) * self._wider for end in ("low", "high"))
        return Estimate(value, low, high, kept["sections"])

    def _logarithms(self, name: str, kept: Kept) -> tuple[float, float]:
        """The reach of the widened interval of the logarithm, down and up."""
        value, low, high = (kept[part] for part in ("value", "low", "high"))
        if name == "mean":
            down = up = (high - value) / value
        else:
            down = math.log(value / low) if low > 0 else _LOGARITHM_MAX
            up = math.log(high / value)
        return down * self._wider, up * self._wider


_LOGARITHM_MAX = 100.0
"""It keeps unknown values finite."""


@cache
def widening(comparisons: int) -> float:
    """The factor by which a 95 % interval is widened for this many comparisons (Bonferroni).

    If sections depend on one another, the interval comes from the long ones.
    """
    from thinktime.numerics import stdtrit

    single, all_of_them = (
        float(stdtrit(LONG - 1, 1 - FALSE_ALARM / 2 / tests)) for tests in (1, comparisons)
    )
    return all_of_them / single


def _estimate(kept: Kept) -> Estimate:
    return Estimate(kept["value"], kept["low"], kept["high"], kept["sections"])
