"""The response times of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from thinktime import _core
from thinktime.results.table import Table

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from thinktime._core_types import Summary

KEY = ("replication", "session", "request")
"""The columns that identify a request."""

CANCELLED = "cancelled"
"""The error of an attempt that was given up because another one of its request was answered."""


def _figure(name: str, words: str) -> property:
    """A figure of the summary, under the name that Python gives it."""

    def read(result: ResponseTimes) -> float | None:
        times = cast("dict[str, float]", result.summary.get("response_time_s") or {})
        return times.get(name)

    read.__doc__ = f"{words} of response times in seconds; None without a request that succeeded."
    return property(read)


class ResponseTimes:
    """What a result says of response times."""

    summary: Summary
    """The figures, as in `summary.json`: times in seconds, rates in events a second."""

    _outcome: _core.ResultData

    mean = _figure("mean", "The mean")
    sd = _figure("sd", "The standard deviation")
    p50 = _figure("p50", "The median")
    p90 = _figure("p90", "The 90th percentile")
    p95 = _figure("p95", "The 95th percentile")
    p99 = _figure("p99", "The 99th percentile")
    p99_9 = _figure("p99.9", "The 99.9th percentile")

    @property
    def requests(self) -> Table | None:
        """A row for each attempt, in the order of their ends; all, a sample, or None.

        None, too, if they are on the nodes that made the load (`collect`).
        """
        found = self._outcome.requests
        return None if found is None else Table(found)

    def response_times(self) -> NDArray[np.float64] | None:
        """The response time in seconds of each request in `requests` that succeeded.

        It runs from the scheduled time of the first attempt to the end of the last one. Requests
        scheduled in the warm-up are left out. None if no rows were kept.
        """
        import polars as pl

        table = self.requests
        if table is None:
            return None
        succeeded = pl.col("done_ns").is_not_null() & pl.col("error").is_null()
        columns = (*KEY, "attempt", "scheduled_ns", "done_ns")
        read = pl.DataFrame(table).select(*columns, succeeded=succeeded)
        warmup_ns = round((self.summary.get("warmup_s") or 0.0) * 1e9)
        found = answered(read, KEY).filter(pl.col("begun_ns") >= warmup_ns)
        return (found["done_ns"] - found["begun_ns"]).to_numpy() * 1e-9

    def survival(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Response times in seconds, rising, and the share of requests that took longer.

        Both arrays have one entry for each bin of the histogram, which is at most 0.1 % wide.
        """
        import numpy as np

        bins = self._outcome.histogram
        times = np.array([time for time, _ in bins], dtype=np.float64)
        counts = np.array([count for _, count in bins], dtype=np.float64)
        total = counts.sum() if counts.size else 1.0
        return times, 1.0 - np.cumsum(counts) / total


def answered(read: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """The requests that succeeded, with the schedule of their first attempt (`begun_ns`).

    Of `read`, the attempts, the rows marked `succeeded` are taken; `key` identifies requests that
    were tried again, and is empty if there are none.
    """
    import polars as pl

    done = read.filter("succeeded").rename({"scheduled_ns": "begun_ns"})
    kept = [one for one in ("name", "population", "begun_ns", "done_ns", "first") if one in done]
    if not key:
        return done.select(kept)
    # Few are tried again: only these are looked up among the first attempts.
    begun = read.filter(pl.col("attempt") == 1).select(*key, begun_ns="scheduled_ns")
    later = done.filter(pl.col("attempt") > 1).drop("begun_ns").join(begun, on=key)
    return pl.concat([done.filter(pl.col("attempt") == 1).select(kept), later.select(kept)])
