"""The rows of a result for charts: read once, and only the columns in use.

The whole table of ten million requests is a gigabyte, and reading it takes seconds; so rows are
read from its file, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from thinktime.results.pages import pages_of
from thinktime.results.response_times import CANCELLED, answered

if TYPE_CHECKING:
    from thinktime import Result

_KEY = ("replication", "session", "request")
"""The columns that identify a request."""

_FILE = "requests.parquet"


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a result. Times are in nanoseconds from the start of the run."""

    attempts: pl.DataFrame
    """The times of each attempt of the first replication: scheduled (`scheduled_ns`), and over
    (`done_ns`), null if it never was."""

    answered: pl.DataFrame
    """Each successful request: the schedule of its first attempt (`begun_ns`) and its end
    (`done_ns`), its `name` and `population` if available, and whether it is of the first
    replication (`first`)."""

    pages: pl.DataFrame | None
    """A row for each page, as in `Result.pages`; None without pages."""

    table: pl.LazyFrame = field(default_factory=pl.LazyFrame)
    """All rows, read on demand."""

    whole: Callable[[], Any] = field(default=lambda: None)
    """Reads the whole table, and reports the error if that is impossible."""

    found: dict[tuple[float, float], pl.DataFrame] = field(default_factory=dict)
    """Results of charts that other charts need, too."""

    def failed_s(self, warmup_s: float) -> NDArray[np.float64]:
        """The times in seconds, rising, of requests that failed for good and have an end.

        From the schedule of the first attempt to the end of the last one; without those that were
        scheduled in the warm-up.
        """
        has = self.table.collect_schema().names()
        if "error" not in has:
            return np.zeros(0)
        key = [name for name in _KEY if name in has]
        begun, over = pl.col("scheduled_ns"), pl.col("done_ns")
        whole = (over.max() - begun.min()) / 1e9
        # A first attempt may succeed after a copy of it failed only if requests are hedged.
        copies = self.summed(lambda table: table.select((pl.col("error") == CANCELLED).any()))
        retried = pl.lit(value=True) if copies.item() else pl.col("attempt") > 1
        succeeded = retried & pl.col("error").is_null() & over.is_not_null()

        def query(table: pl.LazyFrame) -> pl.LazyFrame:
            failed = table.filter(pl.col("error").is_not_null() & over.is_not_null())
            last = failed.join(table.filter(succeeded), on=key, how="anti").group_by(key)
            kept = last.agg(time_s=whole, begun_ns=begun.min())
            return kept.filter(pl.col("begun_ns") >= warmup_s * 1e9).select("time_s")

        times = self.summed(query)["time_s"].to_numpy()
        return np.sort(times[times > 0])

    def summed(self, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """The result of a query on the table, without holding the whole table.

        Raises:
            InputError: The file is damaged.
        """
        try:
            return query(self.table).collect(engine="streaming")
        except PolarsError:
            return query(pl.DataFrame(self.whole()).lazy()).collect()


def rows_of(result: Result) -> Rows | None:
    """The rows of a result; None if none were kept.

    Raises:
        InputError: The file is damaged.
    """
    paged = bool(result.summary.get("pages"))
    file = None if result.path is None else result.path / _FILE
    if file is not None and file.is_file():
        try:
            return _rows(pl.scan_parquet(file), lambda: result.requests, paged=paged)
        except PolarsError:
            pass  # the reader of whole tables reports the error
    table = result.requests
    if table is None:
        return None
    return _rows(pl.DataFrame(table).lazy(), lambda: table, paged=paged)


def _rows(table: pl.LazyFrame, whole: Callable[[], Any], *, paged: bool) -> Rows:
    has = set(table.collect_schema().names())
    again = bool(table.select((pl.col("attempt") > 1).any()).collect().item())
    key = [name for name in _KEY if name in has]
    words = [pl.col(name).cast(pl.Categorical) for name in ("name", "population") if name in has]
    succeeded = pl.col("done_ns").is_not_null()
    succeeded = succeeded & pl.col("error").is_null() if "error" in has else succeeded
    of_first = pl.col("replication") == pl.col("replication").min()
    first = of_first if "replication" in has else pl.lit(value=True)
    times = [pl.col("scheduled_ns"), pl.col("done_ns")]
    named = [pl.col(name) for name in (*key, "attempt")] if again else []
    kept = [*named, *words, *times, first.alias("first"), succeeded.alias("succeeded")]
    read = table.select(kept).collect()
    attempts = read.filter("first").select(times)
    pages = pages_of(table) if paged else None
    return Rows(attempts, answered(read, key if again else []), pages, table, whole)
