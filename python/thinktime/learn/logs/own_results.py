"""Rows of own results: they have columns for facts that must be found in other logs.

The columns give the population, the page and the session of each request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from thinktime import _core
from thinktime.learn.logs.requests import Requests

LONGEST_US = 4_294_967_294
"""The longest duration that a row of requests can have."""


@dataclass(frozen=True)
class RowSelection:
    """The rows of a run that its result has, by the `run.toml` beside them."""

    one_in: int = 1
    """The rows of one session in this many."""

    replications: int = 1
    """The number of replications, of which the first is used."""

    @property
    def notes(self) -> list[str]:
        """A note if not all replications are used."""
        if self.replications <= 1:
            return []
        return [f"the rows of the first of {self.replications} replications are taken"]

    @property
    def warnings(self) -> list[str]:
        """A warning if rows are missing."""
        if self.one_in <= 1:
            return []
        return [
            f"the rows are those of one session in {self.one_in} (`rows` in run.toml): counts, and "
            "rates and clients in the workload file, are multiplied by that; results made with "
            "`--rows all` have all"
        ]


def kept_rows(names: Sequence[str]) -> RowSelection:
    """The rows of their runs that these files have.

    Raises InputError if they have different shares of them.
    """
    found = [_kept(Path(name)) for name in names]
    if len({one.one_in for one in found}) > 1:
        said = ", ".join(f"{name}: 1/{one.one_in}" for name, one in zip(names, found, strict=True))
        raise _core.InputError(
            f"these results have different shares of their rows ({said}): learn those of one share "
            "together"
        )
    return RowSelection(found[0].one_in, max(one.replications for one in found))


def _kept(file: Path) -> RowSelection:
    try:
        made = _core.load(file.parent).run
        rows = made["rows"]
        one_in = int(rows.removeprefix("1/")) if rows.startswith("1/") else 1
    except ValueError:  # no result, or a damaged one
        return RowSelection()
    return RowSelection(max(one_in, 1), made.get("replications", 1))


def of_results(requests: Requests) -> Requests:
    """The requests of own rows, with the content of their columns.

    The reader has the population in the place of a host. Older results lack both columns; then they
    are not used.
    """
    rows, names = requests.rows, requests.hosts
    if requests.paged and rows["page"].null_count():
        rows = rows.drop("page")
    paged = "page" in rows.columns
    if not paged and not (names != "").any():
        return replace(requests, rows=rows)
    host = pl.lit(0, pl.UInt32).alias("host")
    rows = rows.with_columns(pl.col("host").alias("population")).with_columns(host)
    paths = requests.paths
    if paged:  # a name that ends like that of an image is no evidence then
        paths = paths.with_columns(object=pl.lit(False))
    return replace(
        requests, rows=rows, paths=paths, hosts=pl.Series("host", [""]), populations=names
    )


def recorded_facts(requests: Requests) -> list[str]:
    """A note that columns give facts that are found in other logs."""
    named = requests.populations is not None and bool((requests.populations != "").any())
    facts = [
        *(["populations by `population`"] if named else []),
        *(["pages by `page`"] if requests.paged else []),
    ]
    if not facts:
        return []
    return [f"{' and '.join(facts)}, as the rows of our own results say; sessions by `session`"]


def pages_of(requests: Requests) -> Requests:
    """A row for each page, which lasts until it is complete; all rows if no pages are given.

    In a log with pages, all requests of a page are in one session.
    """
    if not requests.paged:
        return requests
    took_ns = pl.col("duration_us").cast(pl.Int64) * 1000
    ends = (pl.col("time_ns") + took_ns).max().alias("end_ns")
    first = pl.exclude("user", "page").first()
    pages = requests.rows.group_by("user", "page", maintain_order=True).agg(first, ends)
    took_us = ((pl.col("end_ns") - pl.col("time_ns")) // 1000).clip(0, LONGEST_US).cast(pl.UInt32)
    pages = pages.with_columns(duration_us=took_us).drop("end_ns")
    return replace(requests, rows=pages.select(requests.rows.columns).sort("time_ns"))
