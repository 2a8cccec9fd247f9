"""Pages, put together from the rows of their requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from thinktime.results.table import Table

_PAGE = ("replication", "session", "page")
"""The columns that identify a page: the number of its base's request in its session."""

_KEY_BITS = 63


def pages_of(requests: Table | pl.LazyFrame) -> pl.DataFrame:
    """A row a page, in the order of their starts.

    The columns are `replication`, `session` and `page`, which name it; `population` and `name`,
    its base's; `scheduled_ns`, when its base was wanted, and `done_ns`, when the last of its
    requests was over; `requests`, how many it had; `failed`, whether one of them failed for good. A
    page also counts as failed where the run ended before one of its requests was tried again.
    """
    import polars as pl

    rows = requests if isinstance(requests, pl.LazyFrame) else pl.DataFrame(requests).lazy()
    if "page" not in rows.collect_schema().names():  # an older version wrote them
        rows = rows.with_columns(population=None, page=pl.lit(None, pl.UInt32))
    words = [pl.col(name).cast(pl.String) for name in ("population", "name")]
    succeeded = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    needed = (*_PAGE, "request", "attempt", "scheduled_ns", "done_ns", "population", "name")
    kept = rows.filter(pl.col("page").is_not_null()).select(*needed, failed=~succeeded).collect()
    of_request = kept if kept["attempt"].max() in (None, 1) else _of_requests(kept)
    of_request, key = _keyed(of_request)
    base = of_request.filter(pl.col("request") == pl.col("page"))
    whole = of_request.group_by(key).agg(
        *(pl.col(name).first() for name in _PAGE if name not in key),
        pl.col("done_ns").max(),
        requests=pl.len(),
        failed=pl.col("failed").any(),
    )
    return (
        whole.join(base.select(*key, "population", "name", "scheduled_ns"), on=key, how="left")
        .select(*_PAGE, *words, "scheduled_ns", "done_ns", "requests", "failed")
        .sort("replication", "scheduled_ns", "session", "page")
    )


def _keyed(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Rows and their pages' identity: one number if three columns fit into it, which is quicker."""
    import polars as pl

    largest = rows.select(pl.col(_PAGE).max().fill_null(0)).row(0)
    bits = [int(one).bit_length() for one in largest]
    if sum(bits) > _KEY_BITS:
        return rows, list(_PAGE)
    key = pl.lit(0, pl.UInt64)
    for name, many in zip(_PAGE, bits, strict=True):
        key = key * (1 << many) + pl.col(name).cast(pl.UInt64)
    return rows.with_columns(key=key), ["key"]


def _of_requests(attempts: pl.DataFrame) -> pl.DataFrame:
    """A row for each request, if some were tried again: it has failed if no attempt succeeded."""
    import polars as pl

    return attempts.group_by(*_PAGE, "request").agg(
        pl.col("population", "name").first(),
        pl.col("scheduled_ns").min(),
        # Copies that lost are given up a little after the answer.
        pl.coalesce(pl.col("done_ns").filter(~pl.col("failed")).max(), pl.col("done_ns").max()),
        pl.col("failed").all(),
    )
