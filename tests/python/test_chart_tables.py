"""The tables behind charts: the same figures, thinned without losing an extreme, as plain text."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go

from thinktime.present import axes
from thinktime.present.chart import Drawing, Panel, escape, layout, titled
from thinktime.present.chart_table import CURVES_MAX, POINTS_MAX, table_of
from thinktime.present.page import Page, Section, Verdict, render

EVIL = '<img src=x onerror="alert(1)"> %{x} &amp;'


def figure(x: list[float], y: list[float], kind: str, name: str = "curve") -> go.Figure:
    made = go.Figure([go.Scatter(x=x, y=y, name=escape(name))])
    made.update_layout(layout(100))
    made.update_xaxes(axes.linear(0, max(x), "number") | {"title": {"text": "offered"}})
    low, high = min(y), max(y)
    made.update_yaxes(axes.log(low, high, kind) if low > 0 else axes.linear(low, high, kind))
    return titled(made, EVIL)


def test_all_points_of_a_short_curve_are_there_in_the_units_of_their_axes() -> None:
    table = table_of(figure([1, 2.5, 300], [0.001, 0.02, 1.5], "time", EVIL), "a chart")
    assert table is not None
    (group,) = table.groups
    assert (table.first, *table.headings, group.title) == ("offered", EVIL, EVIL)
    shown = [(line.name, re.sub(r"\s", " ", line.cells[0].text)) for line in group.lines]
    assert shown == [("1", "1.00 ms"), ("2.5", "20.0 ms"), ("300", "1.50 s")]


def test_a_long_curve_keeps_its_extremes() -> None:
    random = np.random.default_rng(3)
    y = random.normal(size=5000)
    y[1234], y[4321] = 77.0, -88.0
    table = table_of(figure(list(range(5000)), y.tolist(), "number"), "a chart")
    assert table is not None
    (group,) = table.groups
    assert 10 < len(group.lines) <= POINTS_MAX
    shown = [float(line.cells[0].text.replace("\u2212", "-")) for line in group.lines]
    assert (max(shown), min(shown)) == (77.0, -88.0)


def test_gaps_and_pictures_without_curves_are_no_table() -> None:
    assert table_of(go.Figure(), "nothing") is None
    assert table_of(go.Figure([go.Scatter(x=[1, 2], y=[None, float("nan")])]), "gaps") is None
    assert table_of(go.Figure([go.Heatmap(z=[[1, 2]])]), "heat") is None


def test_curves_without_room_are_named() -> None:
    made = go.Figure([go.Scatter(x=[1, 2], y=[3, 4], name=escape(f"<b>{n}")) for n in range(14)])
    made.update_layout(layout(100))
    table = table_of(titled(made, "value"), "a chart")
    assert table is not None
    assert len(table.groups) == CURVES_MAX
    assert table.note == ("The chart has 2 more curves; their figures are not here: <b>12, <b>13.")
    text = render(
        Page("t", Verdict("v"), [], [Section("s", "S", "c", Drawing([Panel(made, "1.")]))])
    )
    assert "their figures are not here: &lt;b&gt;12" in text
    few = go.Figure(list(made.data[:CURVES_MAX]))
    few.update_layout(layout(100))
    whole = table_of(titled(few, "value"), "a chart")
    assert whole is not None
    assert whole.note == ""


def test_a_title_in_two_lines_is_one_in_the_table() -> None:
    made = figure([1, 2], [3, 4], "number")
    made.update_xaxes(title_text="population.buyers.<br>arrivals.clients")
    table = table_of(made, "a chart")
    assert table is not None
    assert table.first == "population.buyers.arrivals.clients"
