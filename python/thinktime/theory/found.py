"""What `thinktime.theory.match` finds."""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.theory.law import Law


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

    @property
    def in_system(self) -> float:
        """Mean number of requests in the system, by Little's law."""
        return self.throughput * self.mean_s
