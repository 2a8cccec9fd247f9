"""The rows of a result as charts need them: read once, and of all columns only those that they use.

Of ten million requests the whole table is a gigabyte, and reading it takes seconds; so it is read
from its file, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.exceptions import PolarsError

from thinktime.results.pages import pages_of

if TYPE_CHECKING:
    from thinktime import Result

_KEY = ("replication", "session", "request")
"""What names a request."""

_FILE = "requests.parquet"


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a result. Times are in nanoseconds from the start of the run."""

    attempts: pl.DataFrame
    """When each attempt of the first replication was scheduled (`scheduled_ns`), and when it was
    over (`done_ns`), null where it never was."""

    answered: pl.DataFrame
    """Each request that succeeded: when its first attempt was scheduled (`begun_ns`) and when it
    was over (`done_ns`), its `name` and `population` as far as they are there, and whether it is of
    the first replication (`first`)."""

    pages: pl.DataFrame | None
    """A row a page, as `Result.pages` has them; None where there are none."""

    table: pl.LazyFrame = field(default_factory=pl.LazyFrame)
    """All of them, to be read as far as it is needed."""

    whole: Callable[[], Any] = field(default=lambda: None)
    """Reads the whole table, and says what is wrong with it where that cannot be done."""

    found: dict[tuple[float, float], pl.DataFrame] = field(default_factory=dict)
    """What charts made of the table that others need, too."""

    def summed(self, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """What a query makes of the table, without holding all of it.

        Raises:
            InputError: if the file is damaged.
        """
        try:
            return query(self.table).collect(engine="streaming")
        except PolarsError:
            return query(pl.DataFrame(self.whole()).lazy()).collect()


def rows_of(result: Result) -> Rows | None:
    """Those of a result; None where none were kept.

    Raises:
        InputError: if the file is damaged.
    """
    paged = bool(result.summary.get("pages"))
    file = None if result.path is None else result.path / _FILE
    if file is not None and file.is_file():
        try:
            return _rows(pl.scan_parquet(file), lambda: result.requests, paged=paged)
        except PolarsError:
            pass  # what reads whole tables says what is wrong with it
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
    return Rows(attempts, _answered(read, key if again else []), pages, table, whole)


def _answered(read: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """The requests that succeeded; with a key some of them were tried again."""
    done = read.filter("succeeded").rename({"scheduled_ns": "begun_ns"})
    kept = [one for one in ("name", "population", "begun_ns", "done_ns", "first") if one in done]
    if not key:
        return done.select(kept)
    # Few are tried again: only these are looked up among the first attempts.
    begun = read.filter(pl.col("attempt") == 1).select(*key, begun_ns="scheduled_ns")
    later = done.filter(pl.col("attempt") > 1).drop("begun_ns").join(begun, on=key)
    return pl.concat([done.filter(pl.col("attempt") == 1).select(kept), later.select(kept)])
