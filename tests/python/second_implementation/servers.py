"""One station: the order of its jobs, and their departures. Times are in nanoseconds."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from typing import Any

NEVER = math.inf


class Station(ABC):
    """Jobs are any objects; those of the same instant come in the order of the calls."""

    def __init__(self, servers: int) -> None:
        self.servers = servers
        self.count = 0

    @abstractmethod
    def arrive(self, now: int, job: Any, demand: int) -> None:
        """A job comes."""

    @abstractmethod
    def next_departure(self) -> float:
        """The next departure, if no job comes before."""

    @abstractmethod
    def depart(self) -> Any:
        """The job that departs then."""

    def number(self) -> int:
        """Numbers the jobs as they come."""
        self.count += 1
        return self.count


class Fcfs(Station):
    """First come, first served: an arriving job knows its server."""

    def __init__(self, servers: int) -> None:
        super().__init__(servers)
        self.free_at = [0] * servers
        self.leaving: list[tuple[int, int, Any]] = []

    def arrive(self, now: int, job: Any, demand: int) -> None:
        end = max(now, self.free_at[0]) + demand
        heapq.heapreplace(self.free_at, end)
        heapq.heappush(self.leaving, (end, self.number(), job))

    def next_departure(self) -> float:
        return self.leaving[0][0] if self.leaving else NEVER

    def depart(self) -> Any:
        return heapq.heappop(self.leaving)[2]


class ProcessorSharing(Station):
    """All at once: since its arrival, each has had as much service as one that was there all
    along."""

    def __init__(self, servers: int) -> None:
        super().__init__(servers)
        self.given, self.at = 0.0, 0.0
        self.present: list[tuple[float, int, Any]] = []

    def rate(self) -> float:
        return min(1.0, self.servers / len(self.present))

    def serve_until(self, now: float) -> None:
        if self.present:
            self.given += (now - self.at) * self.rate()
        else:
            self.given = 0.0
        self.at = now

    def arrive(self, now: int, job: Any, demand: int) -> None:
        self.serve_until(now)
        heapq.heappush(self.present, (self.given + demand, self.number(), job))

    def next_departure(self) -> float:
        if not self.present:
            return NEVER
        return max(self.at, self.at + (self.present[0][0] - self.given) / self.rate())

    def depart(self) -> Any:
        # Without a rounding, so that jobs that are alike depart at the same instant.
        self.at = self.next_departure()
        self.given, _, job = heapq.heappop(self.present)
        return job


class Srpt(Station):
    """One server for the job with the least left; an equal one does not preempt."""

    def __init__(self, servers: int) -> None:
        super().__init__(servers)
        if servers != 1:
            raise ValueError("one server only")
        self.waiting: list[tuple[int, int, Any]] = []
        self.served: tuple[int, int, Any] | None = None
        self.since = 0

    def arrive(self, now: int, job: Any, demand: int) -> None:
        new = (demand, self.number(), job)
        if self.served is None:
            self.served, self.since = new, now
            return
        left = self.served[0] - (now - self.since)
        if demand < left:
            heapq.heappush(self.waiting, (left, *self.served[1:]))
            self.served, self.since = new, now
        else:
            heapq.heappush(self.waiting, new)

    def next_departure(self) -> float:
        return NEVER if self.served is None else self.since + self.served[0]

    def depart(self) -> Any:
        assert self.served is not None
        left, _, job = self.served
        self.since += left
        self.served = heapq.heappop(self.waiting) if self.waiting else None
        return job


POLICIES: dict[str, type[Station]] = {"fcfs": Fcfs, "ps": ProcessorSharing, "srpt": Srpt}


def station(policy: str, servers: int) -> Station:
    """An empty one."""
    return POLICIES[policy](servers)
