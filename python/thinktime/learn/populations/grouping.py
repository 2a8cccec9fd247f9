"""Streams of one kind that belong to one population: alike in pace, and in what they ask for."""

from __future__ import annotations

import numpy as np
import polars as pl

from thinktime.learn.populations.seen import Seen
from thinktime.learn.populations.streams import Flags, Ints, Streams

APART = 1.3
"""Streams whose median thinks are further apart, as a ratio, are of two populations."""

USUAL = 0.03
"""A path template that makes less of a stream's requests does not tie it to others."""


def grouped(
    seen: Seen, streams: Streams, chosen: Flags, by_pace: bool = True, first_part: bool = False
) -> list[Ints]:
    """The rows of each group of the chosen streams, the largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    taken = np.flatnonzero(chosen[streams.ids])
    rows, ids = streams.rows[taken], streams.ids[taken]
    pace = np.zeros(len(streams), dtype=np.int64)
    if by_pace:
        pace = _paces(seen, streams, chosen)
    paths = np.unique(seen.path[rows])
    templates = seen.templates(paths)
    if first_part:
        templates = templates.str.extract("^(/[^/]*)").fill_null("")
    number = templates.rank("dense").to_numpy().astype(np.int64)
    of_row = number[np.searchsorted(paths, seen.path[rows])]
    host = seen.requests.rows["host"].to_numpy()[rows]
    spots = pl.DataFrame({"id": ids, "pace": pace[ids], "host": host, "template": of_row})
    counted = spots.group_by("id", "pace", "host", "template").len()
    # The most frequent template of a stream counts even if it has a thousand others.
    most, whole = pl.col("len").max().over("id"), pl.col("len").sum().over("id")
    counted = counted.filter(pl.col("len") >= pl.min_horizontal(USUAL * whole, most))
    counted = counted.with_columns(
        pl.struct("pace", "host", "template").rank("dense").alias("place").cast(pl.Int64)
    )
    left = counted["id"].to_numpy()
    right = counted["place"].to_numpy() + len(streams)
    size = int(right.max()) + 1
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    groups = component[ids]
    order = np.argsort(groups, kind="stable")
    parts = np.split(rows[order], np.flatnonzero(np.diff(groups[order])) + 1)
    return sorted((np.sort(part) for part in parts), key=len, reverse=True)


def _paces(seen: Seen, streams: Streams, chosen: Flags) -> Ints:
    """The number of the cluster of median thinks that each stream is in."""
    (middle,) = streams.quantiles(streams.thinks, 0.5)
    logs = np.log(np.maximum(np.nan_to_num(middle), max(seen.resolution_s, 1e-3)))
    order = np.flatnonzero(chosen)[np.argsort(logs[chosen])]
    found = np.zeros(len(streams), dtype=np.int64)
    found[order] = np.cumsum(np.diff(logs[order], prepend=logs[order[0]]) > np.log(APART))
    return found
