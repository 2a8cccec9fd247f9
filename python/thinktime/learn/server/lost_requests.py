"""Requests that a server turned away, or that clients gave up: no model of one station has either.

How many there are at another rate is not in the log.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.candidates.survival import survival
from thinktime.candidates.visits import Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server.visits import TURNED_AWAY
from thinktime.present import units

DEVIATIONS = 3.3
"""A normal variable exceeds it with a probability of 1 in 2,000."""

MANY = 0.05
"""If more than this share is turned away, it matters, whether or not there was a crowd."""

IMPATIENT = 0.05
"""The share of unanswered clients that gives up within their patience."""


def turned_away(requests: Requests, log: Visits) -> str:
    """What the requests that were turned away say of a limit, in words; empty if nothing.

    A server with a limit turns away those that find many others. ``log`` are the others.
    """
    rows = requests.rows
    away = np.isin(rows["status"].to_numpy(), TURNED_AWAY)
    count, share = int(away.sum()), float(away.mean())
    if not count:
        return ""
    since_s = (rows["time_ns"].to_numpy() - rows["time_ns"][0]) * 1e-9
    begun, ended = np.sort(log.arrival_s), np.sort(log.done_s)

    def present(at_s: np.ndarray) -> np.ndarray:
        came = np.searchsorted(begun, at_s, side="left")
        return np.asarray(came - np.searchsorted(ended, at_s, side="right"))

    others = np.sort(present(log.arrival_s))
    found = present(since_s[away])
    low, high = (np.searchsorted(others, found, side=side) for side in ("left", "right"))
    rank = float((low + high).mean() / 2 / len(others))
    if rank <= 0.5 + DEVIATIONS / math.sqrt(12 * count) and share <= MANY:
        return ""
    return (
        f"{units.percent(share)} of the requests were turned away: how many would be at another "
        "rate is not in the log."
    )


def patience_s(log: Visits) -> float:
    """The time within which one of 20 unanswered clients gives up; infinite if fewer do."""
    given_up = survival(log.duration_s, ~log.over)
    reached = np.flatnonzero(np.cumsum(given_up.weights) >= IMPATIENT)
    return float(given_up.values[reached[0]]) if len(reached) else math.inf
