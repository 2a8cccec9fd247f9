"""How much two results differ, with an interval for the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.present import units
from thinktime.results.result import Result


@dataclass(frozen=True)
class Difference:
    """The mean response time of one result less that of another."""

    mean_s: float
    """The difference in seconds: below zero if the second result is faster."""

    ci95_s: float
    """The half-width of its 95 % confidence interval, in seconds."""

    ratio: float
    """The second mean divided by the first."""

    paired: bool
    """Whether the interval comes from differences of replications with common random numbers, and
    not from two independent intervals."""

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out zero."""
        return abs(self.mean_s) > self.ci95_s

    def __str__(self) -> str:
        """The difference in words."""
        sign = "differ" if self.significant else "may be the same"
        how = "common random numbers" if self.paired else "independent intervals"
        mean = ("+" if self.mean_s > 0 else "") + units.mean(self.mean_s, self.ci95_s)
        factor = units.number(self.ratio)
        return f"{mean}, a factor of {factor}: the means {sign} ({how})"


@checked
def difference(first: Result, second: Result) -> Difference:
    """The mean response time of `second` less that of `first`.

    Two simulations with the same seed and number of replications (two at least) meet the same
    arrivals, think times and demands in each replication. Their differences vary less than the
    means do, and the interval is that of their mean, by Student's t (common random numbers: Law,
    Simulation Modeling and Analysis, 5th ed., 11.2). Otherwise it is made from the two results' own
    intervals, as if independent.

    Raises:
        InputError: if a result has no mean, or no interval.
    """
    a, b = _means(first), _means(second)
    same = first.summary.get("seed") == second.summary.get("seed")
    if same and len(a) == len(b) >= 2:
        return paired_difference(a, b)
    (mean_a, half_a), (mean_b, half_b) = _interval(first), _interval(second)
    return Difference(mean_b - mean_a, math.hypot(half_a, half_b), mean_b / mean_a, paired=False)


def paired_difference(a: Sequence[float], b: Sequence[float]) -> Difference:
    """The means `b` less the means `a` of the same replications, two at least."""
    import numpy as np

    from thinktime.numerics import stdtrit

    steps = np.asarray(b) - np.asarray(a)
    quantile = float(stdtrit(len(steps) - 1, 0.975))
    half = quantile * float(steps.std(ddof=1)) / math.sqrt(len(steps))
    return Difference(float(steps.mean()), half, float(np.mean(b) / np.mean(a)), paired=True)


def _means(result: Result) -> list[float]:
    return list(result.summary.get("replication_means_s") or [])


def _interval(result: Result) -> tuple[float, float]:
    times = result.summary.get("response_time_s") or {}
    mean, half = times.get("mean"), times.get("ci95")
    if mean is None or half is None:
        raise _core.InputError(
            f"{result.path or result}: has no interval for its mean: it is too short"
        )
    return float(mean), float(half)
