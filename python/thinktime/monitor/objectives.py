"""The objectives of a run so far, judged by the rule of its result (`core/record/attainment.rs`).

A percentile of all requests is judged by the share of them beyond the limit, with Wilson's interval
for the number of independent ones; those that failed are later than any limit. Of a population or
a request only its percentile is known during a run: it counts as soon as enough independent
requests bound it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime.monitor.buckets import PER_OCTAVE
from thinktime.numerics.shares import wilson
from thinktime.operations.run_progress import Moment, ObjectiveMoment
from thinktime.present import percentile
from thinktime.results import independent_requests

MET, NOT_MET, CANNOT_TELL = "met", "not met", "cannot tell"


@dataclass(frozen=True)
class ObjectiveState:
    """An objective with its state at one moment."""

    objective: ObjectiveMoment
    value: float | None
    """What was found; None if its requests do not bound it even if they are independent."""

    state: str
    """`met`, `not met` or `cannot tell`; the end decides."""


def judged(moment: Moment, summary: Mapping[str, Any]) -> list[ObjectiveState]:
    """All objectives at a moment.

    Args:
        moment: The figures so far.
        summary: The same in the form of a result's summary, with the independent requests.
    """
    return [_judged(one, moment, summary) for one in moment.objectives]


def state_of(found: Sequence[ObjectiveState]) -> str:
    """The state of all together; empty without any."""
    states = [one.state for one in found]
    for state in (NOT_MET, CANNOT_TELL, MET):
        if state in states:
            return state
    return ""


def _judged(one: ObjectiveMoment, moment: Moment, summary: Mapping[str, Any]) -> ObjectiveState:
    many = moment.measured_about(one)
    value = percentile.known(one.time, one.value, many)
    worth = independent_requests.worth(summary, many)
    known = percentile.backed(one.time, worth)
    if one.value is None:
        within, beyond = False, False
    elif one.name == "errors":
        within, beyond = _errors(one, moment)
    elif one.time == "mean":
        within, beyond = (False, False) if one.of_streams else _mean(one, summary)
    elif one.of is None:
        within, beyond = _percentile(one, moment, worth)
        within = within and known
    else:
        within, beyond = known and not one.beyond, known and one.beyond
    return ObjectiveState(one, value, MET if within else NOT_MET if beyond else CANNOT_TELL)


def _errors(one: ObjectiveMoment, moment: Moment) -> tuple[bool, bool]:
    """Whether the share that fails is surely within its limit, and surely beyond it."""
    of = moment.populations.get(one.of or "")
    share = one.value or 0.0
    low, high = wilson(share, (moment if of is None else of).requests)
    return high <= one.limit or (share == one.limit == 0), low > one.limit


def _mean(one: ObjectiveMoment, summary: Mapping[str, Any]) -> tuple[bool, bool]:
    half = (summary.get("response_time_s") or {}).get("ci95")
    if half is None or one.value is None:
        return False, False
    return one.value + half <= one.limit, one.value - half > one.limit


def _percentile(one: ObjectiveMoment, moment: Moment, worth: float) -> tuple[bool, bool]:
    """By its share of requests; those of the limit's own bucket count against each answer."""
    streams = moment.streams if one.of_streams else None
    of = moment if streams is None else streams
    buckets = moment.response_buckets if streams is None else streams.first_event_buckets
    failed = of.requests - of.succeeded
    place = PER_OCTAVE * math.log2(one.limit) if one.limit > 0 else -math.inf
    later = failed + sum(many for at, many in buckets if at > place)
    surely = failed + sum(many for at, many in buckets if at - 1 >= place)
    all_ = of.measured + failed
    allowed = 1 - float(one.time.removeprefix("p")) / 100
    number = worth * all_ / of.measured if of.measured else 0.0
    if not number:
        return False, surely == all_ > 0
    return (
        wilson(later / all_, number)[1] <= allowed,
        wilson(surely / all_, number)[0] > allowed,
    )
