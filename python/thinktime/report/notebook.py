"""A result in a notebook: the table of the report as HTML, and its charts as figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thinktime._core import InputError
from thinktime.present import units
from thinktime.present.page import Verdict, templates
from thinktime.report import results
from thinktime.report.case import Case, cases
from thinktime.report.findings import verdict
from thinktime.results.verdict import verdict_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from thinktime import Result
    from thinktime.present.chart import Chart, Panel

_TEMPLATE = "plotly_white"
_GAP_PX = 84
"""The gap between panels that lie one below the other: for a title and the ticks above it."""


def html(result: Result) -> str:
    """Its verdict on objectives, its doubts, and its row of the report's table with the exact one.

    It has no script and fetches nothing; names of workloads, with any content, are text.
    """
    found = cases([result])
    table = results.table(results.rows(found)).without_empty()
    judged, said = verdict_of(result), verdict(found)
    if judged.status != "done":
        shown = [said.headline, *said.doubts]
        said = Verdict(units.sentence(judged.sentence), (), shown, judged.status)
    template = templates().get_template("notebook.html.jinja")
    return template.render(verdict=said, table=table)


def figure(result: Result, name: str) -> go.Figure:
    """A chart of the report of this result alone; its panels lie one below the other.

    Raises:
        InputError: There is no chart of this name, or it has no data; the message lists the
            available ones.
    """
    from thinktime.report.charts import CHARTS

    found = cases([result])
    chart = next((one for one in CHARTS if one.name == name), None)
    drawing = None if chart is None else chart.draw(found)
    if chart is None or drawing is None:
        why = "there is no such chart" if chart is None else "there is nothing to draw"
        raise InputError(f"chart `{name}`: {why}; this result has {_drawn(CHARTS, found)}")
    return _one_below_the_other(chart.title, drawing.panels)


def _drawn(charts: Sequence[Chart[Sequence[Case]]], found: Sequence[Case]) -> str:
    """The names of the charts that have data."""
    names = [f"`{one.name}`" for one in charts if one.draw(found) is not None]
    return ", ".join(names) or "none"


def _one_below_the_other(title: str, panels: Sequence[Panel]) -> go.Figure:
    """The pictures as one, each with its axes from the page."""
    from plotly.subplots import make_subplots

    heights = [int(panel.figure.layout.height) for panel in panels]
    whole = sum(heights) + _GAP_PX * (len(panels) - 1)
    made = make_subplots(
        rows=len(panels), cols=1, row_heights=heights,
        vertical_spacing=0.0 if len(panels) == 1 else _GAP_PX / whole,
    )  # fmt: skip
    named: set[str] = set()
    for row, panel in enumerate(panels, 1):
        _place(made, panel, row, named)
    made.update_layout(template=_TEMPLATE, height=whole + 120, title_text=title)
    first = panels[0].figure.layout
    made.update_layout(hovermode=first.hovermode, legend={"groupclick": "toggleitem"})
    made.update_layout(barmode=first.barmode, bargap=first.bargap)
    return made


def _place(made: go.Figure, panel: Panel, row: int, named: set[str]) -> None:
    """Puts a picture into its row; a name stands in the legend once."""
    from thinktime.present.chart import escape

    layout = panel.figure.layout
    for trace in panel.figure.data:
        shown = trace.showlegend is not False and trace.name not in named
        named.add(trace.name)
        made.add_trace(trace, row=row, col=1)
        made.data[-1].showlegend = shown
    made.update_xaxes(_axis(layout.xaxis), row=row, col=1)
    made.update_yaxes(_axis(layout.yaxis), row=row, col=1)
    place = str(row) if row > 1 else ""
    for one in layout.annotations:
        made.add_annotation(_moved(one.to_plotly_json(), place))
    for one in layout.shapes:
        made.add_shape(_moved(one.to_plotly_json(), place))
    if panel.title:
        made.add_annotation(
            text=f"<b>{escape(panel.title)}</b>", showarrow=False, x=1, xanchor="right", y=1,
            yanchor="bottom", yshift=6, xref=f"x{place} domain", yref=f"y{place} domain",
        )  # fmt: skip


def _axis(axis: Any) -> dict[str, Any]:
    """An axis without its place in its original picture."""
    found: dict[str, Any] = axis.to_plotly_json()
    return {key: value for key, value in found.items() if key not in ("anchor", "domain")}


def _moved(one: dict[str, Any], place: str) -> dict[str, Any]:
    """An annotation or a shape that belongs to the axes of its row, not to the whole picture."""
    for letter in "xy":
        ref = one.get(f"{letter}ref", letter)
        one[f"{letter}ref"] = f"{letter}{place}" + (" domain" if ref != letter else "")
    return one
