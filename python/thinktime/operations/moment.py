"""What is seen of a run while it runs."""

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
    """The population or request that it is about; None where it is about all."""

    limit: float
    """The largest time in seconds, or share that fails."""

    value: float | None
    """What was measured so far, in the same unit; None before anything was."""

    @property
    def beyond(self) -> bool:
        """Whether it is beyond its limit at this moment; the end decides."""
        return self.value is not None and self.value > self.limit


@dataclass(frozen=True)
class RequestSpan:
    """A request that was chosen for its trace to be looked at: a slow one, or one that failed.

    Times are in nanoseconds since the beginning of 1970.
    """

    trace: str
    """The trace: 32 hexadecimal digits."""

    span: str
    """The request's last attempt, the parent of what the server did for it: 16 digits."""

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
    """Among how many requests it was chosen: those of the same second that succeeded, or that
    failed, as it did."""


@dataclass(frozen=True)
class Moment:
    """A run at one moment.

    Times are in seconds. Percentiles cover what was measured so far after the warm-up, and are
    None before anything was.
    """

    time_s: float
    """Since the start."""

    in_flight: int
    """Requests begun and not over."""

    requests: int
    """Requests that are over, those of the warm-up included."""

    succeeded: int
    """Of these, the ones that did not fail."""

    response_p50_s: float | None
    response_p99_s: float | None
    lateness_p99_s: float | None

    errors: dict[str, int]
    """Failed attempts by what went wrong."""

    populations: dict[str, PopulationMoment] = field(default_factory=dict)
    """By name, where the workload has several."""

    objectives: tuple[ObjectiveMoment, ...] = ()
    """Those of response times and errors; pages and checks are told at the end."""

    response_sum_s: float = 0.0
    """The sum of the response times that were measured."""

    response_buckets: Sequence[tuple[int, int]] = ()
    """How many of them are in each bucket that has any: number `n` holds those above
    2^((n - 1) / 16) s and up to 2^(n / 16) s, so that a bucket is 4.4 % wide."""

    spans: tuple[RequestSpan, ...] = ()
    """Requests chosen since the last moment, where they say which trace they belong to: of each
    second the ten slowest that succeeded, and ten drawn from those that failed."""

    @property
    def measured(self) -> int:
        """How many response times there are: of requests after the warm-up that succeeded."""
        return sum(count for _, count in self.response_buckets)

    def measured_of(self, population: str) -> float:
        """About how many of them a population has: its share of all that succeeded."""
        own = self.populations[population].succeeded
        return self.measured * own / self.succeeded if self.succeeded else 0.0

    def measured_about(self, objective: ObjectiveMoment) -> float:
        """How many of them an objective is about, at most where it is about one request name."""
        of = objective.of
        return self.measured_of(of) if of in self.populations else self.measured

    @classmethod
    def of(cls, seen: dict[str, Any]) -> Moment:
        """Of what the generator tells."""
        populations = {name: PopulationMoment(**own) for name, own in seen["populations"].items()}
        objectives = tuple(ObjectiveMoment(**one) for one in seen["objectives"])
        spans = tuple(RequestSpan(**one) for one in seen["spans"])
        parts = {"populations": populations, "objectives": objectives, "spans": spans}
        return cls(**(seen | parts))
