"""Rows of our own results: what they say that other logs leave to be found.

Their columns say of which population and of which page each request is, and whose session it is.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from thinktime.learn.requests import Requests


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


def told_by(requests: Requests) -> list[str]:
    """That columns say what is found in other logs, in words."""
    named = requests.populations is not None and bool((requests.populations != "").any())
    told = [
        *(["populations by `population`"] if named else []),
        *(["pages by `page`"] if requests.paged else []),
    ]
    if not told:
        return []
    return [f"{' and '.join(told)}, as the rows of our own results say; sessions by `session`"]


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
    took_us = ((pl.col("end_ns") - pl.col("time_ns")) // 1000).cast(pl.UInt32)
    pages = pages.with_columns(duration_us=took_us).drop("end_ns")
    return replace(requests, rows=pages.select(requests.rows.columns).sort("time_ns"))
