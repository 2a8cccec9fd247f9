"""The order of pages by kinds, and the number of pages of journeys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

EDGE_QUANTILE, LONGEST, EDGE_MAX, UNSETTLED = 0.995, 0.05, 0.2, 0.01

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def page_steps(visits: Any, kind: Ints, kinds: int, span_s: float) -> dict[str, Any]:
    """As `thinktime._core.page_steps`, with arrays."""
    inner = np.flatnonzero(visits.previous >= 0)
    before = visits.previous[inner]
    step = kind[before] * (kinds + 1) + kind[inner]
    edge_s, settled_s = edges(visits.start_s[inner] - visits.start_s[before], span_s)
    end_s = span_s - edge_s
    followed = np.zeros(len(kind), bool)
    followed[before] = True
    judged = visits.start_s <= end_s
    judged_next = transitions(step[judged[before]], kinds)
    ended = judged & ~followed & ~visits.failed
    judged_next[:, -1] = np.bincount(kind[ended], minlength=kinds)
    starts = np.flatnonzero(visits.previous < 0)
    begun = starts[visits.start_s[starts] >= edge_s]
    lengths = np.bincount(visits.journey, minlength=len(kind))[starts]
    seen, whole = looked_at(visits, settled_s, end_s)
    return {
        "visited": np.bincount(kind, minlength=kinds),
        "first": np.bincount(kind[starts], minlength=kinds),
        "next": transitions(step, kinds).ravel(),
        "judged_first": np.bincount(kind[begun], minlength=kinds),
        "judged_next": judged_next.ravel(),
        "cut": int(np.sum(~followed & (visits.failed | ~judged))),
        "edge_s": edge_s,
        "settled_s": settled_s,
        "lengths": np.bincount(lengths) if len(lengths) else lengths,
        "seen": np.bincount(seen) if len(seen) else seen,
        "ended": np.bincount(seen[whole], minlength=int(seen.max()) + 1) if len(seen) else seen,
    }


def transitions(step: Ints, kinds: int) -> Ints:
    """The number of times that each kind follows each; ``step`` is the place in this table, row by
    row."""
    return np.bincount(step, minlength=kinds * (kinds + 1)).reshape(kinds, kinds + 1)


def looked_at(visits: Any, begin_s: float, end_s: float) -> tuple[Ints, NDArray[np.bool_]]:
    """For the journeys from ``begin_s`` on: their pages up to ``end_s``, and whether that is
    all."""
    starts, pages = np.flatnonzero(visits.previous < 0), len(visits.start_s)
    lengths = np.bincount(visits.journey, minlength=pages)[starts]
    known = np.bincount(visits.journey, visits.start_s <= end_s, pages)[starts].astype(np.int64)
    kept = (visits.start_s[starts] >= begin_s) & (known > 0)
    return known[kept], (lengths == known)[kept]


def edges(wait: Floats, span_s: float) -> tuple[float, float]:
    """The seconds at the log's end and at its beginning that are incomplete."""
    count = len(wait)
    if not count or wait.max() <= 0:
        return 0.0, 0.0
    whole = float(wait.sum())
    for share in (LONGEST, 1.0):
        many = min(int(share * count) + 2, count)
        longest = np.sort(np.partition(wait, count - many)[count - many :])
        beyond = np.cumsum(longest[::-1])[::-1] - longest * np.arange(many, 0, -1)
        settled = int(np.argmax(beyond <= UNSETTLED * whole))
        if settled:
            break
    place = EDGE_QUANTILE * (count - 1) - (count - many)
    edge_s = float(np.interp(place, np.arange(many), longest))
    return min(edge_s, EDGE_MAX * span_s), min(float(longest[settled]), EDGE_MAX * span_s)
