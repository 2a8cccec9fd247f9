"""Heartbeats: requests that open pages send by themselves at fixed intervals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.pace import seconds
from thinktime.learn.populations.population import UNSURE
from thinktime.learn.populations.streams import Flags, Floats, Ints
from thinktime.present import units

LEAST = 100
"""With fewer requests, a path is not judged."""

AGAIN = 0.2
"""The least share of requests right after another one of the user's for the same path."""

GAPS_LEAST = 50
USERS_LEAST = 10

SAMPLE = 5000
"""The number of gaps in the sample."""

NEAR = 0.1
"""Gaps that differ from their median by no more than this share are the same."""

SAME = 0.6
"""The least share of equal gaps. Pauses of people vary by a factor of ten and more: less than one
in five of theirs is equal."""

SHORTEST_S = 1.0

STAYS = 0.5
"""A user present for this share of the log is there all the time, as a loop."""

STAYING = 0.2
"""The largest share of requests by such users."""

OTHERS = 0.8
"""The least share of users who request pages, too: otherwise a program makes the requests."""


def find(seen: Evidence) -> list[Draft]:
    """Paths that are requested again after the same time, by users who request pages as well.

    Each user makes too few requests to be a loop by itself: their number depends on how long a page
    is open.
    """
    drafts = []
    for path, gaps in _gaps(seen):
        middle = float(np.median(gaps))
        if middle < max(SHORTEST_S, 4 * seen.resolution_s) or _near(seen, gaps, middle) < SAME:
            continue
        rows = np.flatnonzero(seen.free & (seen.path == path))
        if not _of_pages(seen, rows) or _stay(seen, rows) or _all_so(seen, rows, middle):
            continue
        seen.free[rows] = False
        drafts.append(_draft(seen, rows, middle, _near(seen, gaps, middle)))
    return drafts


def _near(seen: Evidence, gaps: Floats, middle: float) -> float:
    """The share of times that are near this one."""
    if not len(gaps):
        return 0.0
    return float(np.mean(np.abs(gaps - middle) <= NEAR * middle + seen.resolution_s))


def _left(seen: Evidence) -> Ints:
    """The rows that are left, user by user, each by time."""
    rows = seen.order_by_user
    return rows if seen.free.all() else rows[seen.free[rows]]


def _gaps(seen: Evidence) -> Iterator[tuple[int, Floats]]:
    """The times between two requests of a user, of a sample, by path.

    Only for paths that users often request twice with no request between.
    """
    rows = _left(seen)
    path, same = seen.path[rows], np.ones(len(rows), dtype=bool)
    begins = np.cumsum(seen.left)[:-1]  # the rows of each user but the first
    same[begins[begins < len(rows)]] = False
    twice = np.flatnonzero((path[1:] == path[:-1]) & same[1:])
    again = np.bincount(path[twice], minlength=seen.requests.paths.height)
    often = (again >= GAPS_LEAST) & (again >= AGAIN * seen.requests_for)
    often &= (seen.requests_for >= LEAST) & ~seen.is_object
    twice = twice[often[path[twice]]]
    twice = twice[np.argsort(path[twice], kind="stable")]
    for one in np.split(twice, np.flatnonzero(np.diff(path[twice])) + 1):
        if len(one):
            some = one[:: max(len(one) // SAMPLE, 1)]
            yield int(path[one[0]]), seen.time[rows[some + 1]] - seen.time[rows[some]]


def _all_so(seen: Evidence, rows: Ints, middle: float) -> bool:
    """Whether the users of these requests make all others after the same time, too.

    If so, they are no pages: a user that always comes by the clock is a program.
    """
    there: Flags = np.zeros(seen.users, dtype=bool)
    there[seen.user[rows]] = True
    left = _left(seen)
    left = left[there[seen.user[left]]]
    user, path = seen.user[left], seen.path[left]
    other = np.flatnonzero((user[1:] == user[:-1]) & (path[1:] != seen.path[rows[0]]))
    gaps = seen.time[left[other + 1]] - seen.time[left[other]]
    return _near(seen, gaps, middle) > SAME / 2


def _of_pages(seen: Evidence, rows: Ints) -> bool:
    """Whether many users made these requests, and most of them requested other paths, too."""
    users = np.unique(seen.user[rows])
    there: Flags = np.zeros(len(seen), dtype=bool)
    there[rows] = True
    others = np.bincount(seen.user[seen.free & ~there], minlength=seen.users)[users] > 0
    return len(users) >= USERS_LEAST and float(others.mean()) >= OTHERS


def _stay(seen: Evidence, rows: Ints) -> bool:
    """Whether the users of the requests are there all the time."""
    streams, _ = seen.by_user(rows)
    long = streams.last - streams.first >= STAYS * seen.span_s
    return bool(streams.counts[long].sum() > STAYING * len(rows))


def _draft(seen: Evidence, rows: Ints, every_s: float, same: float) -> Draft:
    users = seen.users_of(rows)
    return Draft(
        name="heartbeats",
        kind="even",
        model="open",
        rows=rows,
        reason=f"{units.percent(same)} of these requests of {users:,} users come "
        f"{seconds(every_s)} after the one before, and most of the users ask for pages as well: "
        "pages send them while they are open. In the file they come when they came, independent "
        "of the pages",
        would_change="other times between them",
        confidence=UNSURE,
        interval_s=every_s,
        think="near-fixed",
    )
