"""How long sessions last: for so long what one part of a run has in it is in the next one, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime._core import Population, Workload

COUNTS = 0.1
"""Populations that make a smaller share of the requests hardly move what is measured."""


@dataclass(frozen=True)
class Stay:
    """What sessions of a population do on average."""

    requests: float
    thinking_s: float
    """Their think times together."""


def stays_of(workload: Workload) -> tuple[Stay, ...]:
    """Of the partly-open populations whose sessions are known; the others have none."""
    known = [
        (one, float(one.request_rate), float(one.session_rate))
        for one in workload.populations
        if one.request_rate and one.session_rate
    ]
    whole = sum(rate for _, rate, _ in known)
    return tuple(
        Stay(rate / sessions, _thinking_s(one, rate / sessions))
        for one, rate, sessions in known
        if one.model == "partly-open" and rate >= COUNTS * whole
    )


def session_s(stays: Sequence[Stay], mean_s: float) -> float:
    """How long the longest sessions last on average, in seconds; 0 where none are known.

    `mean_s` is the mean response time.
    """
    return max((one.thinking_s + one.requests * mean_s for one in stays), default=0.0)


def _thinking_s(one: Population, requests: float) -> float:
    usual = 0.0 if one.think is None else one.think.mean
    means = [usual if after is None else after.mean for after in one.thinks_after]
    steps = one.steps if one.visits is not None else [requests * share for share in one.mix]
    return float(sum(many * mean for many, mean in zip(steps, means, strict=True)))
