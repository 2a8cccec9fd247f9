"""Whether starts are a Poisson process whose rate may change slowly.

Source of the test: Brown et al., 'Statistical analysis of a telephone call center' (Journal of the
American Statistical Association 100, 2005), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.starts.coverage import Coverage, Times
from thinktime.learn.starts.dispersion import Counts, sums
from thinktime.stats.kolmogorov import kolmogorov_smirnov

MINUTE_S = 60.0
TESTED_MIN = 50
TESTED_SURE = 200
TESTED_MAX = 20_000
"""The number of gaps in the test: with more it would find differences that do not matter."""

WINDOW_ARRIVALS = 25
"""Windows hold about this many arrivals: short enough that the rate hardly changes within one."""

SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class Poisson:
    """Whether sessions arrive as a Poisson process whose rate may change slowly."""

    verdict: str
    """"yes", "no" or "cannot tell"."""

    p_value: float | None
    """The probability, for a Poisson process, of gaps as far from exponential."""

    dispersion: float | None
    """Variance over mean of the sessions by minute, against the next: 1 for Poisson."""


def poisson(times_s: Times, covered: Coverage, counts: Counts, step_s: float) -> Poisson:
    """Test the gaps of spread starts, weighted by the starts of their window still to come.

    For a Poisson process they are exponential with mean 1, whatever the rate of the window. Windows
    are no longer than ``step_s``; those that the log does not cover whole are left out.
    """
    rate = len(times_s) / covered.seconds
    dispersion = _dispersion(counts, rate)
    values = weighted_gaps(times_s, covered, min(WINDOW_ARRIVALS / max(rate, 1e-12), step_s))
    if len(values) < TESTED_MIN:
        return Poisson("cannot tell", None, dispersion)
    p_value = kolmogorov_smirnov(-np.expm1(-values))[1]
    if p_value < SIGNIFICANCE:
        return Poisson("no", p_value, dispersion)
    verdict = "yes" if len(values) >= TESTED_SURE else "cannot tell"
    return Poisson(verdict, p_value, dispersion)


def weighted_gaps(times_s: Times, covered: Coverage, window_s: float) -> Times:
    """-k ln(left / left before) for each start, with k starts of its window from it on."""
    number = times_s / window_s
    np.floor(number, out=number)
    begins = np.ones(len(number), bool)
    np.not_equal(number[1:], number[:-1], out=begins[1:])
    firsts = np.flatnonzero(begins)
    sizes = np.diff(firsts, append=len(number))
    begin = number[firsts] * window_s
    del number
    whole = covered.upto(begin + window_s) - covered.upto(begin) > window_s * (1 - 1e-9)
    kept = np.flatnonzero(whole)
    kept = kept[:: max(1, int(sizes[kept].sum()) // TESTED_MAX)]
    firsts, sizes, begin = firsts[kept], sizes[kept], begin[kept]
    if not len(firsts):
        return np.empty(0)
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    inside = times_s[np.repeat(firsts, sizes) + place]
    left = np.repeat(begin, sizes) + window_s - inside
    before = np.where(place == 0, window_s, np.roll(left, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = -(np.repeat(sizes, sizes) - place) * np.log(left / before)
    return np.asarray(values[np.isfinite(values)])


def _dispersion(counts: Counts, rate: float) -> float | None:
    """Variance over mean of counts by the minute, against neighbours: slow changes cancel out."""
    minutes = sums(counts.starts, counts, MINUTE_S)
    if minutes is None or rate * MINUTE_S < 1:
        return None
    pairs = minutes[: len(minutes) // 2 * 2].reshape(-1, 2)
    return float(np.sum((pairs[:, 0] - pairs[:, 1]) ** 2) / max(np.sum(pairs), 1e-12))
