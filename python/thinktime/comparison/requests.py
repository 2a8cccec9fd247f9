"""The counted requests of a result, from its rows: the scheduled time and the end of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

    from thinktime import Result

Floats = NDArray[np.float64]

_REQUEST = ("replication", "session", "request")
"""The columns that identify a request."""


@dataclass(frozen=True, eq=False)
class Requests:
    """The requests that were scheduled at or after the end of the warm-up, in any order.

    Times are in seconds from the end of the warm-up; replications follow one another.
    """

    span_s: float
    """The measured time, of all replications together."""

    wanted_s: Floats
    """The scheduled time of each."""

    response_s: Floats
    """The response time of each; not a number for a request that failed for good."""

    succeeded_s: Floats
    """The times at which requests succeeded within the measured time: fewer than the requests."""

    replications: int = 1
    """Their number; each lasts as long as any other."""


def requests_of(result: Result) -> Requests | None:
    """The requests of a result; None if it keeps no rows, or measured for no time."""
    if result.requests is None or len(result.requests) == 0:
        return None
    import polars as pl

    return _counted(result, _over(pl.DataFrame(result.requests)))


def pages_of(result: Result) -> Requests | None:
    """The pages of a result as if each were a request; None if it keeps no rows or has no pages."""
    if not result.summary.get("page_response_time_s"):
        return None
    pages = result.pages
    if pages is None or pages.is_empty():
        return None
    return _counted(result, pages.fill_null(0))


def _counted(result: Result, rows: pl.DataFrame) -> Requests | None:
    """The part scheduled after the warm-up, with a row each; None if no time was measured."""
    duration_s = float(result.summary.get("duration_s") or 0.0)
    if duration_s <= 0:
        return None
    replication = rows["replication"].to_numpy().astype(np.float64)
    replications = int(replication.max()) + 1
    span_s = duration_s / replications
    warmup_s = float(result.summary.get("warmup_s") or 0.0)
    wanted_s = rows["scheduled_ns"].to_numpy() / 1e9 - warmup_s
    done_s = rows["done_ns"].to_numpy() / 1e9 - warmup_s
    failed = rows["failed"].to_numpy()
    counted = wanted_s >= 0
    begin_s = replication * span_s
    last_s = span_s * (1 - 1e-9)  # the end of a replication is not the begin of the next one
    within = ~failed & (done_s >= 0) & (done_s <= span_s)
    response_s = np.where(failed, np.nan, done_s - wanted_s)
    return Requests(
        duration_s,
        (begin_s + np.minimum(wanted_s, last_s))[counted],
        response_s[counted],
        (begin_s + np.minimum(done_s, last_s))[within],
        replications,
    )


def _over(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a request: from its first attempt's schedule to its last attempt's end."""
    import polars as pl

    rows = rows.with_columns(failed=pl.col("error").is_not_null() | pl.col("done_ns").is_null())
    rows = rows.with_columns(pl.col("done_ns").fill_null(0))
    if rows["attempt"].max() != 1:
        rows = (
            rows.sort(~pl.col("failed"), "attempt")  # copies that lost may have later numbers
            .group_by(*_REQUEST)
            .agg(pl.col("scheduled_ns").min(), pl.col("done_ns", "failed").last())
        )
    return rows
