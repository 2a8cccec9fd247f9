"""The charts of a sweep: a figure along the first key, a curve a value of the others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from thinktime.present import axes, columns, units
from thinktime.present.chart import DASHES, INK, Chart, Drawing, Key, Panel, escape, layout, titled
from thinktime.sweeps import percentiles
from thinktime.sweeps.curves import Curve, Row, SweepCurves

_PANEL_HEIGHT = 300
_POPULATIONS_MAX = 6

_PANELS = (
    ("response_mean_s", "Mean response time", "response time", "time"),
    ("response_p99_s", "99th percentile", "response time", "time"),
    ("page_response_mean_s", "Mean page response time", "page response time", "time"),
    ("throughput", "Throughput", "completed requests a second", "number"),
    ("load", "Load", "load of the busiest station", "number"),
    ("errors", "Errors", "failed requests", "number"),
)
"""A figure, the title of its panel, the label of its axis, and the unit."""

IN_DOUBT = "a cross: not to be trusted, or a tenth or more failed"
"""Requests that fail are in no response time, so that a server that collapses may look quick."""

_FAILED_MOST = 0.1

LINE_MOST = 40
"""A longer key is written beside its axis in two lines."""


def _draw(swept: SweepCurves) -> Drawing | None:
    known = [*_PANELS, *_of_populations(swept)]
    shown = [(_column(swept, name), title, y, kind) for name, title, y, kind in known]
    panels = [_panel(swept, one, *rest) for one, *rest in shown if one is not None]
    if not panels:
        return None
    several = len(swept.curves) > 1
    keys = [Key(c.name, c.colour, group=f"curve {c.place}") for c in swept.drawn] if several else []
    keys.append(Key(swept.kind, "" if several else swept.curves[0].colour, mark="dot"))
    if any(row_in_doubt(row) for curve in swept.drawn for row in curve.rows):
        keys.append(Key(IN_DOUBT, "", mark="dot"))
    if _has_exact(swept.drawn):
        keys.append(Key("exact", dash=DASHES["exact"]))
    return Drawing(panels, keys)


def row_in_doubt(row: Row) -> bool:
    """Whether a point's times do not say how the server does: see `IN_DOUBT`."""
    requests, errors = row.get("requests") or 0, row.get("errors") or 0
    return row.get("untrusted") is not None or errors > _FAILED_MOST * requests


def _of_populations(swept: SweepCurves) -> list[tuple[str, str, str, str]]:
    """The panels of populations."""
    names = swept.by_population("response_mean_s")[:_POPULATIONS_MAX]
    return [
        (name, f"Mean response time of {columns.parts(name)[0]}", "response time", "time")
        for name in names
    ]


def _column(swept: SweepCurves, name: str) -> str | None:
    """The column of a figure, if it has figures. The column of a varied key is left out."""
    for column in (f"found_{name}", name):
        varied = {axis.key for axis in swept.axes}
        if column not in varied and columns.columns_with_figures(swept.rows, [column]):
            return column
    return None


def _panel(swept: SweepCurves, column: str, title: str, y_title: str, kind: str) -> Panel:
    figure = go.Figure()
    for curve in swept.drawn:
        figure.add_trace(_line(swept, curve, column))
        if column == "response_mean_s" and _has_exact([curve]):
            figure.add_trace(_exact(swept, curve))
    drawn = [
        row for curve in swept.drawn for row in curve.rows if columns.figure_in_row(row, column)
    ]
    values = [row[column] for row in drawn]
    high = max(values)
    if half := columns.column(column).more:
        high = max(row[column] + (row.get(half) or 0.0) for row in drawn)
    scale = axes.log(min(values), high, kind) if axes.is_wide(values) else None
    figure.update_layout(layout(_PANEL_HEIGHT))
    figure.update_xaxes(_across(swept))
    figure.update_yaxes(scale or axes.linear(0, 1.06 * high, kind))
    titled(figure, y_title)
    return Panel(figure, _words(swept, column, title), title)


def _words(swept: SweepCurves, column: str, title: str) -> str:
    """The least and the greatest value of each curve, and their places."""
    write = columns.column(column).text
    phrases = []
    for curve in swept.drawn:
        known = [row for row in curve.rows if columns.figure_in_row(row, column) is not None]
        if known:
            ends = (f(known, key=lambda row: row[column]) for f in (min, max))
            parts = [f"{write(row[column])} at {swept.point_words(row)}" for row in ends]
            phrases.append(" to ".join(parts))
    return units.sentence(f"{title}, {swept.kind}: {'; '.join(phrases)}")


def _line(swept: SweepCurves, curve: Curve, column: str) -> go.Scatter:
    rows = [row for row in curve.rows if columns.figure_in_row(row, column) is not None]
    write, more = columns.column(column).text, columns.column(column).more
    half = [row.get(more) for row in rows] if more else None
    name = f"{curve.name}: {swept.kind}" if curve.name else swept.kind
    return go.Scatter(
        x=_places(swept, rows), y=[row[column] for row in rows], name=escape(name),
        legendgroup=f"curve {curve.place}", mode="lines+markers", marker=_marks(rows),
        line={"color": curve.colour, "width": 1.8},
        error_y=None if half is None else {"array": half, "thickness": 1, "width": 2},
        customdata=[write(row[column]) for row in rows],
        hovertemplate="%{customdata} at %{x}<extra>" + escape(name) + "</extra>",
    )  # fmt: skip


def _marks(rows: Sequence[Row]) -> dict[str, Any]:
    """A dot for each point, and a cross for one in doubt."""
    doubts = [row_in_doubt(row) for row in rows]
    if not any(doubts):
        return {"size": 5}
    symbols = ["x" if one else "circle" for one in doubts]
    return {"size": [9 if one else 5 for one in doubts], "symbol": symbols}


def _exact(swept: SweepCurves, curve: Curve) -> go.Scatter:
    rows = [row for row in curve.rows if row.get("exact_response_mean_s") is not None]
    exact = [row["exact_response_mean_s"] for row in rows]
    name = f"{curve.name}: exact" if curve.name else "exact"
    return go.Scatter(
        x=_places(swept, rows), y=exact, name=escape(name), legendgroup=f"curve {curve.place}",
        mode="lines", line={"color": INK, "width": 1.4, "dash": DASHES["exact"]}, meta="ink",
        customdata=[units.seconds(one) for one in exact],
        hovertemplate="%{customdata} at %{x}<extra>" + escape(name) + "</extra>",
    )  # fmt: skip


def _has_exact(curves: Sequence[Curve]) -> bool:
    rows = (row for curve in curves for row in curve.rows)
    return any(row.get("exact_response_mean_s") is not None for row in rows)


def _places(swept: SweepCurves, rows: Sequence[Any]) -> list[Any]:
    key = swept.across.key
    return [row[key] if swept.across.numbers else escape(str(row[key])) for row in rows]


def _across(swept: SweepCurves) -> dict[str, Any]:
    """The axis of the varied key: logarithmic if its values are in growing ratios."""
    axis = swept.across
    unit = f" ({axis.unit.replace('us', 'µs')})" if axis.unit else ""
    title = {"text": _in_lines(axis.key) + escape(unit)}
    numbers = axis.numbers
    if numbers is None:
        return {"type": "category", "title": title, "automargin": True}
    steps = [b / a for a, b in itertools.pairwise(numbers) if a > 0]
    if len(steps) > 1 and min(steps) > 1.3 and axes.is_wide(numbers):
        return axes.log(min(numbers), max(numbers), "number") | {"title": title}
    room = 0.04 * (max(numbers) - min(numbers)) or 1.0
    return axes.linear(min(numbers) - room, max(numbers) + room, "number") | {"title": title}


def _in_lines(key: str) -> str:
    """A key as markup; a long one in two lines, which fit on a telephone."""
    dots = [at for at, letter in enumerate(key) if letter == "."]
    if len(key) <= LINE_MOST or not dots:
        return escape(key)
    parted = min(dots, key=lambda at: abs(at - len(key) / 2)) + 1
    return f"{escape(key[:parted])}<br>{escape(key[parted:])}"


_FIGURES: Chart[SweepCurves] = Chart(
    name="figures",
    title="Changes, and their sizes",
    caption="Bars are 95 % confidence intervals of the mean.",
    draw=_draw,
)

CHARTS: list[Chart[SweepCurves]] = [percentiles.CHART, _FIGURES]
"""Charts in the order of the page."""
