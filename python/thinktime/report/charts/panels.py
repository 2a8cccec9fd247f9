"""Charts over time: a panel a case, one below the other, with the same axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from thinktime.report.case import Case, Entry
from thinktime.report.charts.chart import escape, layout
from thinktime.theory.law import FloatArray

_PANEL_HEIGHT = 118
_FRAME_HEIGHT = 124  # legend, labels and margins


def shown(case: Case) -> list[Entry]:
    """The results to draw over time: without long simulations, unless there is nothing else."""
    return [entry for entry in case.entries if entry.note != "long"] or list(case.entries)


def span_s(cases: Sequence[Case]) -> float:
    """How much time to draw: as long as was measured, or else as was simulated."""
    entries = [entry for case in cases for entry in shown(case)]
    measured = [entry for entry in entries if entry.kind == "measured"]
    return max((end_s(entry) for entry in measured or entries), default=0.0)


def end_s(entry: Entry) -> float:
    """When the last request was begun, from the start of the run."""
    summary = entry.result.summary
    return float((summary.get("warmup_s") or 0.0) + (summary.get("duration_s") or 0.0))


def series(entry: Entry, until_s: float) -> pl.DataFrame | None:
    """The result's series over all request names, whole intervals only, up to a time."""
    if entry.result.series is None:
        return None
    table = pl.DataFrame(entry.result.series)
    whole = pl.col("start_s") + pl.col("interval_s") <= min(until_s, end_s(entry)) + 1e-9
    columns = ["scheduled", "completed", "in_system"]
    columns = [column for column in columns if column in table.columns]
    by_time = table.filter(whole).group_by("start_s", "interval_s", maintain_order=True)
    summed = by_time.agg(pl.col(column).sum() for column in columns).sort("start_s")
    return summed if summed.height > 0 else None


def steps(x: FloatArray, y: FloatArray, name: str, line: dict[str, Any], **more: Any) -> go.Scatter:
    """A curve that stays until it changes."""
    style = {**line, "shape": "hv"}
    hover = "%{y:.3~g} at %{x:.3~f} s<extra>" + escape(name) + "</extra>"
    return go.Scatter(
        x=x, y=y, mode="lines", name=escape(name), line=style, showlegend=False,
        hovertemplate=hover, **more,
    )  # fmt: skip


def figure(
    panels: Sequence[tuple[Case, Sequence[go.Scatter]]],
    keys: Iterable[go.Scatter],
    y_title: str,
    until_s: float,
) -> go.Figure:
    """The panels as one figure; ``keys`` make up its legend."""
    n = len(panels)
    height = _FRAME_HEIGHT + _PANEL_HEIGHT * n
    gap = 26 / (height - _FRAME_HEIGHT)
    made = make_subplots(rows=n, cols=1, shared_xaxes=True, vertical_spacing=gap if n > 1 else 0)
    for row, (case, traces) in enumerate(panels, start=1):
        for trace in traces:
            made.add_trace(trace, row=row, col=1)
        made.add_annotation(
            text=f"<b>{escape(case.label)}</b>", x=0, xref="paper", xanchor="left",
            y=1, yref="y domain" if row == 1 else f"y{row} domain", yanchor="bottom",
            showarrow=False,
        )  # fmt: skip
    made.add_traces(list(keys))
    made.update_layout(layout(height))
    made.update_layout(legend2_y=1.0)  # there is no other legend
    highest = max(max(trace.y, default=0.0) for _, traces in panels for trace in traces)
    made.update_yaxes(range=[0, 1.05 * highest or 1.0], nticks=4)
    made.update_xaxes(range=[0, until_s])
    made.update_xaxes(title_text="time since the start of the run (s)", row=n, col=1)
    middle = (n + 1) // 2
    made.update_yaxes(title_text=y_title, row=middle, col=1)
    return made
