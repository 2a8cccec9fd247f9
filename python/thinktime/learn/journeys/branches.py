"""Pages that lead to several others: tabs, and users who go back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.journeys.order import Places, heads


def without_branches(parent: Places, last: Places) -> tuple[Places, int]:
    """The page before each, of which each leads to one at most; and how many tabs there are.

    What else a page led to is a tab, or came by going back. Where the first one's journey goes on
    afterwards, both run at a time. Where it does not, a user went back to the page and on from
    there: then what came before in time led here.
    """
    main = _first_children(parent)
    branch = (parent >= 0) & ~main
    if not branch.any():
        return parent, 0
    head = heads(np.where(main, parent, -1))
    end = np.zeros(len(parent), np.int64)
    end[head] = np.arange(len(parent))
    at = np.flatnonzero(branch)
    beside = end[head[parent[at]]] > at
    settled = np.where(main, parent, -1)
    settled[at[~beside]] = last[at[~beside]]
    only = _first_children(settled, preferred=main)
    return np.where(only, settled, -1), int(beside.sum())


def _first_children(
    parent: Places, preferred: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Whether each page is the first to which its parent led, or is preferred."""
    child = np.full(len(parent), -1)
    at = np.flatnonzero(parent >= 0)[::-1]
    child[parent[at]] = at
    if preferred is not None:
        kept = np.flatnonzero(preferred)
        child[parent[kept]] = kept
    return np.asarray((parent >= 0) & (child[parent] == np.arange(len(parent))))
