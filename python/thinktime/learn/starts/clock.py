"""The starts of programs that keep to a clock, such as health checks: they continue for ever."""

from __future__ import annotations

import numpy as np

from thinktime.learn.starts.models import Model
from thinktime.learn.starts.population import Starts

PRESENT = 0.8
"""A program that is there for a smaller share of the log comes and goes."""

LATE = 1.5
"""Longer gaps than this many intervals are pauses, or holes in the log."""

EVEN = 0.1
"""Up to this standard deviation of the gaps, relative to their mean, they are equal."""

GAPS_LEAST = 5


def clock(starts: Starts, interval_s: float | None) -> Model | None:
    """A model of starts by a clock; None if they come and go, or are too few.

    ``interval_s`` is the usual distance of one client's requests, in seconds: gaps that are much
    longer are no part of the clock. Gaps with a standard deviation above `EVEN` of their mean are
    drawn from the gamma law with both: jitter, or several clients with clocks of their own. The
    stamps of a log with steps of r seconds add r² / 6 to the variance of gaps, which is taken off.
    """
    times_s = starts.times_s
    gaps = np.diff(times_s)
    if interval_s is not None:
        gaps = gaps[gaps <= LATE * interval_s + 2 * starts.resolution_s]
    there_s = float(times_s[-1] - times_s[0])
    if len(gaps) < GAPS_LEAST or there_s < PRESENT * starts.covered.span_s - (interval_s or 0.0):
        return None
    mean_s = _rounded(float(gaps.mean()), starts.resolution_s / len(gaps))
    square = max(float(gaps.var()) - starts.resolution_s**2 / 6, 0.0) / mean_s**2
    process, about = "even", "a clock, which never stops"
    if square > EVEN**2:
        process = f"gamma(shape={1 / square:.6g}, scale={mean_s * square:.6g}s)"
        about = "a clock, with the jitter of the log, which never stops"
    rates = np.array([1 / mean_s])
    unknown = tuple(None for _ in starts.dispersion)
    return Model("clock", about, 1 / mean_s, unknown, rates, starts.covered.span_s, process)


def _rounded(interval_s: float, error_s: float) -> float:
    """The interval with the fewest decimals that are within the error of its ends' stamps."""
    roundings = (round(interval_s, digits) for digits in range(9))
    near = (one for one in roundings if one > 0 and abs(one - interval_s) <= error_s)
    return next(near, interval_s)
