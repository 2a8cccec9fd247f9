"""Which page led to which, by referrers: tabs, users who go back, people behind one address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .order import Places, heads, last_same

TABBED = 0.2
"""Where this share of the branches certainly are tabs, all are: of those who go back none is."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Led:
    """Which page led to which."""

    previous: Places
    """The page before each page of its journey; -1 where a journey begins."""

    opener: Places
    """Of the first page of a tab: the page from which it was opened; -1 of others."""


def led_by(parent: Places, last: Places) -> Led:
    """Which page led to which, if each leads to one at most.

    ``parent`` is the page that each names, -1 for none, ``last`` the one before it in time. What
    else a page led to is a tab, or came by going back. It certainly is a tab where the first one's
    journey goes on afterwards. Where tabs are used, most others are tabs too, whose first journey
    ended before. Where they are not, users went back to the page and on from there: then what came
    before in time led here.
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
    """The page that each page names as its referrer; -1 where none was asked for before.

    ``pages`` and ``referrers`` are numbers of (session, path); ``named`` says who has a referrer.
    Of several such pages it is the last one that has led to none yet: so it is with brackets, a
    page of a path being an opening one, and one with it as referrer a closing one. Where all have
    led to another it is the last one.
    """
    count = len(pages)
    closing = np.flatnonzero(named)
    key = np.concatenate([referrers[closing], pages])
    page = np.concatenate([closing, np.arange(count)])
    opens = np.concatenate([np.zeros(len(closing), bool), np.ones(count, bool)])
    # What closes stands before what opens: no page leads to itself.
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
    """How many brackets of its key are open where one opens, itself included, or closes.

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
    """Whether each page is the first to which its parent led, or is preferred."""
    child = np.full(len(parent), -1)
    at = np.flatnonzero(parent >= 0)[::-1]
    child[parent[at]] = at
    if preferred is not None:
        kept = np.flatnonzero(preferred)
        child[parent[kept]] = kept
    return np.asarray((parent >= 0) & (child[parent] == np.arange(len(parent))))
