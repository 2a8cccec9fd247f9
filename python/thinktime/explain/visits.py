"""The requests of a result as the server saw them: when each came and when it was answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thinktime import InputError
from thinktime.learn.server.visits import ServerVisits
from thinktime.results.remote_rows import why_no_rows

if TYPE_CHECKING:
    import polars as pl

    from thinktime.results.result import Result
    from thinktime.results.table import Table

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

LEAST = 1000
"""With fewer requests, models cannot be told apart."""

MOST = 100_000
"""If there are more requests, the first ones are used."""

FAILED_MAX = 0.01
"""With more failures than this share the times are not those of a server that only serves."""

STAMP_S = 1e-6


@dataclass(frozen=True)
class Visits:
    """Requests in the order in which they came; times in seconds from the start of the run."""

    begin_s: Floats
    end_s: Floats

    def __len__(self) -> int:
        return len(self.begin_s)

    @property
    def took_s(self) -> Floats:
        """The time that each was there."""
        return self.end_s - self.begin_s

    @property
    def found(self) -> Numbers:
        """The number of others that each found when it came."""
        gone = np.searchsorted(np.sort(self.end_s), self.begin_s, side="right")
        return np.asarray(np.arange(len(self)) - gone)

    @property
    def overtook(self) -> NDArray[np.bool_]:
        """Whether each left while an earlier one was still there."""
        latest = np.concatenate([[-np.inf], np.maximum.accumulate(self.end_s)[:-1]])
        # Answers that come together are stamped in any order.
        return np.asarray(self.end_s < latest - 1e-4)

    def between(self, begin_s: float, end_s: float) -> NDArray[np.bool_]:
        """The requests that came within a time."""
        return np.asarray((self.begin_s >= begin_s) & (self.begin_s < end_s))

    def without(self, network_s: float) -> Visits:
        """The requests as the server saw them, if the network takes this long there and back."""
        if not network_s:
            return self
        begin_s = self.begin_s + network_s / 2
        return Visits(begin_s, np.maximum(self.end_s - network_s / 2, begin_s + STAMP_S))

    def served(self) -> ServerVisits:
        """The same requests for the module that learns servers from logs."""
        kinds = np.zeros(len(self), dtype=np.int64)
        over = np.ones(len(self), dtype=np.bool_)
        return ServerVisits(self.begin_s, self.end_s, kinds, over, STAMP_S, STAMP_S)

    @classmethod
    def of_table(cls, table: Table) -> Visits:
        """The answered attempts of the rows of a result, by the time of sending."""
        import polars as pl

        return cls.of_answered(_answered(pl.DataFrame(table).lazy(), None))

    @classmethod
    def of_answered(cls, rows: pl.DataFrame) -> Visits:
        """The visits of the columns that `answered` gives."""
        begin_s = rows["begin_ns"].to_numpy() * 1e-9
        # With clocks of different steps, an answer may be stamped before its request.
        return cls(begin_s, np.maximum(rows["done_ns"].to_numpy() * 1e-9, begin_s + STAMP_S))


def _answered(rows: pl.LazyFrame, most: int | None, *columns: str) -> pl.DataFrame:
    """`answered` of rows, the first ones of more than `most`."""
    import polars as pl

    sent = pl.coalesce("sent_ns", "scheduled_ns").alias("begin_ns")
    kept = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    rows = rows.filter((pl.col("replication") == 0) & kept)
    rows = rows.select(sent, "done_ns", *columns)
    if most is not None:
        begins = rows.select("begin_ns").collect()["begin_ns"].to_numpy()
        if len(begins) > most:
            rows = rows.filter(pl.col("begin_ns") < np.partition(begins, most)[most])
    return rows.sort("begin_ns").collect()


def answered(result: Result, most: int, *columns: str) -> pl.DataFrame:
    """`begin_ns` and `done_ns` of the attempts that were answered, and more of their columns.

    They are in the order of sending; of more than `most`, only the first ones.

    Raises:
        InputError: if its rows were not kept, or cannot be read.
    """
    import polars as pl
    from polars.exceptions import PolarsError

    where = str(result.path or "the result")
    rows = _rows(result)
    if rows is None:
        kept = "all its rows are needed: run it again with `-o DIR --rows all`"
        raise InputError(f"{where}: {why_no_rows(result) or kept}")
    lazy = rows if isinstance(rows, pl.LazyFrame) else pl.DataFrame(rows).lazy()
    try:
        return _answered(lazy, most, *columns)
    except PolarsError as error:
        # The text after the first part describes the query, not the file.
        why = str(error).partition("\n")[0].partition(";")[0]
        raise InputError(f"{where}: its rows cannot be read: {why}") from None


def visits_of(result: Result, most: int = MOST) -> Visits:
    """The visits of a result; of more than `most`, only the first ones.

    Raises:
        InputError: if its rows were not kept, are too few, or many of its requests failed.
    """
    where = result.path or "the result"
    found = Visits.of_answered(answered(result, most))
    if len(found) < LEAST:
        those = "1 request" if len(found) == 1 else f"{len(found):,} requests"
        few = f"it has {those} with an answer, and {LEAST:,} are needed"
        raise InputError(f"{where}: {few}: run it for longer")
    many, errors = result.summary.get("requests") or 0, result.summary.get("errors") or 0
    if errors > FAILED_MAX * many:
        why = f"{errors:,} of {many:,} requests failed: explain a run without failures"
        raise InputError(f"{where}: {why}")
    return found


def network_s(result: Result) -> float:
    """How long the network takes to the server and back, in seconds, as far as it is known.

    Twice the delay of the link that a run crossed; 0 without a link.

    Raises:
        InputError: if the result does not say which link that was.
    """
    link = result.summary.get("link")
    if not link:
        return 0.0
    from thinktime.lab.run_link import parse_link

    try:
        return 2 * parse_link(link["asked"]).link.delay
    except InputError as error:
        where = result.path or "the result"
        raise InputError(f"{where}: its link cannot be read from summary.json: {error}") from None


def _rows(result: Result) -> Table | pl.LazyFrame | None:
    """The rows from the file, if there is one: they may be more than the memory should hold."""
    if not result.rows_complete:
        return None
    file = None if result.path is None else result.path / "requests.parquet"
    if file is None or not file.exists():
        return result.requests
    import polars as pl

    return pl.scan_parquet(file)
