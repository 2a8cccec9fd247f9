"""The distribution of the response time by request name: a panel a name, a curve a result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import polars as pl

from thinktime.report import units
from thinktime.report.case import Case, Entry
from thinktime.report.charts import axes
from thinktime.report.charts.chart import (
    Chart,
    Drawing,
    Panel,
    case_keys,
    escape,
    kind_keys,
    layout,
    line,
    titled,
)
from thinktime.theory.law import FloatArray

_PANELS_MAX = 9
_PANEL_HEIGHT = 260
_POINTS = 200  # of a curve
_FEW = 20  # responses below this make no curve

Curve = tuple[Case, Entry, str, FloatArray]
"""The response times of one name in seconds, rising."""


def _draw(cases: Sequence[Case]) -> Drawing | None:
    curves = [curve for case in cases for entry in case.entries for curve in _curves(case, entry)]
    names = list(dict.fromkeys(name for _, _, name, _ in curves))[:_PANELS_MAX]
    if len(names) < 2:
        return None
    panels = [_panel(name, [curve for curve in curves if curve[2] == name]) for name in names]
    drawn = {case.place: case for case, *_ in curves}
    kinds = kind_keys((entry.kind, entry.note) for _, entry, *_ in curves)
    return Drawing(panels, [*case_keys(drawn.values()), *kinds])


def _panel(name: str, curves: Sequence[Curve]) -> Panel:
    figure = go.Figure([_trace(*curve) for curve in curves])
    figure.update_layout(layout(_PANEL_HEIGHT, xaxis=_time_axis(curves)))
    figure.update_yaxes(axes.linear(0, 1.02, "share"))
    titled(figure, "share that take no longer")
    told = "; ".join(_words(*curve) for curve in curves)
    return Panel(figure, f"Response times of {name}. {told}.", name)


def _words(case: Case, entry: Entry, name: str, times: FloatArray) -> str:
    p50, p95 = (units.seconds(float(np.quantile(times, p))) for p in (0.5, 0.95))
    note = f", {entry.note}" if entry.note else ""
    return f"{case.label}, {entry.kind}{note}: median {p50}, p95 {p95}"


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
        line={**line(case, entry.kind, entry.note), "shape": "hv"}, legendgroup=str(case.place),
        hovertemplate="%{y:.0%} take at most %{x:.3s}s<extra>" + escape(words) + "</extra>",
    )  # fmt: skip


def _time_axis(curves: Sequence[Curve]) -> dict[str, object]:
    """From where the first per cent is answered to where nearly all are."""
    least = min(float(np.quantile(times, 0.01)) for *_, times in curves)
    most = max(float(np.quantile(times, 0.999)) for *_, times in curves)
    return axes.log(max(least, 1e-9), max(most, 1e-9), "time", "response time t")


CHART = Chart(
    name="by_name",
    title="How long each kind of request takes",
    caption="Each panel has one request name and its own scale of time: the further left a curve "
    "rises, the sooner most requests of that name are answered.",
    draw=_draw,
    needed=False,
)
