"""`warm-up`: whether requests came as often at first as later, or the run was still filling up.

Sessions that stay for minutes, clients that begin together, scripts and logs fill a system slowly.
Response times say little while it is nearly empty, so the rate of requests is tested. The number of
requests that are missing from the empty start follows from the length of sessions.
"""

from __future__ import annotations

import numpy as np

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, Finding, NoData
from thinktime.validity.evidence import Evidence
from thinktime.validity.level_changes import rise_of
from thinktime.validity.session_length import session_s
from thinktime.validity.stretches import stretches

NAME = "warm-up"

SIGNIFICANCE = 0.0025
MATTERS = 0.03
"""A smaller shortfall of the rate at first moves no figure by much."""

MISSING = 0.01
"""The largest mean shortfall over the whole time, the same as for the load."""


def check(seen: Evidence) -> Finding | None:
    """Whether the rate of requests was lower at first, or must be by the lengths of sessions."""
    if not seen.is_steady_by_plan:
        raise NoData("the workload's rate is to change over time")
    if (short := _short_for_sessions(seen)) is not None:
        return short
    parts = stretches(seen)
    rates = parts.scheduled / parts.length_s
    mean = float(rates.mean())
    if mean == 0 or np.ptp(rates) == 0:
        return Finding(NAME, FINE, "requests came at the same rate all the time")
    rise, p_value = rise_of(rates)
    # The first arrival comes a gap after the beginning, and a page's requests come together.
    rise -= seen.page_companions / (parts.length_s * (len(rates) // 4))
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


def _short_for_sessions(seen: Evidence) -> Finding | None:
    """A doubt if long sessions were still missing, whatever chance did to the rate."""
    mean_s, (begin_s, end_s) = seen.mean_s or 0.0, seen.window
    empty = [one for one in seen.stays if one.begins_empty]
    missing = sum(one.missing((begin_s, end_s), mean_s) for one in empty)
    if missing <= MISSING:
        return None
    until_s = max(one.warm_up_s(MISSING, mean_s) for one in empty)
    lasts, length, left_out = (
        units.seconds(one) for one in (session_s(empty, mean_s), end_s - begin_s, begin_s)
    )
    words = (
        f"the run began empty, and sessions last for {lasts} on average: in {length} after a "
        f"warm-up of {left_out}, {units.percent(missing)} of the long run's requests are missing"
    )
    advice = f"leave more out (`--warmup {_rounded(until_s)}`), and run for longer (`--requests`)"
    return Finding(NAME, DOUBTFUL, words, advice)


def _rounded(time_s: float) -> str:
    """A time as an option takes it."""
    return f"{np.ceil(time_s / 60):.0f}min" if time_s >= 120 else f"{max(np.ceil(time_s), 1):.0f}s"
