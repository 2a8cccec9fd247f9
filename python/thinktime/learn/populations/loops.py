"""Loops and even programs: requests by a clock, or a fixed time after the answer before."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations import agents, pace
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.groups import grouped
from thinktime.learn.populations.streams import Flags, Floats, Ints, Streams

LEAST = 12
"""With fewer requests, the gaps of a stream are not judged."""

FIXED = 1.3
"""Thinks are equal up to this ratio of a stream's 90th percentile to its 10th."""

NEAR = 3.5
"""The ratio up to which they are alike, which is enough if there are many and no evidence for
people: an exponential law has 22, and the thinks of people more than four."""

NEAR_LEAST = 60
EVEN = 0.35
"""Dispersions below this are not those of many independent users; see `Streams.dispersion`."""

EVEN_LEAST = 200
REFERRED = 0.1
"""Requests of programs have a referrer less often."""

TIES = 0.95
"""If loops make this share of a path's requests, the rest belongs to them."""


HELD = 0.95
"""If answers take this share of a stream's time, its requests follow one another."""

HELD_S = 300.0
ALONE = 0.01
"""If people's requests have referrers, requests with a smaller share of them are not people's."""

OWN = 0.5
"""A path is a loop's own if the loop makes at least this share of its requests."""


def of_users(seen: Evidence) -> list[Draft]:
    """Users who are loops."""
    return _of(seen, *_users(seen))


def of_paths(seen: Evidence) -> list[Draft]:
    """Paths that loops request among other requests of their users."""
    return _of(seen, *_paths(seen))


def _users(seen: Evidence) -> tuple[Streams, Flags]:
    streams, users = seen.streams_of_users(LEAST)
    if not len(streams):
        return streams, np.zeros(0, dtype=bool)
    return streams, regular(seen, streams, seen.referred_share[users])


def _paths(seen: Evidence) -> tuple[Streams, Flags]:
    """A stream of each user's requests for one path, if both are frequent."""
    least = 2 * LEAST
    often = (seen.requests_for >= least) & ~seen.is_object
    rows = seen.rows_of(seen.left >= least)
    rows = rows[often[seen.path[rows]]]
    key = seen.user[rows].astype(np.uint64) << np.uint64(32) | seen.path[rows].astype(np.uint64)
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    kept = count[place] >= least
    streams = seen.streams(rows[kept], key[kept])
    if not len(streams):
        return streams, np.zeros(0, dtype=bool)
    referred = streams.sums(seen.referred[streams.rows]) / streams.counts
    return streams, regular(seen, streams, referred)


def regular(seen: Evidence, streams: Streams, referred: Floats) -> Flags:
    """Whether each stream is a loop or even."""
    step = seen.resolution_s
    low, middle, high = streams.usual_thinks
    spread = high / np.maximum(low, 1e-9)
    # Stamps are rounded, which affects both ends of a gap.
    at_least = np.maximum(high - step, 1e-9) / np.maximum(low + step, 1e-9)
    told = middle >= 4 * step
    fixed = (spread < FIXED) & (middle >= 20 * step) & told
    fixed |= (at_least < FIXED) & (streams.counts >= 40) & told
    gaps = streams.usual_gaps
    with np.errstate(all="ignore"):
        fixed |= (gaps[2] / gaps[0] < FIXED) & (gaps[1] >= 20 * step)
    program = referred < REFERRED
    near = (spread < NEAR) & program & told
    few = streams.counts < NEAR_LEAST
    near &= (streams.counts >= NEAR_LEAST) | _narrow(seen, streams, near & few)
    even = streams.dispersion < EVEN
    even |= pace.held(streams)
    even &= program & (streams.counts >= EVEN_LEAST)
    return np.asarray(fixed | near | even | _held(seen, streams))


def _held(seen: Evidence, streams: Streams) -> Flags:
    """Whether each stream always has one request in progress, for one path or two: held.

    The server holds each request for a time, and the client asks again at once, also from a page.
    """
    busy = pace.busy(streams)
    held = (busy > HELD) & (busy < 2 - HELD) & (streams.counts >= 2 * LEAST)
    held &= streams.last - streams.first >= HELD_S
    return np.asarray(held & _narrow(seen, streams, held))


def _narrow(seen: Evidence, streams: Streams, which: Flags) -> Flags:
    """Whether each of these streams requests one or two paths again and again."""
    taken = np.flatnonzero(which[streams.ids])
    paths = seen.path[streams.rows[taken]].astype(np.uint64)
    key = np.unique(streams.ids[taken].astype(np.uint64) << np.uint64(32) | paths)
    distinct = np.bincount((key >> np.uint64(32)).astype(np.int64), minlength=len(streams))
    return np.asarray((distinct > 0) & (distinct <= 2))


def _of(seen: Evidence, streams: Streams, chosen: Flags) -> list[Draft]:
    if not chosen.any():
        return []
    drafts = []
    small = (seen.requests_of < LEAST)[seen.user]
    few = np.flatnonzero(seen.free & ~seen.referred & small)
    for rows in grouped(seen, streams, chosen):
        rows = _with_rest(seen, _own(seen, rows), few)
        drafts.append(_draft(seen, rows))
        seen.free[rows] = False
    return drafts


def _own(seen: Evidence, rows: Ints) -> Ints:
    """The rows without requests of people behind the same address, for paths of others.

    A loop whose paths all users request has no others, and keeps them.
    """
    kinds = seen.agent_kind[seen.user[rows]]
    if not ((kinds == agents.BROWSER) | (kinds == agents.UNKNOWN)).any():
        return rows
    if seen.referrers > REFERRED and float(seen.referred[rows].mean()) < ALONE:
        return rows
    ours = np.bincount(seen.path[rows], minlength=seen.requests.paths.height)
    own = ours >= OWN * seen.requests_for
    often = own & (ours >= LEAST)
    for kept in (rows[often[seen.path[rows]]], rows[own[seen.path[rows]]]):
        if len(kept) >= 0.4 * len(rows):
            return kept
    return rows


def _with_rest(seen: Evidence, rows: Ints, few: Ints) -> Ints:
    """With the requests for the same paths in streams that are too short, at the log's edges."""
    ours = np.bincount(seen.path[rows], minlength=seen.requests.paths.height)
    tied = (ours >= TIES * seen.requests_for) & (ours >= LEAST)
    rest = few[tied[seen.path[few]] & seen.free[few]]
    return np.union1d(rows, rest)


def _draft(seen: Evidence, rows: Ints) -> Draft:
    found = pace.of(seen, rows)
    kinds = seen.agent_kind[seen.user[rows[:: max(len(rows) // 1000, 1)]]]
    kind = int(np.bincount(kinds).argmax())
    names = {agents.MONITOR: "checks", agents.FEED_READER: "readers", agents.SCANNER: "scanners"}
    usual = "checks" if found.even else "batch" if found.think == "none" else "pollers"
    return Draft(
        name=names.get(kind, usual),
        kind="even" if found.even else "loop",
        model="open" if found.even else "closed",
        rows=rows,
        reason=found.reason,
        would_change=found.would_change,
        confidence=found.confidence,
        clients=None if found.even else found.clients,
        interval_s=found.interval_s,
        think=found.think,
    )
