"""Pages, put together from the rows of their requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from thinktime import _core

_PAGE = ("replication", "session", "page")
"""What names a page: the number of its base's request in its session."""


def pages_of(requests: _core.Table | pl.LazyFrame) -> pl.DataFrame:
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
    words = [pl.col(name).cast(pl.String) for name in ("name", "population")]
    succeeded = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    needed = (*_PAGE, "request", "attempt", "scheduled_ns", "done_ns")
    kept = (
        rows.filter(pl.col("page").is_not_null())
        .select(*needed, *words, failed=~succeeded)
        .collect()
    )
    of_request = kept if kept["attempt"].max() in (None, 1) else _of_requests(kept)
    base = of_request.filter(pl.col("request") == pl.col("page"))
    whole = of_request.group_by(*_PAGE).agg(
        pl.col("done_ns").max(), requests=pl.len(), failed=pl.col("failed").any()
    )
    return (
        whole.join(base.select(*_PAGE, "population", "name", "scheduled_ns"), on=_PAGE, how="left")
        .select(
            *_PAGE, "population", "name", "scheduled_ns", "done_ns", "requests", "failed"
        )
        .sort("replication", "scheduled_ns", "session", "page")
    )  # fmt: skip


def _of_requests(attempts: pl.DataFrame) -> pl.DataFrame:
    """A row a request, where some were tried again: it has failed if no attempt succeeded."""
    import polars as pl

    return attempts.group_by(*_PAGE, "request").agg(
        pl.col("population", "name").first(),
        pl.col("scheduled_ns").min(),
        pl.col("done_ns").max(),
        pl.col("failed").all(),
    )
