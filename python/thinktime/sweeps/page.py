"""The page of a sweep: the curve of the main figure, every point, and charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from thinktime.present import page
from thinktime.present.chart import sections
from thinktime.present.page import Page
from thinktime.sweeps import table as tables
from thinktime.sweeps.charts import CHARTS
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.grid import Axis
from thinktime.sweeps.verdict import verdict

WORDS = {
    "response time": "From when the workload wanted a request sent, its scheduled time, to its "
    "completion.",
    "±": "The half-width of a 95 % confidence interval of the mean, which allows for "
    "autocorrelation.",
    "exact mean": "Computed from a formula that holds exactly in the long run.",
    "all figures": "The file results.parquet beside this page has them.",
}


def write(table: pl.DataFrame, axes: Sequence[Axis], path: Path, *, measured: bool) -> None:
    """Write the page; `measured` says whether the points are runs against a real server."""
    page.write(page_of(table, axes, measured=measured), path)


def page_of(table: pl.DataFrame, axes: Sequence[Axis], *, measured: bool) -> Page:
    """The page."""
    swept = SweepCurves(table, axes, measured=measured)
    words = dict(WORDS)
    if not any(row.get("exact_response_mean_s") for row in swept.rows):
        del words["exact mean"]
    title = "Sweep over " + ", ".join(axis.key for axis in axes)
    return Page(
        title,
        verdict(swept),
        [tables.table(swept)],
        sections(CHARTS, swept),
        words,
    )
