"""How much a figure differs between two results, with a 95 % interval.

The interval of a difference is made from those of the two figures by the method of variance
estimates recovery (Zou and Donner, 'Construction of confidence limits about effect measures',
Statistics in Medicine 27, 2008), which keeps asymmetric intervals asymmetric. The interval of the
ratio has every factor x for which the second figure less x times the first could be 0, so that the
two intervals never contradict each other. Runs of one seed meet the same arrivals: the correlation
of their sections is taken out of the difference (Zou, 'Toward using confidence intervals to compare
correlations', Psychological Methods 12, 2007).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime.comparison.estimate import Estimate

_COMMON_MAX = 0.99


@dataclass(frozen=True)
class Change:
    """A figure of the second result less that of the first.

    Times are in seconds, throughput in requests a second, errors as shares of 1.
    """

    figure: str
    """One of `mean`, `p50`, `p90`, `p95`, `p99`, `p99.9`, `throughput`, `errors`."""

    before: float
    after: float
    low: float
    """The lower end of the difference's 95 % interval."""

    high: float
    ratio_low: float | None
    """The lower end of the relative difference's interval: 0.05 is 5 % more. None for errors, and
    if the first figure may be 0."""

    ratio_high: float | None
    paired: bool
    """Whether the variation that the results share, because they met the same arrivals, was taken
    out of the interval."""

    late: float = 0.0
    """The part of the difference that the generator's own lateness made, in seconds."""

    @property
    def value(self) -> float:
        """The difference itself."""
        return self.after - self.before

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0

    @property
    def by_server(self) -> bool:
        """Whether it also does without the part of the generator's own lateness."""
        return self.significant and (
            self.low > self.late if self.low > 0 else self.high < self.late
        )


def change(figure: str, before: Estimate, after: Estimate, paired: bool) -> Change:
    """How much the second estimate is above the first."""
    common = in_common(before, after) if paired else 0.0
    down = (after.value - after.low, before.high - before.value)
    up = (after.high - after.value, before.value - before.low)
    step = after.value - before.value
    ratio: tuple[float | None, float | None] = (None, None)
    if figure != "errors" and before.value > 0:
        ratio = _ratio(before.value, after.value, down, up, common)
    return Change(
        figure,
        before.value,
        after.value,
        step - together(*down, common),
        step + together(*up, common),
        *ratio,
        paired=common > 0,
        late=after.late - before.late,
    )


def together(one: float, other: float, common: float) -> float:
    """The reach of the difference of two estimates, by the reach of each and their correlation."""
    return math.sqrt(max(one**2 + other**2 - 2 * common * one * other, 0.0))


def in_common(before: Estimate, after: Estimate) -> float:
    """The correlation of two runs' sections, 0 or more."""
    if before.sections is None or after.sections is None:
        return 0.0
    one, other = np.asarray(before.sections), np.asarray(after.sections)
    if len(one) != len(other) or not one.any() or not other.any():
        return 0.0
    found = float(one @ other / math.sqrt((one @ one) * (other @ other)))
    return min(max(found, 0.0), _COMMON_MAX)


def _ratio(
    a: float, b: float, down: tuple[float, float], up: tuple[float, float], common: float
) -> tuple[float | None, float | None]:
    """The ends of b / a - 1: the values of x for which the interval of b - x a ends at 0."""
    low = _least(a, b, *down, common)
    high = _greatest(a, b, *up, common)
    return (None if low is None else low - 1), (None if high is None else high - 1)


def _quadratic(
    a: float, b: float, of_b: float, of_a: float, common: float
) -> tuple[float, float, float]:
    """The factors of x², -2 x and 1 in (b - x a)² - of_b² - x² of_a² + 2 common x of_a of_b."""
    return a**2 - of_a**2, a * b - common * of_a * of_b, b**2 - of_b**2


def _least(a: float, b: float, of_b: float, of_a: float, common: float) -> float | None:
    if b == 0:
        return 0.0  # nothing is left, and no figure is negative
    square, half, rest = _quadratic(a, b, of_b, of_a, common)
    inner = half**2 - square * rest
    if rest < 0 or inner < 0 or half + math.sqrt(inner) <= 0:
        return None
    return rest / (half + math.sqrt(inner))


def _greatest(a: float, b: float, of_b: float, of_a: float, common: float) -> float | None:
    square, half, rest = _quadratic(a, b, of_b, of_a, common)
    inner = half**2 - square * rest
    if square <= 0 or inner < 0:
        return None
    return (half + math.sqrt(inner)) / square
