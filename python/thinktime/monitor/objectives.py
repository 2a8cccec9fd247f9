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
from thinktime.operations.run_progress import Moment, ObjectiveMoment
from thinktime.present import percentile
from thinktime.results import independent_requests

_NORMAL = 1.959964
"""The quantile of the normal distribution for 95 %."""

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
    value = percentile.known(one.name, one.value, many)
    worth = independent_requests.worth(summary, many)
    known = percentile.backed(one.name, worth)
    if one.value is None:
        within, beyond = False, False
    elif one.name == "errors":
        within, beyond = _errors(one, moment)
    elif one.name == "mean":
        within, beyond = _mean(one, summary)
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
    low, high = _wilson(share, (moment if of is None else of).requests)
    return high <= one.limit or (share == one.limit == 0), low > one.limit


def _mean(one: ObjectiveMoment, summary: Mapping[str, Any]) -> tuple[bool, bool]:
    half = (summary.get("response_time_s") or {}).get("ci95")
    if half is None or one.value is None:
        return False, False
    return one.value + half <= one.limit, one.value - half > one.limit


def _percentile(one: ObjectiveMoment, moment: Moment, worth: float) -> tuple[bool, bool]:
    """By its share of requests; those of the limit's own bucket count against each answer."""
    failed = moment.requests - moment.succeeded
    place = PER_OCTAVE * math.log2(one.limit) if one.limit > 0 else -math.inf
    later = failed + sum(many for at, many in moment.response_buckets if at > place)
    surely = failed + sum(many for at, many in moment.response_buckets if at - 1 >= place)
    all_ = moment.measured + failed
    allowed = 1 - float(one.name.removeprefix("p")) / 100
    number = worth * all_ / moment.measured if moment.measured else 0.0
    if not number:
        return False, surely == all_ > 0
    return (
        _wilson(later / all_, number)[1] <= allowed,
        _wilson(surely / all_, number)[0] > allowed,
    )


def _wilson(share: float, number: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of this many independent events (1927)."""
    if not number:
        return 0.0, 1.0
    square = _NORMAL**2 / number
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return (0.0 if share <= 0 else centre - half), (1.0 if share >= 1 else centre + half)
