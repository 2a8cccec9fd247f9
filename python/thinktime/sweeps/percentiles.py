"""Percentiles against the offered load, with the knee marked: a panel a curve of the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thinktime.present import axes, columns, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import SHADES, Figure, Limit, Series
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
    rates = [float(row["offered_rate"]) for _, rows in drawn for row in rows]
    panels = [_panel(swept, curve, rows, values, rates) for curve, rows in drawn]
    shown = [name for name in _SHOWN if any(name == one for one, _ in lines)]
    keys = [Key(name, SHADES[_SHOWN.index(name)], group=name) for name in shown]
    return Drawing(panels, keys)


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
    swept: SweepCurves, curve: Curve, rows: Sequence[Row], values: Sequence[float],
    rates: Sequence[float],
) -> Panel:  # fmt: skip
    series = [
        Series(
            "line", [x for x, _ in points], [y for _, y in points], name,
            SHADES[_SHOWN.index(name)], group=name, marks="dot", size=5, label=name,
            phrase="{y} at {x}/s",
        )
        for name, points in _lines(rows)
    ]  # fmt: skip
    knee = knee_of(curve.rows)
    knees = [] if knee is None else [Limit(knee["offered_rate"], "x", "knee", dash="2 3")]
    least, most = min(rates), max(rates)
    room = 0.05 * (most - least) or 0.05 * most
    first = 0.0 if least < 0.3 * most else least - room
    across = axes.linear(first, most + room, "number", "offered requests a second")
    low, high = min(values), max(values)
    wide = axes.is_wide(values)
    scale = axes.log(low, high, "time") if wide else axes.linear(0, 1.06 * high, "time")
    figure = Figure(across, replace(scale, title="response time"), _HEIGHT, series, knees)
    return Panel(figure, _words(swept, rows, knee), curve.name)


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
