"""`profile`: whether a run saw the whole profile of a rate, or a part of it with another rate.

A learned profile covers the days of its log, and a run of ten minutes sees the beginning of the
first night. Its figures are right for that part alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thinktime._core import Population
from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, Finding, NoData
from thinktime.validity.evidence import FEW, Evidence
from thinktime.validity.mix import arrivals_end_s

NAME = "profile"

MATTERS = 0.10
"""A rate that differs by no more than this changes no figure by much."""

DEVIATIONS = 4.0
"""A number of requests is off by as many standard deviations with a chance of 0.006 %."""

_CHANGING = ("rates(", "sine(")
"""Profiles whose factor is 1 on average; others are the stages of a test."""


@dataclass(frozen=True)
class _Part:
    """The requests of one population in the measured time."""

    name: str
    rate: float
    """Requests a second."""

    planned: float
    """Requests a second on average over the whole profile."""

    ends_s: float | None
    """When the profile ends; None if it comes back."""

    @property
    def off(self) -> float:
        """The relative difference of both rates."""
        return abs(self.rate / self.planned - 1.0)


def check(seen: Evidence) -> Finding | None:
    """The rate of requests in the measured time, and on average over the whole profile.

    Raises:
        NoData: if the requests of each population are not known, or failures may have cut sessions.
    """
    changing = [one["profile"].startswith(_CHANGING) for one in seen.arrivals]
    if seen.share_of(changing) <= FEW:
        return None
    if float(seen.summary["errors"]) > FEW * float(seen.summary["requests"]):
        raise NoData("requests failed, and sessions may have ended with them")
    those = zip(seen.workload.populations, changing, strict=True)
    found = [_part(seen, one) for one, changes in those if changes]
    parts = [one for one in found if one is not None]
    if not parts:
        return Finding(NAME, FINE, "requests came as often as over the whole profile")
    most = max(parts, key=lambda one: one.off)
    over = "time" if most.ends_s is None else units.seconds(most.ends_s)
    whose = f" of `{most.name}`" if most.name else ""
    begin, end = map(units.seconds, seen.window)
    cover = "whole periods" if most.ends_s is None else f"it all (`--duration {most.ends_s:.0f}s`)"
    return Finding(
        NAME,
        DOUBTFUL,
        f"the rate{whose} changes over {over}, and these figures are of the time from "
        f"{begin} to {end}: its requests came at {units.rate(most.rate)}, and over the whole "
        f"profile they come at {units.rate(most.planned)}",
        f"cover {cover}, or take the part that matters: a `rate` of its own without `profile`, or "
        "`learn --only time=FROM..UNTIL`",
    )


def _part(seen: Evidence, one: Population) -> _Part | None:
    """A population that saw a part of its profile with another rate."""
    begin_s, end_s = seen.window
    ends_s = arrivals_end_s(seen, one)
    if not one.request_rate or not one.session_rate or end_s <= begin_s:
        return None
    if ends_s is not None and ends_s <= end_s:
        return None  # the run saw it all
    many, time_s = _requests(seen, one.name), (end_s - begin_s) * seen.replications
    expected = one.request_rate * time_s
    # Requests come by sessions: a geometric number has the variance of twice as many at a time.
    together = 2.0 * one.request_rate / one.session_rate * seen.page_companions
    spread = math.sqrt(expected * together * max(one.dispersion or 1.0, 1.0))
    if abs(many - expected) <= max(MATTERS * expected, DEVIATIONS * spread):
        return None
    return _Part(one.name, many / time_s, one.request_rate, ends_s)


def _requests(seen: Evidence, name: str) -> float:
    """The counted requests of a population."""
    parts = seen.summary.get("by_population")
    if parts:
        return float(parts[name]["requests"])
    if len(seen.populations) > 1:
        raise NoData("the requests of each population are not known")
    return float(seen.summary["requests"])
