"""Rows of our own results: what they say that other logs leave to be found.

Their columns say of which population and of which page each request is, and whose session it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from thinktime import _core
from thinktime.learn.logs.requests import Requests

LONGEST_US = 4_294_967_294
"""The longest duration that a row of requests can have."""


@dataclass(frozen=True)
class KeptRows:
    """Which rows of a run its result has, as the `run.toml` beside them says."""

    one_in: int = 1
    """Those of one session in so many."""

    replications: int = 1
    """How many replications there were, of which the first is taken."""

    @property
    def notes(self) -> list[str]:
        """That not all replications are taken, in words."""
        if self.replications <= 1:
            return []
        return [f"the rows of the first of {self.replications} replications are taken"]

    @property
    def warnings(self) -> list[str]:
        """That rows are missing, in words."""
        if self.one_in <= 1:
            return []
        return [
            f"the rows are those of one session in {self.one_in} (`rows` in run.toml): counts, and "
            "rates and clients in the workload file, are multiplied by that; results made with "
            "`--rows all` have all"
        ]


def kept_rows(names: Sequence[str]) -> KeptRows:
    """Which rows of their runs these files have.

    Raises InputError where they have different shares of them.
    """
    found = [_kept(Path(name)) for name in names]
    if len({one.one_in for one in found}) > 1:
        said = ", ".join(f"{name}: 1/{one.one_in}" for name, one in zip(names, found, strict=True))
        raise _core.InputError(
            f"these results have different shares of their rows ({said}): learn those of one share "
            "together"
        )
    return KeptRows(found[0].one_in, max(one.replications for one in found))


def _kept(file: Path) -> KeptRows:
    try:
        made = tomllib.loads((file.parent / "run.toml").read_text(encoding="utf-8"))["run"]
        rows, replications = str(made["rows"]), int(made["replications"])
        one_in = int(rows.removeprefix("1/")) if rows.startswith("1/") else 1
    except (OSError, ValueError, KeyError, TypeError):  # none, or of another kind
        return KeptRows()
    return KeptRows(max(one_in, 1), replications)


def of_results(requests: Requests) -> Requests:
    """The requests of rows of our own, with what their columns say.

    The reader has the population in the place of a host. Older results lack both columns; then
    nothing is said.
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
    if paged:  # a name that ends like that of an image says nothing more
        paths = paths.with_columns(object=pl.lit(False))
    return replace(
        requests, rows=rows, paths=paths, hosts=pl.Series("host", [""]), populations=names
    )


def recorded_facts(requests: Requests) -> list[str]:
    """That columns say what is found in other logs, in words."""
    named = requests.populations is not None and bool((requests.populations != "").any())
    facts = [
        *(["populations by `population`"] if named else []),
        *(["pages by `page`"] if requests.paged else []),
    ]
    if not facts:
        return []
    return [f"{' and '.join(facts)}, as the rows of our own results say; sessions by `session`"]


def pages_of(requests: Requests) -> Requests:
    """One row for each page, which lasts until all of it is answered; the rows where none is told.

    A log that says what a page is has all requests of one in the same session.
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
