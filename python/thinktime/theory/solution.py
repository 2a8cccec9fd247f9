"""What `thinktime.theory.match` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thinktime.theory.law import Law


@dataclass(frozen=True)
class PopulationTheory:
    """What of it is one population's."""

    throughput: float
    """Requests per second."""

    mean_s: float
    """Mean response time of its requests in seconds."""

    by_request: Mapping[str, float]
    """The same of each kind of request, by name."""


@dataclass(frozen=True)
class Theory:
    """The exact steady state of a model."""

    model: str
    """In words, such as 'M/H2/1 FCFS'."""

    source: str
    """Where the formula comes from."""

    mean_s: float
    """Mean response time in seconds."""

    law: Law | None
    """The law of the response time in seconds; None where only its mean is known."""

    load: float
    """Fraction of time that a server of the busiest station is busy."""

    throughput: float
    """Requests per second."""

    by_request: Mapping[str, float] = field(default_factory=dict)
    """Mean response times in seconds by the request's name; empty where they are not known."""

    by_population: Mapping[str, PopulationTheory] = field(default_factory=dict)
    """By name, where the workload names populations; empty where they are not known."""

    @property
    def in_system(self) -> float:
        """Mean number of requests in the system, by Little's law."""
        return self.throughput * self.mean_s
