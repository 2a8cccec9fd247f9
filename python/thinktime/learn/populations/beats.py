"""Heartbeats: what pages ask for by themselves, every so many seconds while they are open."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.pace import seconds
from thinktime.learn.populations.seen import Seen
from thinktime.learn.populations.streams import Flags, Ints
from thinktime.learn.populations.told import UNSURE

LEAST = 100
"""Requests for a path without which nothing is said of it."""

AGAIN = 0.2
"""So many of them come right after another one of the user's: a look at the others would cost too
much."""

GAPS_LEAST = 50
USERS_LEAST = 10

NEAR = 0.1
"""Gaps that differ from their median by no more than this share are the same."""

SAME = 0.6
"""So many of the gaps are the same: of those of people, whose pauses vary by a factor of ten and
more, less than one in five are."""

SHORTEST_S = 1.0

STAYS = 0.5
"""Who asks for so much of the log is there all the time: a loop."""

STAYING = 0.2
"""No more of the requests are such users'."""

OTHERS = 0.8
"""So many of the users ask for pages, too: else it is a program that asks."""


def find(seen: Seen) -> list[Draft]:
    """Paths that are asked for again after the same time, by users who ask for pages as well.

    Of each user there are too few to be a loop by itself: how many hangs on how long a page is open.
    """
    often = _often(seen)
    rows = np.flatnonzero(seen.free & often[seen.path])
    if not len(rows):
        return []
    key = seen.user[rows].astype(np.uint64) << np.uint64(32) | seen.path[rows].astype(np.uint64)
    streams = seen.streams(rows, key)
    inner = np.flatnonzero(streams.ids[1:] == streams.ids[:-1]) + 1
    of = seen.path[streams.rows[inner]]
    drafts = []
    for path in np.unique(of).tolist():
        gaps = streams.gaps[of == path]
        middle = float(np.median(gaps))
        same = np.abs(gaps - middle) <= NEAR * middle + seen.resolution_s
        if len(gaps) < GAPS_LEAST or middle < max(SHORTEST_S, 4 * seen.resolution_s):
            continue
        own = np.flatnonzero(seen.free & (seen.path == path))
        if same.mean() < SAME or not _of_pages(seen, own) or _stay(seen, own):
            continue
        seen.free[own] = False
        drafts.append(_draft(seen, own, middle, float(same.mean())))
    return drafts


def _often(seen: Seen) -> Flags:
    """Of each path whether users ask for it twice without anything between often enough."""
    paths = seen.requests.paths.height
    rows = seen.order_by_user[seen.free[seen.order_by_user]]
    user, path = seen.user[rows], seen.path[rows]
    twice = path[1:][(user[1:] == user[:-1]) & (path[1:] == path[:-1])]
    asked, again = np.bincount(path, minlength=paths), np.bincount(twice, minlength=paths)
    often = (asked >= LEAST) & (again >= AGAIN * asked)
    return np.asarray(often & ~seen.is_object)


def _of_pages(seen: Seen, rows: Ints) -> bool:
    """Whether many users made these requests, most of whom asked for something else, too."""
    users = np.unique(seen.user[rows])
    there: Flags = np.zeros(len(seen), dtype=bool)
    there[rows] = True
    others = np.bincount(seen.user[seen.free & ~there], minlength=seen.users)[users] > 0
    return len(users) >= USERS_LEAST and float(others.mean()) >= OTHERS


def _stay(seen: Seen, rows: Ints) -> bool:
    """Whether those who make the requests are there all the time."""
    streams, _ = seen.by_user(rows)
    long = streams.last - streams.first >= STAYS * seen.span_s
    return bool(streams.counts[long].sum() > STAYING * len(rows))


def _draft(seen: Seen, rows: Ints, every_s: float, same: float) -> Draft:
    users = seen.users_of(rows)
    return Draft(
        name="heartbeats",
        kind="even",
        model="open",
        rows=rows,
        reason=f"{same:.0%} of these requests of {users:,} users come {seconds(every_s)} after "
        "the one before, and most of the users ask for pages as well: pages send them while they "
        "are open. In the file they come when they came, whatever becomes of the pages",
        would_change="other times between them",
        confidence=UNSURE,
        interval_s=every_s,
        think="near-fixed",
    )
