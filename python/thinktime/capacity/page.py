"""The page of a capacity: the probes' margins against the value, and the table."""

from __future__ import annotations

import html
import math
from pathlib import Path

import plotly.graph_objects as go
import polars as pl

from thinktime.capacity.answer import Capacity
from thinktime.report.charts.chart import COLOURS, layout
from thinktime.report.frame import frame

_SHARE_MAX = 20.0


def write(found: Capacity, path: Path) -> None:
    """Write the page; it loads nothing."""
    below = f"<p>{html.escape(found.words)}</p>{_table(found.probes)}"
    path.write_text(frame("Capacity", [("", _figure(found))], below), encoding="utf-8")


def _figure(found: Capacity) -> go.Figure:
    figure = go.Figure()
    known = found.probes.filter(pl.col("margin").is_not_null())
    for passed, name, colour in ((True, "met", COLOURS[2]), (False, "not met", COLOURS[0])):
        figure.add_trace(_points(known.filter(pl.col("passed") == passed), name, colour))
    failed = found.probes.filter(pl.col("margin").is_null())
    if len(failed):
        figure.add_trace(
            go.Scatter(
                x=failed["value"].to_list(), y=[1.0] * len(failed), mode="markers",
                name="failed otherwise", hovertext=failed["why"].to_list(),
                marker={"symbol": "x", "size": 9, "color": COLOURS[0]},
            )
        )  # fmt: skip
    figure.add_hline(y=1, line={"color": "#888888", "dash": "dash", "width": 1})
    if found.value is not None:
        figure.add_vline(x=found.value, line={"color": COLOURS[1], "width": 1.5})
        if found.low is not None and found.high is not None:
            figure.add_vrect(x0=found.low, x1=found.high, fillcolor=COLOURS[1], opacity=0.15)
    figure.update_xaxes(title_text=f"{found.what} [{found.unit}]", type="log")
    figure.update_yaxes(title_text="measured / allowed", type="log")
    figure.update_layout(**layout(460))
    return figure


def _points(probes: pl.DataFrame, name: str, colour: str) -> go.Scatter:
    shares = [min(math.exp(margin), _SHARE_MAX) for margin in probes["margin"]]
    ends = [1.96 * error for error in probes["standard_error"]]
    return go.Scatter(
        x=probes["value"].to_list(), y=shares, mode="markers", name=name,
        hovertext=probes["why"].to_list(), marker={"size": 8, "color": colour},
        error_y={
            "array": [y * math.expm1(end) for y, end in zip(shares, ends, strict=True)],
            "arrayminus": [-y * math.expm1(-end) for y, end in zip(shares, ends, strict=True)],
            "thickness": 1, "width": 3,
        },
    )  # fmt: skip


def _table(probes: pl.DataFrame) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in probes.columns)
    rows = ("".join(f"<td>{_cell(value)}</td>" for value in row) for row in probes.iter_rows())
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.5g}" if isinstance(value, float) else str(value))
