"""The result of `thinktime.theory.match`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thinktime.theory.law import Law


@dataclass(frozen=True)
class PopulationTheory:
    """The part of the theory for one population."""

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
    """The source of the formula."""

    mean_s: float
    """Mean response time in seconds."""

    law: Law | None
    """The law of the response time in seconds; None if only its mean is known."""

    load: float
    """Fraction of time that a server of the busiest station is busy."""

    throughput: float
    """Requests per second."""

    by_request: Mapping[str, float] = field(default_factory=dict)
    """Mean response times in seconds by the request's name; empty if they are not known."""

    by_population: Mapping[str, PopulationTheory] = field(default_factory=dict)
    """The theory by population name, if the workload names populations; empty if it is not
    known."""

    @property
    def in_system(self) -> float:
        """Mean number of requests in the system, by Little's law."""
        return self.throughput * self.mean_s
