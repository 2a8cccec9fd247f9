"""A result in a notebook: the table of the report as HTML, and its charts as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thinktime._core import InputError
from thinktime.present import units
from thinktime.present.page import Headline, templates
from thinktime.present.picture import Picture
from thinktime.report import results
from thinktime.report.case import Case, cases
from thinktime.report.findings import headline_of
from thinktime.results.verdict import verdict_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from thinktime import Result
    from thinktime.present.chart import Chart

_SMALL_WIDTH, _SMALL_HEIGHT = 560, 240


def html(result: Result) -> str:
    """Its verdict on objectives, its doubts, its row of the report's table, and its tail.

    It has no script and fetches nothing; names of workloads, with any content, are text.
    """
    found = cases([result])
    table = results.table(results.rows(found)).without_empty()
    judged, said = verdict_of(result), headline_of(found)
    if judged.status != "done":
        besides = [units.sentence(judged.besides)] if judged.besides else []
        doubts = [one for one in said.doubts if one != units.sentence(judged.doubt)]
        shown = [*besides, said.sentence, *doubts]
        said = Headline(units.sentence(judged.reason), (), shown, judged.status)
    from thinktime.report.charts.tail import CHART

    template = templates().get_template("notebook.html.jinja")
    return template.render(headline=said, table=table, tail=_small(CHART, found))


def _small(chart: Chart[Sequence[Case]], found: Sequence[Case]) -> Markup:
    """A chart in little room; nothing without data."""
    from markupsafe import Markup

    drawing = chart.draw(found)
    if drawing is None:
        return Markup()
    low = [replace(one, figure=replace(one.figure, height=_SMALL_HEIGHT)) for one in drawing.panels]
    return Markup(Picture(chart.title, replace(drawing, panels=low)).svg(_SMALL_WIDTH))


def picture(result: Result, name: str) -> Picture:
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
    return Picture(chart.title, drawing)


def _drawn(charts: Sequence[Chart[Sequence[Case]]], found: Sequence[Case]) -> str:
    """The names of the charts that have data."""
    names = [f"`{one.name}`" for one in charts if one.draw(found) is not None]
    return ", ".join(names) or "none"
