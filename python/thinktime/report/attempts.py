"""The rows of a result as charts need them: read once, and of all columns only those that they use.

Of ten million requests the whole table is a gigabyte, and reading it takes seconds; so it is read
from its file, where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from polars.exceptions import PolarsError

from thinktime.pages import pages_of

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


def rows_of(result: Result) -> Rows | None:
    """Those of a result; None where none were kept.

    Raises:
        InputError: if the file is damaged.
    """
    paged = bool(result.summary.get("pages"))
    file = None if result.path is None else result.path / _FILE
    if file is not None and file.is_file():
        try:
            return _rows(pl.scan_parquet(file), paged=paged)
        except PolarsError:
            pass  # what reads whole tables says what is wrong with it
    table = result.requests
    return None if table is None else _rows(pl.DataFrame(table).lazy(), paged=paged)


def _rows(table: pl.LazyFrame, *, paged: bool) -> Rows:
    has = set(table.collect_schema().names())
    of_first = pl.col("replication") == pl.col("replication").min()
    first = of_first if "replication" in has else pl.lit(value=True)
    attempts = table.filter(first).select("scheduled_ns", "done_ns")
    pages = pages_of(table) if paged else None
    return Rows(attempts.collect(), _answered(table, has, first), pages)


def _answered(table: pl.LazyFrame, has: set[str], first: pl.Expr) -> pl.DataFrame:
    key = [name for name in _KEY if name in has]
    words = [pl.col(name).cast(pl.Categorical) for name in ("name", "population") if name in has]
    succeeded = pl.col("done_ns").is_not_null()
    succeeded = succeeded & pl.col("error").is_null() if "error" in has else succeeded
    done = table.filter(succeeded)
    kept = [*words, first.alias("first"), pl.col("done_ns")]
    at_once = done.filter(pl.col("attempt") == 1).select(*kept, begun_ns="scheduled_ns")
    # Few are tried again: only these are looked up among the first attempts.
    again = done.filter(pl.col("attempt") > 1)
    if not again.select(pl.len()).collect().item():
        return at_once.collect()
    begun = table.filter(pl.col("attempt") == 1).select(*key, begun_ns="scheduled_ns")
    later = again.join(begun, on=key).select(*kept, "begun_ns")
    return pl.concat([at_once.collect(), later.collect()])
