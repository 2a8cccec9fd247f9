"""The counted requests of a result, made of its rows: when each was wanted, and how it ended."""

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
"""What names a request."""


@dataclass(frozen=True, eq=False)
class Requests:
    """The requests that were scheduled at or after the end of the warm-up, in any order.

    Times are in seconds from the end of the warm-up; those of the second replication follow on
    those of the first, and so on.
    """

    span_s: float
    """The measured time, of all replications together."""

    wanted_s: Floats
    """When each was scheduled."""

    response_s: Floats
    """Its response time; not a number where it failed for good."""

    succeeded_s: Floats
    """When those that succeeded within the measured time were over: not one a request."""


def requests_of(result: Result) -> Requests | None:
    """The requests of a result; None where it keeps no rows, or measured for no time."""
    if result.requests is None or len(result.requests) == 0:
        return None
    import polars as pl

    return _counted(result, _over(pl.DataFrame(result.requests)))


def pages_of(result: Result) -> Requests | None:
    """The pages of a result as if each were a request; None where it keeps no rows or has none."""
    if not result.summary.get("page_response_time_s"):
        return None
    pages = result.pages
    if pages is None or pages.is_empty():
        return None
    return _counted(result, pages.fill_null(0))


def _counted(result: Result, rows: pl.DataFrame) -> Requests | None:
    """What was scheduled after the warm-up, of a row each; None if it was measured for no time."""
    duration_s = float(result.summary.get("duration_s") or 0.0)
    if duration_s <= 0:
        return None
    replication = rows["replication"].to_numpy().astype(np.float64)
    span_s = duration_s / (replication.max() + 1)
    warmup_s = float(result.summary.get("warmup_s") or 0.0)
    wanted_s = rows["scheduled_ns"].to_numpy() / 1e9 - warmup_s
    done_s = rows["done_ns"].to_numpy() / 1e9 - warmup_s
    failed = rows["failed"].to_numpy()
    counted = wanted_s >= 0
    begin_s = replication * span_s
    within = ~failed & (done_s >= 0) & (done_s <= span_s)
    response_s = np.where(failed, np.nan, done_s - wanted_s)
    return Requests(
        duration_s,
        (begin_s + np.minimum(wanted_s, span_s))[counted],
        response_s[counted],
        (begin_s + done_s)[within],
    )


def _over(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a request: from its first attempt's schedule to its last attempt's end."""
    import polars as pl

    rows = rows.with_columns(failed=pl.col("error").is_not_null() | pl.col("done_ns").is_null())
    rows = rows.with_columns(pl.col("done_ns").fill_null(0))
    if rows["attempt"].max() != 1:
        rows = (
            rows.sort("attempt")
            .group_by(*_REQUEST)
            .agg(pl.col("scheduled_ns").first(), pl.col("done_ns", "failed").last())
        )
    return rows
