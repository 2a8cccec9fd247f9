"""What is seen of a run while it runs."""

from __future__ import annotations

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

    @classmethod
    def of(cls, seen: dict[str, Any]) -> Moment:
        """Of what the generator tells."""
        populations = {name: PopulationMoment(**own) for name, own in seen["populations"].items()}
        return cls(**(seen | {"populations": populations}))
