"""The number of requests in the system over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import polars as pl

from thinktime.report import units
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels
from thinktime.report.charts.chart import Chart, Drawing, colour, kind_keys, line, thin
from thinktime.theory.law import FloatArray

Steps = tuple[FloatArray, FloatArray]


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    found, kinds = list[panels.TimeLine](), list[Kind]()
    for case in cases:
        traces, told = list[go.Scatter](), list[str]()
        for entry in panels.shown(case):
            points = number_in_system(entry, until_s)
            if points is not None:
                name = f"{case.label}: {entry.kind}"
                traces.append(_number(case, entry, thin(*points), name))
                told.append(f"{entry.kind} {_words(points, until_s)}")
                kinds.append(entry.kind)
        if traces and case.theory is not None:
            traces += _exact(case, until_s)
            told.append(f"exact mean {units.number(case.theory.in_system)}")
            kinds.append("exact")
        if traces:
            words = f"Requests in the system over {units.seconds(until_s)}: {'; '.join(told)}."
            found.append(panels.TimeLine(case, traces, words))
    if not found:
        return None
    keys = kind_keys((kind, "") for kind in kinds)
    return Drawing(panels.stacked(found, "requests in the system", until_s), keys, linked=True)


def _words(points: Steps, until_s: float) -> str:
    mean = panels.mean_of_steps(*points, until_s)
    return f"mean {units.number(mean)}, most {units.count(int(points[1].max()))}"


def _number(case: Case, entry: Entry, points: Steps, name: str) -> go.Scatter:
    """The measured number is filled, so that it is seen below the simulated one."""
    style = {**line(case, entry.kind), "width": 1}
    if entry.kind != "measured":
        return panels.steps(*points, name, style)
    return panels.steps(*points, name, style, fill="tozeroy", fillcolor=f"{colour(case)}33")


def number_in_system(entry: Entry, until_s: float) -> Steps | None:
    """Times and the number from then on: of every event if all rows are there, else sampled."""
    if entry.result.requests is not None and entry.result.rows_complete:
        table = pl.DataFrame(entry.result.requests)
        return _by_events(table, until_s) if table.height > 0 else None
    series = panels.series(entry, until_s)
    if series is None or "in_system" not in series.columns:
        return None
    ends = series["start_s"] + series["interval_s"]
    return ends.to_numpy().astype(float), series["in_system"].to_numpy().astype(float)


def _by_events(table: pl.DataFrame, until_s: float) -> Steps:
    """Of the first replication. What never ends stays in the system."""
    if "replication" in table.columns:
        table = table.filter(pl.col("replication") == table["replication"].min())
    until_ns = until_s * 1e9
    arrivals = table["scheduled_ns"].drop_nulls().to_numpy()
    departures = table["done_ns"].drop_nulls().to_numpy()
    arrivals, departures = arrivals[arrivals <= until_ns], departures[departures <= until_ns]
    times = np.concatenate([arrivals, departures])
    change = np.concatenate([np.ones(len(arrivals)), -np.ones(len(departures))])
    order = np.argsort(times, kind="stable")  # at one instant arrivals come first
    times, number = times[order] / 1e9, np.cumsum(change[order])
    return np.concatenate([[0.0], times]), np.concatenate([[0.0], number])


def _exact(case: Case, until_s: float) -> list[go.Scatter]:
    """The mean number, by Little's law."""
    if case.theory is None:
        return []
    mean = np.full(2, case.theory.in_system)
    name = f"{case.label}: mean, exact"
    return [panels.steps(np.array([0.0, until_s]), mean, name, line(case, "exact"))]


CHART = Chart(
    name="in_system",
    title="How many are in the system",
    caption="A closed system can never hold more requests than it has clients; where users "
    "arrive on their own nothing bounds the queue, and it takes long to drain (dotted: the "
    "exact mean).",
    draw=_draw,
)
