"""`warm-up`: whether requests came as often at first as later, or the run was still filling up.

Sessions that stay for minutes, clients that begin together, scripts and logs fill a system slowly:
response times say little of it while it is nearly empty, so the rate of requests is looked at.
"""

from __future__ import annotations

import numpy as np

from thinktime.report import units
from thinktime.validity.changing import rise_of
from thinktime.validity.evidence import Evidence
from thinktime.validity.finding import DOUBTFUL, FINE, Finding, Unseen
from thinktime.validity.stretches import stretches

NAME = "warm-up"

SIGNIFICANCE = 0.0025
MATTERS = 0.03
"""A smaller part of the rate that is missing at first moves no figure by much."""


def check(seen: Evidence) -> Finding | None:
    """Whether the rate of requests was lower at first."""
    if not seen.is_steady_by_plan:
        raise Unseen("the workload's rate is to change over time")
    parts = stretches(seen)
    rates = parts.scheduled / parts.length_s
    mean = float(rates.mean())
    if mean == 0 or np.ptp(rates) == 0:
        return Finding(NAME, FINE, "requests came at the same rate all the time")
    rise, p_value = rise_of(rates)
    if p_value > SIGNIFICANCE or rise <= MATTERS * mean:
        return Finding(
            NAME, FINE, f"requests came at {units.rate(mean)}, as often at first as at the end"
        )
    later = float(rates[len(rates) // 2 :].mean())
    first = float(rates[: len(rates) // 4].mean())
    place = int(np.argmax(rates >= later - MATTERS * mean))
    until = float(parts.begin_s[place])
    words = (
        f"{units.rate(first)} were begun in the first quarter of the run, and {units.rate(later)} "
        "in its last half: it was still filling up"
    )
    advice = f"leave more out (`--warmup {_rounded(until)}`, or longer), and run for longer"
    return Finding(NAME, DOUBTFUL, words, advice)


def _rounded(time_s: float) -> str:
    """A time as an option takes it."""
    return f"{np.ceil(time_s / 60):.0f}min" if time_s >= 120 else f"{max(np.ceil(time_s), 1):.0f}s"
