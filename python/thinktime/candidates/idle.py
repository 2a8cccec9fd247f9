"""Requests that found the server idle, and the known part of their demand.

Such a request is served at full speed until another one comes, whatever the policy is. If it ends
before, its demand is its duration; otherwise its demand is larger than the time that it was alone.
Short ones end alone more often than long ones. The product-limit estimate allows for that, because
the time of the next request does not depend on the demand.
"""

from __future__ import annotations

import numpy as np

from thinktime.candidates.survival import Survival, survival
from thinktime.candidates.visits import Mask, Visits

FINE = 0.25
"""Stamps in steps of at most this part of the mean duration are fine."""


def found_idle(log: Visits) -> Mask:
    """Whether each request surely found the server idle, as far as the stamps show.

    The server may still work on a request that a client gave up: it counts as present for as long
    again.
    """
    gone = np.where(log.over, log.done_s, log.done_s + log.duration_s)
    before = np.concatenate([[-np.inf], np.maximum.accumulate(gone)[:-1]])
    return np.asarray(before + log.stamp_s <= log.arrival_s)


def idle_share(log: Visits) -> float:
    """The share of the time in which no request was there; 0 for an empty log."""
    if not len(log):
        return 0.0
    before = np.maximum.accumulate(log.done_s)
    span = float(before[-1] - log.arrival_s[0])
    idle = np.maximum(log.arrival_s[1:] - before[:-1], 0).sum()
    return float(idle / span) if span > 0 else 0.0


def alone(log: Visits, kinds: int) -> list[Survival]:
    """The law of the demands of each kind, from those that found the server idle."""
    idle = np.flatnonzero(found_idle(log))
    following = np.concatenate([log.arrival_s[1:], [np.inf]])[idle]
    until = following - log.arrival_s[idle]
    took = log.duration_s[idle]
    # A client's next request comes when it has its answer. If these counted as disturbed,
    # disturbance would depend on the demand. Fine stamps hide less than two steps of it.
    fine = log.stamp_s <= FINE * float(log.duration_s.mean())
    complete = (took <= until + (1.5 if fine else -1.0) * log.stamp_s) & log.over[idle]
    known = np.where(complete, took, np.minimum(took, until - log.stamp_s))
    kept = known > 0
    kind = log.kind[idle]
    return [
        survival(known[kept & (kind == one)], complete[kept & (kind == one)])
        for one in range(kinds)
    ]
