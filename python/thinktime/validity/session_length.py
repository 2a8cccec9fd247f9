"""The lengths of sessions: one part of a run affects the next for this long.

If a run begins without sessions, requests of sessions that would have begun before are missing for
this long. The age of sessions at their requests follows from the lengths found at a random time,
which are drawn in proportion to themselves. Source: Cox, 'Renewal Theory' (1962), section 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime._core import Distribution, Population, Workload
    from thinktime._core_types import PopulationTable

COUNTS = 0.1
"""Populations with a smaller share of the requests hardly affect the measurement."""

_ALIKE = 0.5
"""Sessions whose lengths have a smaller C² count as equally long."""


@dataclass(frozen=True)
class Stay:
    """The average session of a population."""

    requests: float
    thinking_s: float
    """The sum of its think times, with one after the last request."""

    cv2: float | None = None
    """C² of the number of requests or of the duration; None if it is not known."""

    share: float = 1.0
    """The population's share of all requests."""

    begins_empty: bool = False
    """Whether a run begins without any of its sessions."""

    given_s: float | None = None
    """The duration of sessions, if the workload sets it."""

    def lasts_s(self, mean_s: float) -> float:
        """The mean duration of a session, in seconds, at a mean response time."""
        return self.thinking_s + self.requests * mean_s if self.given_s is None else self.given_s

    def missing(self, window_s: tuple[float, float], mean_s: float) -> float:
        """The share of the requests of a time that are missing because the run began empty.

        `window_s` is its beginning and end. First requests of sessions come at the full rate from
        the start. Later requests are missing if their session would have begun before the run. Ages
        are taken to be exponential, or uniform for sessions that are equally long.
        """
        begin_s, end_s = window_s
        age_s = self._age_s(mean_s)
        if not self.begins_empty or not 0 < age_s < math.inf or end_s <= begin_s:
            return 0.0
        tail = _tail_exponential if self._varied >= _ALIKE else _tail_uniform
        lost = (tail(begin_s / age_s) - tail(end_s / age_s)) * age_s / (end_s - begin_s)
        return self.share * self._further * lost

    def warm_up_s(self, missing: float, mean_s: float) -> float:
        """The time after which no larger share of the requests is missing."""
        share = self.share * self._further
        if share <= missing:
            return 0.0
        ages = math.log(share / missing) if self._varied >= _ALIKE else 2.0
        return ages * self._age_s(mean_s)

    def _age_s(self, mean_s: float) -> float:
        """The mean age of sessions at their requests but the first.

        In a session of N requests the ages are 1 to N - 1 gaps: together N (N - 1) / 2.
        """
        many, varied = self.requests, self._varied
        if self.given_s is not None:
            return self.given_s * (1 + varied) / 2
        if many <= 1:
            return 0.0
        gap_s = self.thinking_s / many + mean_s
        return gap_s * many * (many * (1 + varied) - 1) / (2 * (many - 1))

    @property
    def _varied(self) -> float:
        """C²; if unknown or larger, that of a session that may end after any request."""
        memoryless = 1.0 if self.given_s is not None else 1 - 1 / max(self.requests, 1.0)
        return memoryless if self.cv2 is None else min(self.cv2, memoryless)

    @property
    def _further(self) -> float:
        """The share of its requests that are not the first of a session."""
        return 1 - 1 / max(self.requests, 1.0)


def stays_of(workload: Workload) -> tuple[Stay, ...]:
    """The partly-open populations whose sessions are known; there are no others."""
    those = workload.populations
    if len(those) == 1 and (lasting := _lasting(those[0])) is not None:
        return (lasting,)
    known = [
        (one, float(one.request_rate), float(one.session_rate))
        for one in those
        if one.request_rate and one.session_rate
    ]
    whole = sum(rate for _, rate, _ in known)
    return tuple(
        Stay(
            rate / sessions,
            _thinking_s(one, rate / sessions),
            _cv2(one.table["session"]["requests"]),
            rate / whole,
            _begins_empty(one.table),
        )
        for one, rate, sessions in known
        if one.model == "partly-open" and rate >= COUNTS * whole
    )


def session_s(stays: Sequence[Stay], mean_s: float) -> float:
    """The mean duration of the longest sessions, in seconds; 0 if none are known.

    `mean_s` is the mean response time.
    """
    return max((one.lasts_s(mean_s) for one in stays), default=0.0)


def _lasting(one: Population) -> Stay | None:
    """Sessions of a set duration: the number of their requests is not known."""
    law = _law(one.table["session"]["lasts"])
    if law is None or one.model != "partly-open" or not math.isfinite(law.mean):
        return None
    think_s = 0.0 if one.think is None else one.think.mean
    many = 1 + law.mean / think_s if think_s > 0 else math.inf
    return Stay(many, law.mean, law.cv2, begins_empty=True, given_s=law.mean)


def _begins_empty(table: PopulationTable) -> bool:
    """Whether an empty start was chosen, or sessions carry something from their beginning."""
    return table["arrivals"]["start"] == "empty" or any(one["take"] for one in table["request"])


def _cv2(requests: object) -> float | None:
    """C² of the number of requests; None if it is not known, as for a journey."""
    law = _law(requests)
    return None if law is None else law.cv2


def _law(notation: object) -> Distribution | None:
    from thinktime import InputError
    from thinktime._core import Distribution

    if notation is None:
        return None
    try:
        return Distribution(str(notation))
    except InputError:
        return None


def _tail_exponential(at: float) -> float:
    """The integral of the survival function beyond a time, at a mean of 1."""
    return math.exp(-at)


def _tail_uniform(at: float) -> float:
    """The same for times between 0 and 2."""
    return max(1 - at / 2, 0.0) ** 2


def _thinking_s(one: Population, requests: float) -> float:
    usual = 0.0 if one.think is None else one.think.mean
    means = [usual if after is None else after.mean for after in one.thinks_after]
    steps = one.steps if one.visits is not None else [requests * share for share in one.mix]
    return float(sum(many * mean for many, mean in zip(steps, means, strict=True)))
