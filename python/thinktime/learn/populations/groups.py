"""Streams of one kind that belong to one population: alike in pace and in requests."""

from __future__ import annotations

import numpy as np
import polars as pl

from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.streams import Flags, Ints, Streams

APART = 1.3
"""Streams whose median thinks differ by a larger ratio belong to two populations."""

USUAL = 0.03
"""A path template with a smaller share of a stream's requests does not tie it to others."""

LARGE = 0.01
"""Programs of a name with a smaller share of the log are one population with others."""

FEW = 30
"""So are programs of fewer requests: a verdict on so few is unsure in any case."""


def least_of_its_own(seen: Evidence) -> float:
    """The number of requests from which on a program has a population of its own."""
    return max(LARGE * len(seen), FEW)


def grouped(
    seen: Evidence, streams: Streams, chosen: Flags, by_pace: bool = True, first_part: bool = False
) -> list[Ints]:
    """The rows of each group of the chosen streams, the largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    taken = np.flatnonzero(chosen[streams.ids])
    rows, ids = streams.rows[taken], streams.ids[taken]
    pace = np.zeros(len(streams), dtype=np.int64)
    if by_pace:
        pace = _paces(seen, streams, chosen)
    left, place = _usual(ids, _places(seen, rows, pace[ids], first_part))
    right = place + len(streams)
    size = int(right.max()) + 1
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    groups = component[ids]
    order = np.argsort(groups, kind="stable")
    parts = np.split(rows[order], np.flatnonzero(np.diff(groups[order])) + 1)
    return sorted((np.sort(part) for part in parts), key=len, reverse=True)


def _places(seen: Evidence, rows: Ints, pace: Ints, first_part: bool) -> Ints:
    """The number of each row, from 0, for its pace, its host and the template of its path."""
    paths, which = np.unique(seen.path[rows], return_inverse=True)
    number = _codes(seen.templates(paths, first_part))[which]
    for more in (seen.requests.rows["host"].to_numpy()[rows].astype(np.int64), pace):
        # Renumbered after each, so that the products stay small.
        joined = more * (int(number.max(initial=0)) + 1) + number
        number = np.unique(joined, return_inverse=True)[1]
    return np.asarray(number)


def _codes(texts: pl.Series) -> Ints:
    """A number for each text, the same for the same text."""
    return texts.cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)


def _usual(ids: Ints, place: Ints) -> tuple[Ints, Ints]:
    """The streams and those of their places that have enough of a stream's requests.

    A stream's rows lie side by side. Its most frequent place counts even if it has a thousand
    others. All is done in arrays of the rows: a log may have a million users.
    """
    places = int(place.max()) + 1
    pairs = np.sort(ids * places + place)
    begins = np.flatnonzero(np.diff(pairs, prepend=-1))
    counts = np.diff(begins, append=len(pairs))
    pairs = pairs[begins]
    left = pairs // places
    streams = np.flatnonzero(np.diff(left, prepend=-1))
    number = np.diff(streams, append=len(left))
    most = np.repeat(np.maximum.reduceat(counts, streams), number)
    whole = np.repeat(np.add.reduceat(counts, streams), number)
    kept = counts >= np.minimum(USUAL * whole, most)
    return left[kept], (pairs % places)[kept]


def _paces(seen: Evidence, streams: Streams, chosen: Flags) -> Ints:
    """The number of the cluster of median thinks that each stream is in."""
    (middle,) = streams.quantiles(streams.thinks, 0.5)
    logs = np.log(np.maximum(np.nan_to_num(middle), max(seen.resolution_s, 1e-3)))
    order = np.flatnonzero(chosen)[np.argsort(logs[chosen])]
    found = np.zeros(len(streams), dtype=np.int64)
    found[order] = np.cumsum(np.diff(logs[order], prepend=logs[order[0]]) > np.log(APART))
    return found
