"""Bursts: programs that repeatedly make some requests in a row and pause for a fixed time."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations import agents
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.groups import grouped
from thinktime.learn.populations.pace import seconds
from thinktime.learn.populations.population import UNSURE
from thinktime.learn.populations.streams import Flags, Floats, Streams
from thinktime.present import units

LEAST = 60
"""With fewer requests, a user is not judged."""

PAUSES_LEAST = 10
APART = 4.0
"""Pauses are at least this many times as long as any other gap."""

FIXED = 1.3
"""The largest ratio of the 90th percentile of pauses to the 10th."""

MOST = 0.5
"""The largest share of pauses among the gaps: with more the program is a loop."""

REFERRED = 0.1
STAYS = 0.5
"""The least share of the log that the bursts last."""


def find(seen: Evidence) -> list[Draft]:
    """Users with requests in bursts and equal pauses between; neither people nor crawlers."""
    streams, users = seen.streams_of_users(LEAST)
    if not len(streams):
        return []
    kinds = seen.agent_kind[users]
    may = (seen.referred_share[users] < REFERRED) & (kinds != agents.CRAWLER)
    may &= streams.last - streams.first >= STAYS * seen.span_s
    chosen: Flags = np.zeros(len(streams), dtype=bool)
    pauses = np.zeros(len(streams))
    even = np.zeros(len(streams), dtype=bool)
    for at in np.flatnonzero(may).tolist():
        begin = streams.starts[at]
        found = _pause(seen, streams, slice(begin, begin + streams.counts[at]))
        if found is not None:
            chosen[at], pauses[at], even[at] = True, *found
    drafts, of_row = [], np.zeros(len(seen), dtype=np.int64)
    of_row[streams.rows] = streams.ids
    for clocked in (False, True):
        those = chosen & (even == clocked)
        if not those.any():
            continue
        for rows in grouped(seen, streams, those, by_pace=False):
            seen.free[rows] = False
            own = np.unique(of_row[rows])
            drafts.append(_draft(seen, rows, float(np.median(pauses[own])), len(own), clocked))
    return drafts


def _pause(seen: Evidence, streams: Streams, rows: slice) -> tuple[float, bool] | None:
    """The pause between a user's bursts, and whether they begin by the clock; None for none."""
    time = streams.time[rows]
    took: Floats = np.zeros(len(time)) if streams.duration is None else streams.duration[rows]
    gaps = np.maximum(np.diff(time) - took[:-1], 0.0)
    step = seen.resolution_s
    # Shorter gaps are not distinguished.
    told = np.maximum(gaps, max(step, 1e-3))
    ordered = np.sort(told)
    low = max(int((1 - MOST) * len(ordered)), 1)
    high = len(ordered) - PAUSES_LEAST + 1
    if high <= low:
        return None
    jumps = ordered[low:high] / ordered[low - 1 : high - 1]
    least = ordered[low + int(np.argmax(jumps))]
    long = told >= least
    pauses = gaps[long]
    tenth, middle, ninetieth = np.quantile(pauses, [0.1, 0.5, 0.9])
    if jumps.max() < APART or middle < 20 * step or ninetieth > FIXED * tenth + 2 * step:
        return None
    begins = np.diff(time[np.flatnonzero(long) + 1])
    even = float(np.std(begins)) < float(np.std(pauses))
    return float(middle), even


def _draft(seen: Evidence, rows: np.ndarray, pause_s: float, users: int, even: bool) -> Draft:
    after = "by the clock" if even else "after the last answer"
    return Draft(
        name="bursts",
        kind="even" if even else "loop",
        model="open" if even else "closed",
        rows=rows,
        reason=f"{units.counted(users, 'user')} made {len(rows):,} requests in bursts, which begin "
        f"{after}: {seconds(pause_s)} lie between them, and less than a quarter of that within one",
        would_change="pauses that vary",
        confidence=UNSURE,
        clients=None if even else users,
        interval_s=pause_s,
        think="varied",
    )
