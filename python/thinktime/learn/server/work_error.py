"""How surely the work of a log is known."""

from __future__ import annotations

import math

import numpy as np

from thinktime.candidates.visits import Floats, Mask

BLOCKS = 30
"""The number of parts of a log that are compared."""


def user_error(work_s: Floats, stays: Mask) -> float:
    """The relative standard error of the work of all users, if they come independently.

    A user's requests come together, so that parts of a log that are no longer than a session are
    not independent. A user with more than one of `BLOCKS` parts of the work is always there.

    Args:
        work_s: The work of each user, in seconds.
        stays: Whether each is there for most of the log: that is no chance either.
    """
    few = work_s[(work_s <= work_s.sum() / BLOCKS) & ~stays]
    return float(np.sqrt((few**2).sum()) / work_s.sum()) if work_s.any() else math.inf


def work_error(arrival_s: Floats, demands_s: Floats) -> float:
    """The relative standard error of the work a second, with slow changes left out."""
    span_s = float(arrival_s[-1] - arrival_s[0]) if len(arrival_s) else 0.0
    if span_s <= 0:
        return math.inf
    since_s = arrival_s - arrival_s[0]
    block = np.minimum((BLOCKS * since_s / span_s).astype(np.int64), BLOCKS - 1)
    work = np.bincount(block, weights=np.maximum(demands_s, 0.0), minlength=BLOCKS)
    error = np.sqrt(np.mean(np.diff(work) ** 2) / 2 / BLOCKS)
    return float(error / work.mean()) if work.any() else math.inf
