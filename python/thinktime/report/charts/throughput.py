"""Completed requests a second over time, against those that were offered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import polars as pl

from thinktime.report.case import Case, Kind, Note
from thinktime.report.charts import panels
from thinktime.report.charts.chart import Chart, kind_keys, legend_key, line, thin
from thinktime.theory.law import FloatArray

_OFFERED = {"color": "#888888", "width": 1, "dash": "solid"}


def _figure(cases: Sequence[Case]) -> go.Figure | None:
    until_s = panels.span_s(cases)
    drawn, kinds = [], set[Kind]()
    for case in cases:
        traces: list[go.Scatter] = []
        for entry in panels.shown(case):
            series = panels.series(entry, until_s)
            if series is None:
                continue
            if not traces:
                offered = _rate(series, "scheduled")
                traces.append(
                    panels.steps(*offered, f"{case.label}: offered", _OFFERED, meta="ink")
                )
            name = f"{case.label}: completed, {entry.kind}"
            style = {**line(case, entry.kind), "width": 1.6}
            traces.append(panels.steps(*_rate(series, "completed"), name, style))
            kinds.add(entry.kind)
        if traces:
            drawn.append((case, traces))
    if not drawn:
        return None
    order: list[tuple[Kind, Note]] = [("measured", ""), ("simulated", "")]
    keys = kind_keys([key for key in order if key[0] in kinds])
    keys.append(legend_key("offered", line=_OFFERED, legend="legend2", meta="ink"))
    return panels.figure(drawn, keys, "requests a second", until_s)


def _rate(series: pl.DataFrame, column: str) -> tuple[FloatArray, FloatArray]:
    """The rate from the start of each interval on, and at the end of the last."""
    starts, lengths = (series[name].to_numpy() for name in ("start_s", "interval_s"))
    rate = series[column].to_numpy() / lengths
    return thin(np.append(starts, starts[-1] + lengths[-1]), np.append(rate, rate[-1]))


CHART = Chart(
    name="throughput",
    title="What was offered and what was done",
    caption="Where the coloured line stays below the grey one, more was offered than completed, "
    "and a queue grew.",
    figure=_figure,
)
