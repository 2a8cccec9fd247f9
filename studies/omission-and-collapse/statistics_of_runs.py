"""Figures of many runs: shares, quantiles and their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from collapse import Run
from scipy.stats import binom


@dataclass(frozen=True)
class Collapses:
    """The number and the times of collapses; times in milliseconds."""

    runs: int
    collapsed: int
    within_5_s: float
    """The share that collapsed within 5000 ms."""

    p10: float | None
    p50: float | None
    p90: float | None
    p50_low: float | None
    p50_high: float | None
    """A 95 % confidence interval of the median, by order statistics; None beyond the horizon."""

    p50_if_exponential: float | None
    """The median time of a collapse that is equally likely at any moment: ln 2 x time / number."""

    told: int
    """Simulations that had collapsed well before their end, and in which the tool reported it
    ..."""

    untold: int
    """... and in which it did not."""

    false_alarms: int
    """Simulations in which it did, but the run recovered."""

    stable: int
    """Simulations without a collapse at any time, and without a report."""


def collapses(runs: Sequence[Run]) -> Collapses:
    """Sum up."""
    times = sorted(math.inf if run.crossed_s is None else run.crossed_s * 1e3 for run in runs)
    low, high = median_ranks(len(times))
    number = sum(math.isfinite(time) for time in times)
    watched = sum(run.length_s if run.crossed_s is None else run.crossed_s for run in runs)
    told, untold, false_alarms, stable = _sentences(runs)
    return Collapses(
        runs=len(times),
        collapsed=number,
        within_5_s=sum(time <= 5000 for time in times) / len(times),
        p10=_quantile(times, 0.1),
        p50=_quantile(times, 0.5),
        p90=_quantile(times, 0.9),
        p50_low=_finite(times[low]),
        p50_high=_finite(times[high]),
        p50_if_exponential=math.log(2) * watched * 1e3 / number if number else None,
        told=told,
        untold=untold,
        false_alarms=false_alarms,
        stable=stable,
    )


def median_ranks(number: int) -> tuple[int, int]:
    """Places, from 0, of the ordered sample that hold the median between them with 95 %."""
    low = int(binom.ppf(0.025, number, 0.5))
    low = max(low - 1, 0)
    return low, number - 1 - low


def share_interval(hits: int, number: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson."""
    z, share = 1.96, hits / number
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    half /= 1 + z * z / number
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _quantile(times: list[float], share: float) -> float | None:
    at = share * (len(times) - 1)
    low, high = times[math.floor(at)], times[math.ceil(at)]
    return _finite(low + (high - low) * (at - math.floor(at)) if math.isfinite(high) else high)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


LAST_PART = 0.8
"""The tool examines the last fifth of a run; a collapse within it need not be reported yet."""


def _sentences(runs: Sequence[Run]) -> tuple[int, int, int, int]:
    told = untold = false_alarms = stable = 0
    for run in runs:
        for number, look in enumerate(run.looks):
            later = run.looks[number + 1 :]
            if look.crossed_s is not None:
                if look.crossed_s < LAST_PART * look.length_s:
                    told, untold = told + look.told, untold + (not look.told)
            elif look.told:
                goes_on = bool(later) and (later[0].crossed_s is not None or later[0].told)
                false_alarms += not goes_on
            else:
                stable += run.crossed_s is None
    return told, untold, false_alarms, stable
