"""Putting rows in order, and looking back in it, without a loop over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Places = NDArray[np.int64]

Kept = NDArray[np.int32]
"""Places that are kept: a log's columns have fewer rows than 2^31."""


def kept(places: Places) -> Kept:
    """The same in half the memory."""
    return places.astype(np.int32)


def stable_order(numbers: ArrayLike) -> Places:
    """The order in which whole numbers from 0 to 2^32 rise; what is equal stays as it is.

    By their lower and their upper half: of 16 bits numpy sorts by counting.
    """
    row = np.asarray(numbers).astype(np.uint32)
    order = np.argsort((row & np.uint32(0xFFFF)).astype(np.uint16), kind="stable")
    upper = (row >> np.uint32(16)).astype(np.uint16)
    if len(row) and upper.max() > 0:
        order = order[np.argsort(upper[order], kind="stable")]
    return order.astype(np.int64)


def latest(those: NDArray[np.bool_]) -> Places:
    """For each place the last one before it, or at it, for which something holds; -1 for none."""
    at = np.where(those, np.arange(len(those)), -1)
    return np.asarray(np.maximum.accumulate(at), dtype=np.int64) if len(at) else at


def before(places: Places) -> Places:
    """The same for the places before each; -1 for the first one."""
    return np.concatenate([np.full(min(len(places), 1), -1), places[:-1]])


def last_same(keys: NDArray[np.uint64], wanted: NDArray[np.uint64], at: Places) -> Places:
    """The last place before ``at`` whose key is the one ``wanted``; -1 for none."""
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


def heads(previous: Places | Kept) -> Places:
    """The first place of each place's chain, where each place has one before it, or none (-1)."""
    head: Places = np.where(previous >= 0, previous, np.arange(len(previous)))
    while True:
        further = head[head]
        if np.array_equal(further, head):
            return head
        head = further
