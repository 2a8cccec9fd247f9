"""Whether users think at paces of their own: then there may be several kinds of people."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations.streams import Streams

SHORTEST_S = 0.1
"""Shorter pauses are nobody's thinking: they count as so long."""

LEAST = 30
"""Of fewer users with two pauses nothing is said."""

MOST = 500_000
"""Of more pauses those of every second user are looked at, of every third, and so on."""


def spread_between(streams: Streams, longest_s: float, resolution_s: float) -> float:
    """How much of the spread of pauses lies between users, as a share: 0 where all are alike.

    The intraclass correlation of the logarithms of gaps up to ``longest_s``, by an analysis of
    variance in one way. Where all think by one law, or by the page they are on, it is 0 but for
    chance; where some hurry and others read, it is that of their laws. 0 where too little is known.
    """
    users, gaps = streams.ids[streams.inner], streams.gaps
    kept = gaps <= longest_s
    every = len(gaps) // MOST + 1
    if every > 1:
        kept &= users % every == 0
    users, gaps = users[kept], gaps[kept]
    pauses = np.log(np.maximum(gaps, max(SHORTEST_S, resolution_s)))
    pauses -= pauses.mean() if len(pauses) else 0.0
    many = np.bincount(users, minlength=len(streams))
    several = many > 1
    many, groups = many[several], int(several.sum())
    if groups < LEAST:
        return 0.0
    sums = np.bincount(users, pauses, len(streams))[several]
    squares = np.bincount(users, pauses * pauses, len(streams))[several]
    count, means = int(many.sum()), sums / many
    within = float(np.sum(squares - sums * means)) / max(count - groups, 1)
    between = float(np.sum(many * (means - sums.sum() / count) ** 2)) / (groups - 1)
    usual = (count - float(np.sum(many**2)) / count) / (groups - 1)
    whole = between + (usual - 1) * within
    return max((between - within) / whole, 0.0) if whole > 0 else 0.0
