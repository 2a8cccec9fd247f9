"""Looking back in an order of rows, without a loop over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def latest(those: NDArray[np.bool_]) -> Places:
    """For each place the last one up to it for which a condition holds; -1 for none."""
    at = np.where(those, np.arange(len(those)), -1)
    return np.asarray(np.maximum.accumulate(at), dtype=np.int64) if len(at) else at


def before(places: Places) -> Places:
    """The same for the places before each; -1 for the first one."""
    return np.concatenate([np.full(min(len(places), 1), -1), places[:-1]])


def last_same(keys: NDArray[np.uint64], wanted: NDArray[np.uint64], at: Places) -> Places:
    """The last place before ``at`` with the key ``wanted``; -1 for none."""
    if not len(wanted) or not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], wanted, "left")
    # Within one key places rise: those before `at` are the first ones of them.
    _, name = np.unique(keys[order], return_inverse=True)
    place = name.astype(np.float64) * (len(keys) + 1) + order
    own = np.minimum(first, len(keys) - 1)
    there = keys[order][own] == wanted
    upto = np.searchsorted(place, name[own].astype(np.float64) * (len(keys) + 1) + at, "left")
    return np.where(there & (upto > first), order[np.maximum(upto - 1, 0)], -1)


def heads(previous: Places) -> Places:
    """The first place of each place's chain, if each place has one before it, or none (-1)."""
    head: Places = np.where(previous >= 0, previous, np.arange(len(previous)))
    while True:
        further = head[head]
        if np.array_equal(further, head):
            return head
        head = further
