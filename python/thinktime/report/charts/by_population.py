"""The distributions of the response times of each population, and of the pages of each."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from thinktime.present.chart import Chart, Drawing
from thinktime.report.by_population import ALL
from thinktime.report.case import Case, Entry
from thinktime.report.charts import distributions
from thinktime.report.charts.distributions import Quantity
from thinktime.report.charts.percentile_dots import Curve


def _draw_requests(cases: Sequence[Case]) -> Drawing | None:
    entries = [(case, entry) for case in cases for entry in case.entries]
    curves = [curve for case, entry in entries for curve in _requests(case, entry)]
    return distributions.drawing(curves)


def _requests(case: Case, entry: Entry) -> list[Curve]:
    """None for a single population: the chart of all requests shows that."""
    names = list(entry.result.populations)
    times = distributions.times_of(entry) if len(names) > 1 else None
    return [] if times is None else distributions.curves_of(case, entry, times, "population", names)


def _draw_pages(cases: Sequence[Case]) -> Drawing | None:
    entries = [(case, entry) for case in cases for entry in case.entries]
    curves = [curve for case, entry in entries for curve in _pages(case, entry)]
    return distributions.drawing(curves, Quantity("Page response times", objectives="page_"))


def _pages(case: Case, entry: Entry) -> list[Curve]:
    if entry.rows is None or entry.rows.pages is None:
        return []
    counted = entry.rows.pages.filter(
        ~pl.col("failed") & (pl.col("scheduled_ns") >= distributions.warmup_ns(entry))
    )
    times = counted.select(
        population=pl.col("population").fill_null(ALL),
        time_s=(pl.col("done_ns") - pl.col("scheduled_ns")) / 1e9,
    )
    names = list(entry.result.populations) or [ALL]
    return distributions.curves_of(case, entry, times, "population", names)


REQUESTS = Chart(
    name="by_population",
    title="How long each population waits",
    caption="The further left a curve rises or a dot lies, the sooner requests of that population "
    "are answered. Panels have scales of their own.",
    draw=_draw_requests,
    needed=False,
)

PAGES = Chart(
    name="pages",
    title="How long pages take",
    caption="From when a page was wanted to the end of the last of its objects, by population.",
    draw=_draw_pages,
    needed=False,
)
