"""The distribution of the time to the first event of streamed responses, by request name."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from thinktime.present.chart import Chart, Drawing
from thinktime.report.case import Case, Entry
from thinktime.report.charts import distributions
from thinktime.report.charts.distributions import Quantity
from thinktime.report.charts.percentile_dots import Curve

_FIRST_EVENT = Quantity("Times to the first event", "time to the first event t", "first_event_")


def _draw(cases: Sequence[Case]) -> Drawing | None:
    curves = [curve for case in cases for entry in case.entries for curve in _curves(case, entry)]
    return distributions.drawing(curves, _FIRST_EVENT)


def _curves(case: Case, entry: Entry) -> list[Curve]:
    """None without rows or streamed responses."""
    if entry.result.summary.get("events") is None or (rows := entry.rows) is None:
        return []
    counted = (
        pl.col("error").is_null()
        & pl.col("first_event_s").is_not_null()
        & (pl.col("scheduled_ns") >= distributions.warmup_ns(entry))
    )
    times = rows.summed(
        lambda table: table.filter(counted).select("name", time_s=pl.col("first_event_s"))
    )
    return distributions.curves_of(case, entry, times, "name", entry.result.workload.request_names)


CHART = Chart(
    name="first_events",
    title="How long until the first event",
    caption="From when a request was due to the first event of its streamed response, which is the "
    "time to first token (TTFT) of a server of language models. Panels have scales of their own.",
    draw=_draw,
    needed=False,
)
