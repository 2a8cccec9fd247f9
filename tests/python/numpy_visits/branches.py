"""The predecessors of pages, by referrers: tabs, users who go back, people behind one address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .order import Places, heads, last_same

TABBED = 0.2
"""If this share of the branches certainly are tabs, all are: users who go back make none."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Led:
    """The predecessor of each page."""

    previous: Places
    """The page before each page of its journey; -1 if a journey begins."""

    opener: Places
    """For the first page of a tab, the page that opened it; -1 for others."""


def led_by(parent: Places, last: Places) -> Led:
    """The predecessor of each page, if each page has at most one follower.

    ``parent`` is the page that each names, -1 for none, ``last`` the one before it in time. Any
    further follower of a page is a tab, or the user went back. It certainly is a tab if the first
    one's journey continues afterwards. If tabs are used, most others are tabs too, whose first
    journey ended before. If they are not, users went back to the page and on from there: then the
    page before in time led here.
    """
    main = _first_children(parent)
    opener = np.full(len(parent), -1)
    at = np.flatnonzero((parent >= 0) & ~main)
    if not len(at):
        return Led(parent, opener)
    head = heads(np.where(main, parent, -1))
    end = np.zeros(len(parent), np.int64)
    end[head] = np.arange(len(parent))
    beside = end[head[parent[at]]] > at
    settled = np.where(main, parent, -1)
    if beside.mean() < TABBED:
        settled[at[~beside]] = last[at[~beside]]
        only = _first_children(settled, preferred=main)
        settled = np.where(only, settled, -1)
        at = at[beside]
    opener[at] = parent[at]
    return Led(settled, opener)


def matched(pages: Keys, referrers: Keys, named: NDArray[np.bool_]) -> Places:
    """The page that each page names as its referrer; -1 if it was not requested before.

    ``pages`` and ``referrers`` are numbers of (session, path); ``named`` marks pages with a
    referrer. Of several such pages it is the last one that has led to none yet. This works like
    brackets: a page of a path is an opening one, and a page with it as referrer a closing one. If
    all have led to another it is the last one.
    """
    count = len(pages)
    closing = np.flatnonzero(named)
    key = np.concatenate([referrers[closing], pages])
    page = np.concatenate([closing, np.arange(count)])
    opens = np.concatenate([np.zeros(len(closing), bool), np.ones(count, bool)])
    # Closing brackets stand before opening ones: no page leads to itself.
    order = np.lexsort((opens, page, key))
    key, page, opens = key[order], page[order], opens[order]
    level = _levels(key, opens)
    inner = np.flatnonzero(level > 0)
    inner = inner[np.lexsort((inner, level[inner], key[inner]))]
    found = np.full(count, -1)
    before, after = inner[:-1], inner[1:]
    pair = (key[before] == key[after]) & (level[before] == level[after])
    pair &= opens[before] & ~opens[after]
    found[page[after[pair]]] = page[before[pair]]
    left = closing[found[closing] < 0]
    found[left] = last_same(pages, referrers[left], left)
    return found


def _levels(key: Keys, opens: NDArray[np.bool_]) -> Places:
    """The number of its key's open brackets at one that opens, itself included, or closes.

    0 for those that close none.
    """
    step = np.where(opens, 1, -1)
    first = np.ones(len(key), bool)
    first[1:] = key[1:] != key[:-1]
    group = np.cumsum(first) - 1
    total = np.cumsum(step)
    total -= (total - step)[first][group]
    # The least height so far within the key: those that close none push it down.
    far = 2 * len(key) + 2
    least = np.minimum.accumulate(np.minimum(total, 0) - group * far) + group * far
    height = total - least
    least_before = np.where(first, 0, np.concatenate([[0], least[:-1]]))
    closes_none = ~opens & (total < least_before)
    return np.asarray(np.where(opens, height, np.where(closes_none, 0, height + 1)))


def _first_children(
    parent: Places, preferred: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Whether each page is the first follower of its parent, or is preferred."""
    child = np.full(len(parent), -1)
    at = np.flatnonzero(parent >= 0)[::-1]
    child[parent[at]] = at
    if preferred is not None:
        kept = np.flatnonzero(preferred)
        child[parent[kept]] = kept
    return np.asarray((parent >= 0) & (child[parent] == np.arange(len(parent))))
