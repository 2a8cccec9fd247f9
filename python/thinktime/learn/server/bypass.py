"""Kinds of requests that pass the server's queue, such as health checks and files from a cache."""

from __future__ import annotations

import numpy as np

from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.visits import Visits

DUE_LEAST = 10
"""With fewer requests that should have waited, nothing is said of a kind."""

EARLY = 0.5
"""If more than this share of them left before any worker was free, the kind does not queue."""

QUEUE_LEAST = 0.5
"""At least this share of the requests queues: else another policy is as likely."""


def kinds_beside(log: Visits, policy: Policy, kinds: int) -> list[int]:
    """The kinds that do not queue, if the server has this policy.

    Under first come, first served a request cannot end before it begins: a kind that often does so
    has no worker of this server. Other policies work on all that are present.
    """
    if policy.name != "fcfs":
        return []
    demands_s = Timeline.of(log).demands(policy)
    within_s = log.stamp_s + log.step_s
    due = (log.kind >= 0) & (log.duration_s - demands_s > within_s)
    counts = np.bincount(log.kind[due], minlength=kinds)
    early = np.bincount(log.kind[due & (demands_s < -within_s)], minlength=kinds)
    found = np.flatnonzero((counts >= DUE_LEAST) & (early > EARLY * counts))
    remain = np.count_nonzero(~np.isin(log.kind, found))
    return [int(one) for one in found] if remain >= QUEUE_LEAST * len(log) else []
