"""Pages, put together from the rows of their requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from thinktime import _core

_PAGE = ("replication", "session", "page")
"""What names a page: the number of its base's request in its session."""


def pages_of(requests: _core.Table) -> pl.DataFrame:
    """A row a page, in the order of their starts.

    The columns are `replication`, `session` and `page`, which name it; `population` and `name`,
    its base's; `scheduled_ns`, when its base was wanted, and `done_ns`, when the last of its
    requests was over; `requests`, how many it had; `failed`, whether one of them failed for good. A
    page also counts as failed where the run ended before one of its requests was tried again.
    """
    import polars as pl

    rows = pl.DataFrame(requests)
    if "page" not in rows.columns:  # an older version wrote them
        rows = rows.with_columns(population=None, page=pl.lit(None, pl.UInt32))
    words = [pl.col(name).cast(pl.String) for name in ("name", "population")]
    succeeded = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    of_request = (
        rows.filter(pl.col("page").is_not_null())
        .with_columns(*words)
        .group_by(*_PAGE, "request")
        .agg(
            pl.col("population", "name").first(),
            pl.col("scheduled_ns").min(),
            pl.col("done_ns").max(),
            failed=~succeeded.any(),
        )
    )
    base = pl.col("request") == pl.col("page")
    return (
        of_request.group_by(*_PAGE)
        .agg(
            *(pl.col(name).filter(base).first() for name in ("population", "name", "scheduled_ns")),
            pl.col("done_ns").max(),
            requests=pl.len(),
            failed=pl.col("failed").any(),
        )
        .sort("replication", "scheduled_ns", "session", "page")
    )
