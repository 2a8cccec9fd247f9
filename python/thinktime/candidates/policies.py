"""The demand of each request, if the server has a given policy and number of workers.

It is exact for a log with arrivals and ends. Under processor sharing a request is served at the
rate min(1, workers / present) for all of its time: its demand is the integral. Under first come,
first served it begins when it comes, or when one of the workers is free of those that came before.
If a pool admits a number of requests, first come, first served, and those share the workers, a
request begins as with as many workers as there are places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.candidates.orders import demands_one_at_a_time, least_attained
from thinktime.candidates.visits import Floats, Numbers, Visits


@dataclass(frozen=True)
class Policy:
    """A server's policy."""

    name: str
    """`fcfs`, `ps`, `pool` (those inside share), `order` (one at a time, in any of the orders of
    `orders`), `las`, or `idle`: each request has a worker for itself."""

    workers: int
    """The number of workers; for `idle`, the largest number of requests present."""

    places: int = 0
    """The places of a `pool`."""


@dataclass(frozen=True)
class Timeline:
    """The arrivals and ends of a log in one order. At equal times ends come before arrivals."""

    log: Visits
    begin: Numbers
    """The place of each arrival."""

    end: Numbers
    """The place of each end."""

    gaps_s: Floats
    """From each place to the next."""

    present: Numbers
    """The number of requests present after each place."""

    @classmethod
    def of(cls, log: Visits) -> Timeline:
        """The timeline of a log."""
        many = len(log)
        times = np.concatenate([log.arrival_s, log.done_s])
        comes = np.arange(2 * many) < many
        order = np.lexsort((comes, times))
        place = np.empty(2 * many, dtype=np.int64)
        place[order] = np.arange(2 * many)
        present = np.cumsum(np.where(comes[order], 1, -1))
        return cls(log, place[:many], place[many:], np.diff(times[order]), present)

    @cached_property
    def _first_free(self) -> _FreeTimes:
        return _FreeTimes(self.log.done_s)

    @cached_property
    def _times_s(self) -> Floats:
        """The time of each place."""
        return np.asarray(self.log.arrival_s[0] + np.concatenate([[0.0], np.cumsum(self.gaps_s)]))

    def demands(self, policy: Policy) -> Floats:
        """The demand of each request in seconds; 0 or less if the policy cannot be this one."""
        log = self.log
        if policy.name == "idle":
            return log.duration_s
        if policy.name == "fcfs":
            return log.done_s - np.maximum(log.arrival_s, self._first_free.of(policy.workers))
        if policy.name == "order":
            return demands_one_at_a_time(log)
        if policy.name == "las":
            return least_attained(log)
        sharing = np.maximum(self.present[:-1], 1)
        if policy.name == "pool":
            sharing = np.minimum(sharing, policy.places)
        speed = np.minimum(1.0, policy.workers / sharing)
        had = np.concatenate([[0.0], np.cumsum(speed * self.gaps_s)])
        if policy.name == "pool":
            enters = np.maximum(log.arrival_s, self._first_free.of(policy.places))
            return np.asarray(had[self.end] - np.interp(enters, self._times_s, had))
        return np.asarray(had[self.end] - had[self.begin])


class _FreeTimes:
    """When the first of some workers is free of all requests that came before each one.

    A number of workers after a smaller one costs the difference alone.
    """

    def __init__(self, done_s: Floats) -> None:
        self._done_s = done_s
        self._begin()

    def _begin(self) -> None:
        self._workers, self._row, self._free = 0, self._done_s, self._done_s

    def of(self, workers: int) -> Floats:
        """The times, with this many workers; read only."""
        if workers < self._workers:
            self._begin()
        for _ in range(workers - self._workers):
            # The largest so far; the one that it replaces competes for the next place.
            before = np.full(len(self._row), -np.inf)
            np.maximum.accumulate(self._row[:-1], out=before[1:])
            self._free, self._row = before, np.minimum(before, self._row)
        self._workers = workers
        return self._free
