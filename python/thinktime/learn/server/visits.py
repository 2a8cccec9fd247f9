"""The requests of a log as a server saw them: arrival, end, and whether they were work."""

from __future__ import annotations

import numpy as np

from thinktime.candidates.visits import Numbers, Visits
from thinktime.learn.logs.requests import Requests

LONGEST_US = 4_294_967_294
"""The largest duration that is logged."""

TURNED_AWAY = (429, 502, 503)
"""Statuses of requests that a server did not take."""

NOT_SERVED = (0, *TURNED_AWAY)
"""Statuses of requests that are no work."""

GIVEN_UP = (408, 499, 504)
"""Statuses of clients, or proxies, that did not wait: the full duration of the request is not
known."""

STEPS_US = (1_000_000, 100_000, 10_000, 1000, 100, 10)


def server_visits(requests: Requests, kind: Numbers) -> Visits:
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
    user = rows["user"].to_numpy().astype(np.int64)[worked]
    log = Visits(arrival, done, of_worked, over, requests.resolution_s, step_us * 1e-6, user)
    return log.part(order)


def coarsest_step_us(took: Numbers) -> int:
    """The coarsest step of which all durations are multiples."""
    return next((step for step in STEPS_US if len(took) and not np.any(took % step)), 1)
