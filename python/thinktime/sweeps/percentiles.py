"""Percentiles against the offered load, with the knee marked: a panel a curve of the sweep."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from thinktime.present import axes, columns, units
from thinktime.present.chart import INK, Chart, Drawing, Key, Panel, escape, layout, titled
from thinktime.present.page import colour
from thinktime.sweeps.curves import Curve, Row, SweepCurves
from thinktime.sweeps.knee import KNEE, knee_of, loaded

_HEIGHT = 300
_SHOWN = ("p50", "p90", "p99", "p99.9")


def _draw(swept: SweepCurves) -> Drawing | None:
    found = [(curve, loaded(curve.rows)) for curve in swept.drawn]
    drawn = [(curve, rows) for curve, rows in found if rows]
    if not drawn:
        return None
    lines = [line for _, rows in drawn for line in _lines(rows)]
    values = [time for _, points in lines for _, time in points]
    if not values:
        return None
    rate = max(row["offered_rate"] for _, rows in drawn for row in rows)
    panels = [_panel(swept, curve, rows, values, rate) for curve, rows in drawn]
    shown = [name for name in _SHOWN if any(name == one for one, _ in lines)]
    keys = [Key(name, colour(_SHOWN.index(name)), group=name) for name in shown]
    marked = any(knee_of(curve.rows) is not None for curve, _ in drawn)
    return Drawing(panels, [*keys, *([Key("knee", dash="2px,3px")] if marked else [])])


_Points = list[tuple[float, float]]


def _lines(rows: Sequence[Row]) -> list[tuple[str, _Points]]:
    """Offered rates and times by percentile, from the points that have it backed."""
    found = []
    for name in _SHOWN:
        points = [
            (float(row["offered_rate"]), float(time))
            for row in rows
            if (time := columns.figure_in_row(row, f"response_{name}_s"))
        ]
        found += [(name, points)] if points else []
    return found


def _panel(
    swept: SweepCurves, curve: Curve, rows: Sequence[Row], values: Sequence[float], rate: float
) -> Panel:
    figure = go.Figure()
    for name, points in _lines(rows):
        figure.add_trace(
            go.Scatter(
                x=[x for x, _ in points], y=[y for _, y in points], name=name, legendgroup=name,
                mode="lines+markers", marker={"size": 5},
                line={"color": colour(_SHOWN.index(name)), "width": 1.8},
                customdata=[units.seconds(y) for _, y in points],
                hovertemplate="%{customdata} at %{x:.4~g}/s<extra>" + name + "</extra>",
            )
        )  # fmt: skip
    figure.update_layout(layout(_HEIGHT))
    title = {"text": "offered requests a second"}
    figure.update_xaxes(axes.linear(0, 1.05 * rate, "number") | {"title": title})
    low, high = min(values), max(values)
    wide = axes.is_wide(values)
    scale = axes.log(low, high, "time") if wide else axes.linear(0, 1.06 * high, "time")
    figure.update_yaxes(scale)
    knee = knee_of(curve.rows)
    if knee is not None:
        figure.add_vline(
            x=knee["offered_rate"], line={"color": INK, "width": 1.4, "dash": "2px,3px"},
        )  # fmt: skip
    titled(figure, "response time")
    return Panel(figure, _words(swept, rows, knee), escape(curve.name))


def _words(swept: SweepCurves, rows: Sequence[Row], knee: Row | None) -> str:
    phrases = [
        f"at {units.rate(row['offered_rate'])} offered: "
        + ", ".join(
            f"{name} {columns.column(f'response_{name}_s').text(points[row['offered_rate']])}"
            for name, points in ((one, dict(found)) for one, found in _lines(rows))
            if row["offered_rate"] in points
        )
        for row in (rows[0], rows[-1])
    ]
    at = [] if knee is None else [f"{KNEE}, is at {units.rate(knee['offered_rate'])}"]
    return units.sentence("; ".join([*phrases, *at]))


CHART: Chart[SweepCurves] = Chart(
    name="percentiles",
    title="Percentiles against the offered load",
    caption="The dotted line is the knee, where throughput over mean response time is greatest: "
    "beyond it times grow faster than throughput.",
    draw=_draw,
    needed=False,
)
