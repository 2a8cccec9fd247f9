"""The charts of a sweep: a figure along the first key, a curve a value of the others."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.present import columns, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import DASHES, INK
from thinktime.sweeps import percentiles
from thinktime.sweeps.curve_figure import figure_of, row_in_doubt
from thinktime.sweeps.curves import Curve, SweepCurves

_POPULATIONS_MAX = 6
_HEIGHT, _PANEL_HEIGHT = 420, 300

_PANELS = (
    ("response_mean_s", "Mean response time", "response time", "time"),
    ("response_p99_s", "99th percentile", "response time", "time"),
    ("page_response_mean_s", "Mean page response time", "page response time", "time"),
    ("throughput", "Throughput", "completed requests a second", "number"),
    ("load", "Load", "load of the busiest station", "number"),
    ("errors", "Errors", "failed requests", "number"),
)
"""A figure, the title of its panel, the label of its axis, and the unit."""

_ANSWER_PANEL = _PANELS[1]

IN_DOUBT = "a cross: not to be trusted, or a tenth or more failed"
"""Requests that fail are in no response time, so that a server that collapses may look quick."""


def _draw_answer(swept: SweepCurves) -> Drawing | None:
    """One large panel of p99, or of the mean if no point bounds p99."""
    for name, title, y_title, kind in (_ANSWER_PANEL, _PANELS[0]):
        column = _column(swept, name)
        if column is not None:
            panel = _panel(swept, column, title, y_title, kind, _HEIGHT)
            keys = _keys(swept, exact=name == "response_mean_s")
            return Drawing([panel], keys, note=_note(panel))
    return None


def _note(panel: Panel) -> str:
    """What bands and bars mean, if the picture has them."""
    known = any(one.low is not None for one in panel.figure.series)
    return "Bands and bars are 95 % confidence intervals." if known else ""


def _draw(swept: SweepCurves) -> Drawing | None:
    known = [one for one in (*_PANELS, *_of_populations(swept)) if one != _ANSWER_PANEL]
    shown = [(_column(swept, name), title, y, kind) for name, title, y, kind in known]
    panels = [
        _panel(swept, one, title, y_title, kind, _PANEL_HEIGHT)
        for one, title, y_title, kind in shown
        if one is not None
    ]
    return Drawing(panels, _keys(swept, exact=True)) if panels else None


def _keys(swept: SweepCurves, *, exact: bool) -> list[Key]:
    several = len(swept.curves) > 1
    keys = [Key(c.name, c.colour, group=f"curve {c.place}") for c in swept.drawn] if several else []
    if not several:
        keys.append(Key(swept.kind, swept.curves[0].colour, mark="dot"))
    if any(row_in_doubt(row) for curve in swept.drawn for row in curve.rows):
        keys.append(Key(IN_DOUBT, mark="cross"))
    if exact and swept.across.numbers is not None and _has_exact(swept.drawn):
        keys.append(Key("exact", INK, DASHES["exact"]))
    return keys


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


def _panel(
    swept: SweepCurves, column: str, title: str, y_title: str, kind: str, height: int
) -> Panel:
    figure = figure_of(swept, column, y_title, kind, height)
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


def _has_exact(curves: Sequence[Curve]) -> bool:
    rows = (row for curve in curves for row in curve.rows)
    return any(row.get("exact_response_mean_s") is not None for row in rows)


_ANSWER: Chart[SweepCurves] = Chart(
    name="answer",
    title="The slowest hundredth, on one scale",
    caption="One request in a hundred takes this long or longer.",
    draw=_draw_answer,
)

_FIGURES: Chart[SweepCurves] = Chart(
    name="figures",
    title="Changes, and their sizes",
    caption="Bars are 95 % confidence intervals.",
    draw=_draw,
)

CHARTS: list[Chart[SweepCurves]] = [_ANSWER, percentiles.CHART, _FIGURES]
"""Charts in the order of the page."""
