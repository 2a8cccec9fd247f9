"""The tail of the response time: P(T > t), both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Panel, escape, layout, thin, titled
from thinktime.present.percentile import backed
from thinktime.report.case import Case, Kind, Note
from thinktime.report.charts.style import case_keys, kind_keys, line
from thinktime.results.independent import worth
from thinktime.theory.law import FloatArray

_SMALLEST_SHARE = 1e-6  # the reach of an exact curve without a result beside it
_EXACT_POINTS = 240
_ROUNDING = 1e-12  # the rounding rest of a sum of shares that should be 1
_NAMES = {0.5: "p50", 0.1: "p90", 0.01: "p99", 1e-3: "p99.9", 1e-4: "p99.99"}

Curve = tuple[Case, Kind, Note, FloatArray, FloatArray]


def _draw(cases: Sequence[Case]) -> Drawing | None:
    curves = [curve for case in cases for curve in _empirical(case)]
    if not curves:
        return None
    least = max(_SMALLEST_SHARE, min(float(share.min()) for *_, share in curves))
    curves += [curve for case in cases for curve in _exact(case, least)]
    figure = go.Figure([_trace(*curve) for curve in curves])
    figure.update_layout(layout(440, xaxis=_time_axis(curves), yaxis=_share_axis(least)))
    titled(figure, "share that takes longer than t")
    keys = [*case_keys(cases), *kind_keys((kind, note) for _, kind, note, *_ in curves)]
    return Drawing([Panel(figure, _words(curves))], keys)


def _words(curves: Sequence[Curve]) -> str:
    """The values of each curve at p50 and p99."""
    parts = []
    for case, kind, note, times, share in curves:
        named = f"{case.label}, {kind}{', long' if note == 'long' else ''}"
        known = [
            p
            for p in (0.5, 0.01)
            if float(share.min()) <= p <= float(share.max())
            and (kind == "exact" or backed(_NAMES[p], _many(case, kind, note, share)))
        ]
        phrases = [f"{_NAMES[p]} {units.seconds(_crossing(times, share, p))}" for p in known]
        parts.append(f"{named}: {', '.join(phrases)}" if phrases else named)
    return f"Response times that a share of requests exceeds. {'; '.join(parts)}."


def _many(case: Case, kind: Kind, note: Note, share: FloatArray) -> float:
    """The independent requests behind a curve; before a run ends, its least share has all."""
    entry = case.find(kind, note)
    if entry is None or not (summary := entry.result.summary).get("requests"):
        return 1 / float(share.min())
    return worth(summary, summary["requests"] - (summary.get("errors") or 0))


def _crossing(times: FloatArray, share: FloatArray, level: float) -> float:
    """The first time that no more than this share of requests exceed."""
    return float(times[np.argmax(share <= level)])


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
        hovertemplate="%{y:.3~p} take longer than %{x:.3s}s<extra>" + escape(words) + "</extra>",
    )


def _time_axis(curves: Sequence[Curve]) -> dict[str, object]:
    """From the point where the first curve leaves 98 % to the end of the last one."""
    starts = [float(times[max(0, int((share > 0.98).sum()) - 1)]) for *_, times, share in curves]
    last = max(float(times.max()) for *_, times, _ in curves)
    return axes.log(min(starts), last, "time", "response time t")


def _share_axis(least: float) -> dict[str, object]:
    ticks = [1.0, 0.5] + [10.0**-n for n in range(1, 7)]
    names = {tick: _NAMES.get(round(tick, 7), "") for tick in ticks}
    return {
        "type": "log",
        "range": [math.log10(least) - 0.05, 0.05],
        "tickvals": ticks,
        "ticktext": [f"{names[tick]}  {100 * tick:.4g} %".strip() for tick in ticks],
        "automargin": True,
    }


CHART = Chart(
    name="tail",
    title="How long the slowest wait",
    caption="Read across at p99: the further right a curve crosses it, the longer the slowest 1 % "
    "wait; if solid, dashed and dotted lines of one colour coincide, measurement, simulation and "
    "theory agree.",
    draw=_draw,
)
