"""Whether users think at paces of their own: then there may be several kinds of people."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations.streams import Floats, Ints, Streams

SHORTEST_S = 0.1
"""Shorter pauses are not think times: they count as this long."""

LEAST = 30
"""With fewer users with two pauses nothing is judged."""

MOST = 200_000
"""Of more pauses those of every second user are used, of every third, and so on."""


def spread_between(streams: Streams, longest_s: float, resolution_s: float) -> float:
    """The share of the spread of pauses that lies between users: 0 if all are alike.

    The intraclass correlation of the logarithms of gaps up to ``longest_s``, by a one-way analysis
    of variance. If all think by one law, or by the page they are on, it is 0 but for chance; if
    some hurry and others read, it is that of their laws. 0 if too little is known.
    """
    users, gaps = _some(streams)
    kept = gaps <= longest_s
    users, gaps = users[kept], gaps[kept]
    pauses = np.log(np.maximum(gaps, max(SHORTEST_S, resolution_s)))
    pauses -= pauses.mean() if len(pauses) else 0.0
    many = np.bincount(users)
    several = many > 1
    many, groups = many[several], int(several.sum())
    if groups < LEAST:
        return 0.0
    sums = np.bincount(users, pauses)[several]
    squares = np.bincount(users, pauses * pauses)[several]
    count, means = int(many.sum()), sums / many
    within = float(np.sum(squares - sums * means)) / max(count - groups, 1)
    between = float(np.sum(many * (means - sums.sum() / count) ** 2)) / (groups - 1)
    usual = (count - float(np.sum(many**2)) / count) / (groups - 1)
    whole = between + (usual - 1) * within
    return max((between - within) / whole, 0.0) if whole > 0 else 0.0


def _some(streams: Streams) -> tuple[Ints, Floats]:
    """The pauses of all users, or of one in some, and the user of each: numbers from 0."""
    gaps = streams.gaps
    every = len(gaps) // MOST + 1
    some = np.arange(0, len(streams), every)
    many = streams.counts[some] - 1  # a user's pauses lie side by side
    users = np.repeat(np.arange(len(some)), many)
    first = streams.starts[some] - some
    places = np.arange(len(users)) + np.repeat(first - (np.cumsum(many) - many), many)
    return users, gaps[places]
