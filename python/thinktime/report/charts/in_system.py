"""The number of requests in the system over time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import polars as pl
from numpy.typing import NDArray

from thinktime.report import units
from thinktime.report.attempts import Rows
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels
from thinktime.report.charts.chart import (
    POINTS_MAX,
    Chart,
    Drawing,
    colour,
    kind_keys,
    line,
    thin,
)
from thinktime.theory.law import FloatArray

STRETCHES = POINTS_MAX // 8
"""Of more events than can be drawn, of each of so many stretches of time those are that matter."""

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
                told.append(f"{entry.kind} {_words(entry, points, until_s)}")
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


def _words(entry: Entry, points: Steps, until_s: float) -> str:
    rows = entry.rows if entry.result.rows_complete else None
    mean = panels.mean_of_steps(*points, until_s) if rows is None else _mean(rows, until_s)
    return f"mean {units.number(mean)}, most {units.count(int(points[1].max()))}"


def _number(case: Case, entry: Entry, points: Steps, name: str) -> go.Scatter:
    """The measured number is filled, so that it is seen below the simulated one."""
    style = {**line(case, entry.kind), "width": 1}
    if entry.kind != "measured":
        return panels.steps(*points, name, style)
    return panels.steps(*points, name, style, fill="tozeroy", fillcolor=f"{colour(case)}33")


def number_in_system(entry: Entry, until_s: float) -> Steps | None:
    """Times and the number from then on: of every event if all rows are there, else sampled.

    Of very many events those are taken that are extremes, or the first or last ones, of a stretch.
    """
    rows = entry.rows if entry.result.rows_complete else None
    if rows is not None:
        return _by_events(rows.attempts, until_s) if rows.attempts.height > 0 else None
    series = panels.series(entry, until_s)
    if series is None or "in_system" not in series.columns:
        return None
    ends = series["start_s"] + series["interval_s"]
    return ends.to_numpy().astype(float), series["in_system"].to_numpy().astype(float)


def _by_events(attempts: pl.DataFrame, until_s: float) -> Steps:
    """What never ends stays in the system; at one instant arrivals come first."""
    came, left = (_until(attempts[name], until_s) for name in ("scheduled_ns", "done_ns"))
    # After each arrival and after each departure, without laying them all in one line.
    up = np.arange(1, len(came) + 1) - np.searchsorted(left, came, side="left")
    down = np.searchsorted(came, left, side="right") - np.arange(1, len(left) + 1)
    parts = [(came, up), (left, down)]
    if len(came) + len(left) > POINTS_MAX:
        edges = np.linspace(0, until_s * 1e9, STRETCHES + 1)
        parts = [_extremes(*one, edges) for one in parts]
    times = np.concatenate([one for one, _ in parts]) / 1e9
    number = np.concatenate([one for _, one in parts])
    order = np.argsort(times, kind="stable")
    return np.append(0.0, times[order]), np.append(0.0, number[order])


def _mean(rows: Rows, until_s: float) -> float:
    """The mean number over time: the time that all were there, by the time that there was."""
    until_ns = until_s * 1e9
    there_ns = [
        float((until_ns - known[known <= until_ns]).sum())
        for name in ("scheduled_ns", "done_ns")
        for known in [rows.attempts[name].drop_nulls().to_numpy()]
    ]
    return (there_ns[0] - there_ns[1]) / until_ns if until_s > 0 else 0.0


def _until(times: pl.Series, until_s: float) -> NDArray[np.int64]:
    """Rising times in nanoseconds, up to a time."""
    known = times.drop_nulls().to_numpy()
    return np.sort(known[known <= until_s * 1e9])


def _extremes(
    times: NDArray[np.int64], number: NDArray[np.int64], edges: FloatArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each stretch the first, the least, the greatest and the last."""
    places = np.searchsorted(times, edges)
    places[-1] = len(times)
    kept: list[int] = []
    for begin, end in pairwise(places.tolist()):
        if end > begin:
            part = number[begin:end]
            kept += {begin, begin + int(part.argmin()), begin + int(part.argmax()), end - 1}
    return times[kept := sorted(kept)], number[kept]


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
