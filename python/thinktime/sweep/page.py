"""The page of a sweep: small multiples of charts, and the table."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from thinktime.report.charts.chart import COLOURS, layout
from thinktime.report.frame import frame
from thinktime.sweep.grid import Axis

_PANELS = (
    ("response_mean_s", "mean response time [s]"),
    ("response_p99_s", "99th percentile [s]"),
    ("throughput", "throughput [/s]"),
    ("load", "load of the busiest station"),
)
_COLUMNS = 2
_PANEL_HEIGHT = 300
_FACETS_MAX = 12


def write(table: pl.DataFrame, axes: Sequence[Axis], path: Path) -> None:
    """Write the page.

    The first key that has numbers is on the x-axis, the next one makes lines, and further ones
    make sections.
    """
    across = next((axis for axis in axes if axis.numbers and len(axis.values) > 1), axes[0])
    others = [axis for axis in axes if axis is not across]
    lines = others[0] if others else None
    facets = others[1:]
    sections = [(title, _figure(part, across, lines)) for title, part in _facets(table, facets)]
    title = "Sweep over " + ", ".join(axis.key for axis in axes)
    path.write_text(frame(title, sections, _table(table)), encoding="utf-8")


def _facets(table: pl.DataFrame, facets: Sequence[Axis]) -> list[tuple[str, pl.DataFrame]]:
    if not facets:
        return [("", table)]
    keys = [axis.key for axis in facets]
    groups = table.group_by(keys, maintain_order=True)
    named = [
        (", ".join(f"{key} = {value}" for key, value in zip(keys, values, strict=True)), part)
        for values, part in groups
    ]
    return named[:_FACETS_MAX]


def _figure(table: pl.DataFrame, across: Axis, lines: Axis | None) -> go.Figure:
    panels = [(name, title) for name, title in _PANELS if _known(table, name) is not None]
    rows = -(-len(panels) // _COLUMNS)
    figure = make_subplots(
        rows=rows, cols=_COLUMNS, subplot_titles=[title for _, title in panels],
        vertical_spacing=0.28 / max(rows, 1), horizontal_spacing=0.09,
    )  # fmt: skip
    for panel, (name, _) in enumerate(panels):
        place = {"row": panel // _COLUMNS + 1, "col": panel % _COLUMNS + 1}
        column = _known(table, name) or name
        for trace in _traces(table, across, lines, column, legend=panel == 0):
            figure.add_trace(trace, **place)
        figure.update_xaxes(title_text=_label(across), **_scale(across), **place)
        steep = _is_steep(table[column])
        figure.update_yaxes(type="log" if steep else "linear", **place)
        if not steep:
            figure.update_yaxes(rangemode="tozero", **place)
    figure.update_layout(**layout(rows * _PANEL_HEIGHT + 90))
    figure.update_layout(margin={"l": 64, "r": 12, "t": 90, "b": 48})
    return figure


def _known(table: pl.DataFrame, name: str) -> str | None:
    """The column of a figure, if it holds anything."""
    for column in (f"found_{name}", name):
        if column in table.columns and table[column].null_count() < len(table):
            return column
    return None


def _traces(
    table: pl.DataFrame, across: Axis, lines: Axis | None, column: str, legend: bool
) -> list[go.Scatter]:
    parts: list[tuple[str, pl.DataFrame]] = [("", table)]
    if lines is not None:
        groups = table.group_by(lines.key, maintain_order=True)
        parts = [(f"{value[0]}{lines.unit}", part) for value, part in groups]
    traces = []
    for place, (name, part) in enumerate(parts):
        colour = COLOURS[place % len(COLOURS)]
        x = part[across.key].to_list()
        bars = part["response_ci95_s"].to_list() if column == "response_mean_s" else None
        traces.append(_line(x, part[column].to_list(), bars, name, colour, legend))
        if column == "response_mean_s" and part["exact_response_mean_s"].null_count() < len(part):
            traces.append(_exact(x, part["exact_response_mean_s"].to_list(), colour))
    return traces


def _line(
    x: list[Any], y: list[Any], bars: list[Any] | None, name: str, colour: str, legend: bool
) -> go.Scatter:
    return go.Scatter(
        x=x, y=y, name=name or "simulated", legendgroup=name, showlegend=legend,
        mode="lines+markers", line={"color": colour, "width": 1.8}, marker={"size": 5},
        error_y=None if bars is None else {"array": bars, "thickness": 1, "width": 2},
    )  # fmt: skip


def _exact(x: list[Any], y: list[Any], colour: str) -> go.Scatter:
    return go.Scatter(
        x=x, y=y, name="exact", showlegend=False, mode="markers",
        marker={"symbol": "x-thin", "size": 9, "line": {"color": colour, "width": 1.5}},
        hovertemplate="exact: %{y}<extra></extra>",
    )  # fmt: skip


def _label(axis: Axis) -> str:
    return f"{axis.key} [{axis.unit}]" if axis.unit else axis.key


def _scale(axis: Axis) -> dict[str, Any]:
    numbers = axis.numbers
    if numbers is None:
        return {"type": "category"}
    steps = [b / a for a, b in itertools.pairwise(numbers) if a > 0]
    wide = len(steps) > 1 and min(steps) > 1.3 and max(numbers) > 20 * min(numbers)
    return {"type": "log" if wide else "linear"}


def _is_steep(values: pl.Series) -> bool:
    positive = values.drop_nulls().filter(values.drop_nulls() > 0)
    least, most = positive.min(), positive.max()
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return False
    return most > 20 * least


def _table(table: pl.DataFrame) -> str:
    shown = [name for name in table.columns if table[name].null_count() < len(table)]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in shown)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
        for row in table.select(shown).iter_rows()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.5g}" if isinstance(value, float) else str(value))
