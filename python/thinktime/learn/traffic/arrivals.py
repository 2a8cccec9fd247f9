"""The arrivals of sessions: their rate over time, the gaps between them, and a Poisson test.

Source of the test: Brown et al., 'Statistical analysis of a telephone call center' (Journal of the
American Statistical Association 100, 2005), section 3. Source of un-rounding: Kim and Whitt, 'Are
call center and hospital arrivals well modeled by nonhomogeneous Poisson processes?' (Manufacturing
and Service Operations Management 16, 2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.fit import Fit, Tally, fit
from thinktime.learn.traffic.traffic import Traffic
from thinktime.stats import index_of_dispersion
from thinktime.stats.kolmogorov import kolmogorov_smirnov

MINUTE_S = 60.0
SESSIONS_A_STEP = 100
STEPS_MAX = 48
WIDTHS_MIN = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 10080)
"""Lengths of the profile's steps, in minutes."""

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

    gaps: int
    """The number of gaps in the test."""

    dispersion: float | None
    """Variance over mean of the sessions by minute, within steps of the profile: 1 for Poisson."""


@dataclass(frozen=True)
class Arrivals:
    """The arrivals of sessions."""

    rate: float
    """Sessions a second, over the whole log."""

    step_s: float
    """The length of the steps of ``rates``."""

    rates: NDArray[np.float64]
    """Sessions a second by steps."""

    changes: bool
    """Whether the rate changes beyond chance (1 %)."""

    poisson: Poisson
    gaps: list[Fit]
    """Laws of the gaps between sessions, best first."""

    gap_tally: Tally

    @property
    def process(self) -> str:
        """The arrivals as in a workload file: Poisson unless another law is known."""
        best = self.gaps[0] if self.gaps else None
        if self.poisson.verdict != "no" or self.changes or best is None or not best.plausible:
            return "poisson"
        if best.law == "const":
            return "even"
        return best.notation if 0 < best.mean < np.inf else "poisson"

    @property
    def profile(self) -> str | None:
        """The rate over time as in a workload file; None if it is constant."""
        if not self.changes:
            return None
        mean = self.rates.mean()
        steps = [
            f"{_time(n * self.step_s)}: {rate / mean:.4g}" for n, rate in enumerate(self.rates)
        ]
        return f"steps({', '.join(steps)})"


def learn_arrivals(traffic: Traffic) -> Arrivals:
    """Learn the arrivals of sessions; there must be at least one."""
    step_s, counts, seconds = _steps(traffic)
    whole = counts[: len(counts) - 1] if seconds[-1] < step_s else counts
    starts, stride = traffic.starts
    tally = _gap_tally(traffic, starts, stride)
    rate = traffic.count("sessions") / traffic.duration_s
    poisson = _test(traffic, starts, stride, rate, step_s)
    del starts  # of millions of sessions they are large
    return Arrivals(
        rate=rate,
        step_s=step_s,
        rates=counts / seconds,
        changes=_changes(whole, min(traffic.timeout_s, traffic.duration_s / 4) / step_s, traffic),
        poisson=poisson,
        gaps=fit(tally),
        gap_tally=tally,
    )


def _steps(traffic: Traffic) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
    """Sessions by steps, and the part of each step that the log covers."""
    minutes = traffic.minutes("sessions")
    wanted = min(max(traffic.count("sessions") // SESSIONS_A_STEP, 1), STEPS_MAX)
    shortest = len(minutes) / wanted
    width = next((width for width in WIDTHS_MIN if width >= shortest), WIDTHS_MIN[-1])
    if wanted == 1:
        width = max(len(minutes), 1)
    edges = np.arange(0, len(minutes), width)
    counts = np.add.reduceat(minutes, edges) if len(minutes) else np.zeros(1, dtype=np.int64)
    # The log covers its first and its last minute in part.
    begin = (traffic.raw["start_ns"] - traffic.raw["minutes_start_ns"]) * 1e-9
    begin = max(begin, 0.0)
    low = np.maximum(edges * MINUTE_S, begin)
    high = np.minimum((edges + width) * MINUTE_S, begin + traffic.duration_s)
    return width * MINUTE_S, counts, np.maximum(high - low, 1e-9)


def _changes(counts: NDArray[np.int64], unsettled: float, traffic: Traffic) -> bool:
    """Whether the rate changes beyond chance.

    Sessions in progress at the log's beginning seem to begin in its first, ``unsettled`` steps: a
    number up to that in progress at a time is no change there.
    """
    if len(counts) < 2 or not counts.any() or not _dispersed(counts):
        return False
    first, rest = np.split(counts, [math.ceil(unsettled)])
    if not rest.any():
        return True
    excess = first.sum() - len(first) * rest.mean()
    carried = 0 < excess <= 2 * traffic.active_mean
    return not carried or (len(rest) > 1 and _dispersed(rest))


def _dispersed(counts: NDArray[np.int64]) -> bool:
    found = index_of_dispersion(counts)
    return found.index > 1 and found.p_value < SIGNIFICANCE


def _gap_tally(traffic: Traffic, starts: NDArray[np.float64], stride: int) -> Tally:
    gaps = np.diff(starts)
    if stride > 1:  # gaps across parts that were left out do not count
        gaps = gaps[np.floor(starts[1:] / MINUTE_S) == np.floor(starts[:-1] / MINUTE_S)]
    resolution = traffic.resolution_s if traffic.resolution_s >= 1e-3 else 0.0
    if resolution:
        gaps /= resolution
        gaps = np.round(gaps, out=gaps)
        gaps *= resolution
    return Tally.from_values(gaps, resolution=resolution)


def _test(
    traffic: Traffic, starts: NDArray[np.float64], stride: int, rate: float, step_s: float
) -> Poisson:
    """Test gaps that are weighted by the arrivals of their window still to come.

    For a Poisson process they are exponential with mean 1, whatever the rate of the window.
    """
    # Stamps are spread over their second again: a Poisson process becomes one again.
    times = np.random.default_rng(1).uniform(0, 1, len(starts))
    times *= traffic.resolution_s
    times += starts
    times.sort()
    longest = MINUTE_S if stride > 1 else step_s
    window = min(WINDOW_ARRIVALS / max(rate, 1e-12), longest)
    values = _weighted_gaps(times, window)
    dispersion = _dispersion(traffic, rate)
    if len(values) < TESTED_MIN:
        return Poisson("cannot tell", None, len(values), dispersion)
    p_value = kolmogorov_smirnov(-np.expm1(-values))[1]
    if p_value < SIGNIFICANCE:
        verdict = "no"
    else:
        verdict = "yes" if len(values) >= TESTED_SURE else "cannot tell"
    return Poisson(verdict, p_value, len(values), dispersion)


def _weighted_gaps(times: NDArray[np.float64], window: float) -> NDArray[np.float64]:
    if len(times) == 0:
        return np.empty(0)
    number = times / window
    np.floor(number, out=number)
    cuts = np.flatnonzero(number[1:] != number[:-1]) + 1
    del number
    # The first and the last window are cut short by the log's edges.
    bounds = list(pairwise(cuts.tolist()))
    every = max(1, sum(end - begin for begin, end in bounds) // TESTED_MAX)
    found = []
    for first, last in bounds[::every]:
        inside = times[first:last]
        left = (np.floor(inside[0] / window) + 1) * window - inside
        begin = np.concatenate([[window], left[:-1]])
        weights = len(inside) - np.arange(len(inside))
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(-weights * np.log(left / begin))
    values = np.concatenate(found) if found else np.empty(0)
    return values[np.isfinite(values)]


def _dispersion(traffic: Traffic, rate: float) -> float | None:
    """Variance over mean of counts by the minute, against neighbours: slow changes cancel out."""
    minutes = traffic.minutes("sessions")[1:-1]
    if len(minutes) < 20 or rate * MINUTE_S < 1:
        return None
    pairs = minutes[: len(minutes) // 2 * 2].reshape(-1, 2).astype(np.float64)
    return float(np.sum((pairs[:, 0] - pairs[:, 1]) ** 2) / max(np.sum(pairs), 1e-12))


def _time(seconds: float) -> str:
    return f"{seconds / 60:g}min" if seconds else "0s"
