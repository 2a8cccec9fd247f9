"""The distribution of the response time by request name: a panel a name, a curve a result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from thinktime.report import units
from thinktime.report.case import Case, Entry, Kind, Note
from thinktime.report.charts.chart import (
    Chart,
    colour,
    escape,
    kind_keys,
    layout,
    legend_key,
    line,
)
from thinktime.theory.law import FloatArray

_PANELS_MAX = 9
_COLUMNS = 3
_PANEL_HEIGHT = 210
_GAP = 74  # between rows of panels: ticks, and the next ones' titles
_POINTS = 200  # of a curve
_FEW = 20  # responses below this make no curve

Curve = tuple[Case, Entry, str, FloatArray]
"""The response times of one name in seconds, rising."""


def _figure(cases: Sequence[Case]) -> go.Figure | None:
    curves = [curve for case in cases for entry in case.entries for curve in _curves(case, entry)]
    names = list(dict.fromkeys(name for _, _, name, _ in curves))[:_PANELS_MAX]
    if len(names) < 2:
        return None
    columns = min(_COLUMNS, len(names))
    rows = -(-len(names) // columns)
    inner = _PANEL_HEIGHT * rows + _GAP * (rows - 1)
    figure = make_subplots(
        rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.04,
        vertical_spacing=_GAP / inner if rows > 1 else 0,
        subplot_titles=[f"<b>{escape(name)}</b>" for name in names],
    )  # fmt: skip
    for place, name in enumerate(names):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        drawn = [curve for curve in curves if curve[2] == name]
        for curve in drawn:
            figure.add_trace(_trace(*curve), **where)
        figure.update_xaxes(**_time_axis(drawn), **where)
    figure.add_traces(_keys(curves))
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", nticks=6)
    figure.update_yaxes(title_text="share that take no longer", row=1, col=1)
    figure.update_annotations(font_size=12)
    return figure.update_layout(layout(inner + 140, margin={"l": 64, "r": 12, "t": 92, "b": 48}))


def _curves(case: Case, entry: Entry) -> list[Curve]:
    table = entry.result.requests
    if table is None or len(entry.result.workload.request_names) < 2:
        return []
    times = _times(pl.DataFrame(table), float(entry.result.summary.get("warmup_s") or 0.0))
    found = []
    for name in entry.result.workload.request_names:
        one = times.filter(pl.col("name") == name)["time_s"].sort().to_numpy()
        if len(one) >= _FEW:
            found.append((case, entry, name, one.astype(float)))
    return found


def _times(rows: pl.DataFrame, warmup_s: float) -> pl.DataFrame:
    """Name and response time of each counted request, from its first attempt to its success."""
    key = ["replication", "session", "request"]
    rows = rows.with_columns(pl.col("name").cast(pl.String))
    begun = rows.filter(pl.col("attempt") == 1).select(*key, first_ns="scheduled_ns")
    done = rows.filter(pl.col("error").is_null() & pl.col("done_ns").is_not_null())
    joined = done.join(begun, on=key).filter(pl.col("first_ns") >= round(warmup_s * 1e9))
    return joined.select("name", time_s=(pl.col("done_ns") - pl.col("first_ns")) / 1e9)


def _trace(case: Case, entry: Entry, name: str, times: FloatArray) -> go.Scatter:
    shares = np.linspace(0, 1, min(_POINTS, len(times)))
    places = np.ceil(shares * len(times)).astype(int).clip(1) - 1
    words = f"{case.label}: {entry.kind}"
    return go.Scatter(
        x=np.maximum(times[places], 1e-9), y=shares, mode="lines", name=escape(words),
        line={**line(case, entry.kind, entry.note), "shape": "hv"}, showlegend=False,
        hovertemplate="%{y:.0%} take at most %{x:.3s}s<extra>" + escape(words) + "</extra>",
    )  # fmt: skip


def _time_axis(curves: Sequence[Curve]) -> dict[str, object]:
    """Logarithmic, over at least a factor of four, with one to four labelled times."""
    least = min(float(np.quantile(times, 0.01)) for *_, times in curves)
    most = max(float(np.quantile(times, 0.999)) for *_, times in curves)
    first, last = math.log10(max(least, 1e-9)), math.log10(max(most, 1e-9))
    room = max(0.03 * (last - first), (0.6 - (last - first)) / 2)
    first, last = first - room, last + room
    step = max(1, math.ceil((last - first) / 4))
    powers = range(math.ceil(first), math.floor(last) + 1, step)
    ticks = [10.0**power for power in powers]
    if len(ticks) < 2:
        ticks = [float(f"{10 ** (first + share * (last - first)):.0e}") for share in (0.2, 0.8)]
    return {
        "type": "log",
        "range": [first, last],
        "tickvals": ticks,
        "ticktext": [units.seconds(tick, 1) for tick in ticks],
        "title": {"text": "response time t"},
    }


def _keys(curves: Sequence[Curve]) -> list[go.Scatter]:
    """The cases by colour, and what the line styles mean."""
    cases = {case.place: case for case, *_ in curves}
    keys = [
        legend_key(escape(case.label), line={"color": colour(case), "width": 3})
        for case in cases.values()
    ]
    used = {(entry.kind, entry.note if entry.note == "long" else "") for _, entry, *_ in curves}
    order: list[tuple[Kind, Note]] = [("measured", ""), ("simulated", ""), ("simulated", "long")]
    return [*keys, *kind_keys([key for key in order if key in used])]


CHART = Chart(
    name="by_name",
    title="How long each kind of request takes",
    caption="Each panel has one request name and its own scale of time: the further left a curve "
    "rises, the sooner most requests of that name are answered.",
    figure=_figure,
    needed=False,
)
