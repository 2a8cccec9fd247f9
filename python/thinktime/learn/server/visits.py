"""The requests of a log as a server saw them: arrival, end, and whether they were work."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.requests import Requests

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

LONGEST_US = 4_294_967_294
"""The largest duration that is logged."""

NOT_SERVED = (0, 429, 502, 503)
"""Statuses of requests that were turned away: they are no work."""

GIVEN_UP = (408, 499)
"""Statuses of clients that did not wait: the full duration of the request is not known."""

STEPS_US = (1_000_000, 100_000, 10_000, 1000, 100, 10)


@dataclass(frozen=True)
class ServerVisits:
    """Requests by the time of their arrival; times in seconds from the first one."""

    arrival_s: Floats
    done_s: Floats
    """The time at which each was answered, or given up."""

    kind: Numbers
    """Its kind, from 0; -1 for a kind that is left out."""

    over: Mask
    """Whether it was served to its end; a client may have given up before."""

    stamp_s: float
    """The steps of the stamps: an arrival may be later by less than that."""

    step_s: float
    """The steps of the durations."""

    def __len__(self) -> int:
        return len(self.arrival_s)

    @property
    def duration_s(self) -> Floats:
        """The duration of each."""
        return self.done_s - self.arrival_s

    def part(self, kept: slice | Mask | Numbers) -> ServerVisits:
        """Some of the requests."""
        return replace(
            self,
            arrival_s=self.arrival_s[kept],
            done_s=self.done_s[kept],
            kind=self.kind[kept],
            over=self.over[kept],
        )


def server_visits(requests: Requests, kind: Numbers) -> ServerVisits:
    """The requests that were served: those with a duration that were not turned away.

    ``kind`` is that of each row of ``requests``. Logged durations are rounded down; half a step is
    added, so that their mean is right.
    """
    rows = requests.rows
    duration = rows["duration_us"]
    status = rows["status"].to_numpy()
    worked = duration.is_not_null().to_numpy() & ~np.isin(status, NOT_SERVED)
    took = duration.fill_null(0).to_numpy().astype(np.int64)[worked]
    step_us = coarsest_step_us(took)
    time_ns = rows["time_ns"].to_numpy()[worked]
    first = time_ns[0] if len(time_ns) else 0
    arrival = (time_ns - first) * 1e-9
    order = np.argsort(arrival, kind="stable")
    done = arrival + (took + (step_us / 2 if step_us > 1 else 0)) * 1e-6
    over = ~np.isin(status[worked], GIVEN_UP) & (took < LONGEST_US)
    of_worked = np.asarray(kind, dtype=np.int64)[worked]
    log = ServerVisits(arrival, done, of_worked, over, requests.resolution_s, step_us * 1e-6)
    return log.part(order)


def coarsest_step_us(took: Numbers) -> int:
    """The coarsest step of which all durations are multiples."""
    return next((step for step in STEPS_US if len(took) and not np.any(took % step)), 1)
