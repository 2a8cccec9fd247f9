"""The tail of the response time: P(T > t), both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from thinktime.report import units
from thinktime.report.case import Case, Kind, Note
from thinktime.report.charts.chart import (
    Chart,
    colour,
    escape,
    kind_keys,
    layout,
    legend_key,
    line,
    thin,
)
from thinktime.theory.law import FloatArray

_SMALLEST_SHARE = 1e-6  # how far an exact curve goes where no result says
_EXACT_POINTS = 240
_ROUNDING = 1e-12  # what is left of a sum of shares that should be 1

Curve = tuple[Case, Kind, Note, FloatArray, FloatArray]


def _figure(cases: Sequence[Case]) -> go.Figure | None:
    curves = [curve for case in cases for curve in _empirical(case)]
    if not curves:
        return None
    least = max(_SMALLEST_SHARE, min(float(share.min()) for *_, share in curves))
    curves += [curve for case in cases for curve in _exact(case, least)]
    figure = go.Figure()
    for case in cases:
        key = {"color": colour(case), "width": 3}
        figure.add_trace(legend_key(escape(case.label), line=key, legendgroup=str(case.place)))
    used = {(kind, note if note == "long" else "") for _, kind, note, *_ in curves}
    order: list[tuple[Kind, Note]] = [
        ("measured", ""), ("simulated", ""), ("simulated", "long"), ("exact", ""),
    ]  # fmt: skip
    figure.add_traces(kind_keys([key for key in order if key in used]))
    for curve in curves:
        figure.add_trace(_trace(*curve))
    return figure.update_layout(
        layout(460, xaxis=_time_axis(curves), yaxis=_share_axis(least), hovermode="closest")
    )


def _empirical(case: Case) -> list[Curve]:
    curves: list[Curve] = []
    for entry in case.entries:
        times, share = (np.asarray(values, dtype=float) for values in entry.result.survival())
        kept = (times > 0) & (share > _ROUNDING)
        if kept.any():
            curves.append((case, entry.kind, entry.note, *thin(times[kept], share[kept])))
    return curves


def _exact(case: Case, least: float) -> list[Curve]:
    law = None if case.theory is None else case.theory.law
    if law is None:
        return []
    times = np.geomspace(law.percentile(0.005), law.percentile(1 - least), _EXACT_POINTS)
    if not times[0] > 0:
        return []
    return [(case, "exact", "", times, np.maximum(law.sf(times), least))]


def _trace(case: Case, kind: Kind, note: Note, times: FloatArray, share: FloatArray) -> go.Scatter:
    words = f"{case.label}: {kind}, {note}" if note else f"{case.label}: {kind}"
    return go.Scatter(
        x=times,
        y=share,
        mode="lines",
        name=escape(words),
        line=line(case, kind, note),
        legendgroup=str(case.place),
        showlegend=False,
        hovertemplate="%{y:.3~p} take longer than %{x:.3s}s<extra>" + escape(words) + "</extra>",
    )


def _time_axis(curves: Sequence[Curve]) -> dict[str, object]:
    """From where the first curve leaves 98 % to the end of the last one."""
    starts = [float(times[max(0, int((share > 0.98).sum()) - 1)]) for *_, times, share in curves]
    first, last = math.log10(min(starts)), math.log10(max(float(c[3].max()) for c in curves))
    margin = 0.03 * (last - first) + 0.01
    ticks = [10.0**exponent for exponent in range(math.floor(first), math.ceil(last) + 1)]
    return {
        "type": "log",
        "title": {"text": "response time t"},
        "range": [first - margin, last + margin],
        "tickvals": ticks,
        "ticktext": [units.seconds(tick, 1) for tick in ticks],
    }


def _share_axis(least: float) -> dict[str, object]:
    percentiles = {0.5: "p50", 0.1: "p90", 0.01: "p99", 1e-3: "p99.9", 1e-4: "p99.99"}
    ticks = [1.0, 0.5] + [10.0**-n for n in range(1, 7)]
    names = {tick: percentiles.get(round(tick, 7), "") for tick in ticks}
    return {
        "type": "log",
        "title": {"text": "share of requests that take longer than t"},
        "range": [math.log10(least) - 0.05, 0.05],
        "tickvals": ticks,
        "ticktext": [f"{names[tick]}  {100 * tick:.4g} %".strip() for tick in ticks],
        "automargin": True,
    }


CHART = Chart(
    name="survival",
    title="How long the slowest wait",
    caption="Read across at p99: the further right a curve crosses it, the longer the slowest "
    "1 % wait; where solid, dashed and dotted lines of one colour coincide, measurement, "
    "simulation and theory agree.",
    figure=_figure,
)
