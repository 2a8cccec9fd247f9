"""The view of a run in progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PopulationMoment:
    """Requests of one population at one moment, as in `Moment`."""

    requests: int
    succeeded: int
    response_p50_s: float | None
    response_p99_s: float | None


@dataclass(frozen=True)
class ObjectiveMoment:
    """An objective of the workload at one moment, as in `Moment`."""

    name: str
    """Its key in the workload file, as in `p99` or `errors`."""

    of: str | None
    """The population or request that it is about; None if it is about all."""

    limit: float
    """The largest time in seconds, or share that fails."""

    value: float | None
    """The measurement so far, in the same unit; None before there is any."""

    @property
    def beyond(self) -> bool:
        """Whether it is beyond its limit at this moment; the end decides."""
        return self.value is not None and self.value > self.limit


@dataclass(frozen=True)
class RequestSpan:
    """A request whose trace deserves a look: a slow one, or one that failed.

    Times are in nanoseconds since the beginning of 1970.
    """

    trace: str
    """The trace: 32 hexadecimal digits."""

    span: str
    """The request's last attempt, the parent of the server's spans: 16 digits."""

    name: str
    session: int
    request: int
    attempt: int

    scheduled_unix_ns: int
    sent_unix_ns: int
    done_unix_ns: int

    status: int | None
    error: str | None

    of: int
    """The number of requests from which it was chosen: those of the same second that succeeded, or
    that failed, as it did."""


@dataclass(frozen=True)
class Moment:
    """A run at one moment.

    Times are in seconds. Percentiles cover the measurements so far after the warm-up, and are None
    before there are any.
    """

    time_s: float
    """Since the start."""

    in_flight: int
    """Requests begun and not over."""

    requests: int
    """Requests that are over, including those of the warm-up."""

    succeeded: int
    """Those of them that did not fail."""

    response_p50_s: float | None
    response_p99_s: float | None
    lateness_p99_s: float | None

    errors: dict[str, int]
    """Failed attempts by cause."""

    populations: dict[str, PopulationMoment] = field(default_factory=dict)
    """By name, if the workload has several."""

    objectives: tuple[ObjectiveMoment, ...] = ()
    """Objectives of response times and errors; pages and checks are reported at the end."""

    response_sum_s: float = 0.0
    """The sum of the measured response times."""

    response_buckets: Sequence[tuple[int, int]] = ()
    """The count of each bucket that has any: number `n` holds times above 2^((n - 1) / 16) s and up
    to 2^(n / 16) s, so that a bucket is 4.4 % wide."""

    spans: tuple[RequestSpan, ...] = ()
    """Requests chosen since the last moment, if they name their traces: of each second the ten
    slowest that succeeded, and ten drawn from those that failed."""

    @property
    def measured(self) -> int:
        """The number of response times: of requests after the warm-up that succeeded."""
        return sum(count for _, count in self.response_buckets)

    def measured_of(self, population: str) -> float:
        """The approximate number of them in a population: its share of all that succeeded."""
        own = self.populations[population].succeeded
        return self.measured * own / self.succeeded if self.succeeded else 0.0

    def measured_about(self, objective: ObjectiveMoment) -> float:
        """The number that an objective covers; an upper limit if it covers one request name."""
        of = objective.of
        return self.measured_of(of) if of in self.populations else self.measured

    @classmethod
    def of(cls, seen: dict[str, Any]) -> Moment:
        """A moment from the generator's report."""
        populations = {name: PopulationMoment(**own) for name, own in seen["populations"].items()}
        objectives = tuple(ObjectiveMoment(**one) for one in seen["objectives"])
        spans = tuple(RequestSpan(**one) for one in seen["spans"])
        parts = {"populations": populations, "objectives": objectives, "spans": spans}
        return cls(**(seen | parts))
