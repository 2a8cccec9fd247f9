"""The tables behind charts: the same figures, thinned without losing an extreme, as plain text."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from thinktime.present import axes, forest
from thinktime.present.chart import Drawing, Panel
from thinktime.present.chart_table import CURVES_MAX, POINTS_MAX, table_of
from thinktime.present.figure import Figure, Series
from thinktime.present.forest import Interval
from thinktime.present.page import Headline, Page, Section, render

EVIL = '<img src=x onerror="alert(1)"> %{x} &amp;'


def figure(x: list[float], y: list[float], kind: str, name: str = "curve") -> Figure:
    low, high = min(y), max(y)
    up = axes.log(low, high, kind, EVIL) if low > 0 else axes.linear(low, high, kind, EVIL)
    return Figure(
        axes.linear(0, max(x), "number", "offered"), up, 100, [Series("line", x, y, name)]
    )


def test_all_points_of_a_short_curve_are_there_in_the_units_of_their_axes() -> None:
    table = table_of(figure([1, 2.5, 300], [0.001, 0.02, 1.5], "time", EVIL), "a chart")
    assert table is not None
    (group,) = table.groups
    assert (table.first, *table.headings, group.title) == ("offered", EVIL, EVIL)
    shown = [(line.name, re.sub(r"\s", " ", line.cells[0].text)) for line in group.lines]
    assert shown == [("1", "1.00 ms"), ("2.5", "20.0 ms"), ("300", "1.50 s")]


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("time", 0.00047, "470 µs"), ("size", 47_000.0, "47.0 kB"), ("share", 0.0123, "1.23 %"),
        ("ratio", 1.25, "1.25 ×"), ("number", 12_360.0, "12,360"),
    ],
)  # fmt: skip
def test_values_have_the_unit_of_their_axis(kind: str, value: float, words: str) -> None:
    assert axes.linear(0, 1, kind).text(value) == words


def test_an_interval_stands_behind_its_value() -> None:
    axis = axes.linear(0, 1, "time")
    one = Series("line", [0.5], [0.2], "p99", low=[0.1], high=[float("nan")])
    table = table_of(Figure(axis, axis, 100, [one]), "a chart")
    assert table is not None
    assert table.groups[0].lines[0].cells[0].text == "200 ms (100 ms to —)"


@pytest.mark.parametrize("is_downward", [True, False])
def test_rows_with_names_are_a_table_with_a_column_a_series(is_downward: bool) -> None:
    """What only draws the same once more has no name, and no column."""
    names = axes.categories(["one", "two", "three"])
    up = axes.downward(names) if is_downward else names
    bars = Series("points", [0.1, 0.2], [0, 2], "", low=[0.1, 0.2], high=[0.4, 0.9])
    means = Series("points", [0.1, 0.2], [0, 2], "mean", marks="dot")
    latest = Series("points", [0.9, 0.4], [2, 0], "p99", marks="dot")
    arrow = Series("points", [], [], "beyond", marks=[])
    made = Figure(axes.linear(0, 1, "time", "t"), up, 100, [bars, means, latest, arrow])
    table = table_of(made, "a chart")
    assert table is not None
    assert tuple(table.headings) == ("mean", "p99")
    (group,) = table.groups
    shown = [(line.name, *(re.sub(r"\s", " ", one.text) for one in line.cells))
             for line in group.lines]  # fmt: skip
    expected = [("one", "100 ms", "400 ms"), ("three", "200 ms", "900 ms")]
    assert shown == (expected if is_downward else expected[::-1])


def test_an_interval_beyond_the_picture_is_said_whole() -> None:
    axis = axes.linear(0, 2, "ratio", "ratio")
    rows = [Interval("a", 1.5, 0.25, 12.0, "a", "red"), Interval("b", 1.0, 0.5, math.inf, "b", "")]
    table = table_of(forest.figure_of(rows, axis, []), "a chart")
    assert table is not None
    shown = [line.cells[0].text for line in table.lines]
    assert shown == ["1.5 × (0.25 × to 12 ×)", "1 × (0.5 × to —)"]


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
    axis = axes.linear(0, 1, "number")
    assert table_of(Figure(axis, axis, 100), "nothing") is None
    gaps = Series("line", [1, 2], [float("nan")] * 2)
    assert table_of(Figure(axis, axis, 100, [gaps]), "gaps") is None


def test_curves_without_room_are_named() -> None:
    axis = axes.linear(0, 4, "number", "value")
    series = [Series("line", [1, 2], [3, 4], f"<b>{n}") for n in range(14)]
    made = Figure(axis, axis, 100, series)
    table = table_of(made, "a chart")
    assert table is not None
    assert len(table.groups) == CURVES_MAX
    assert table.note == ("The chart has 2 more curves; their figures are not here: <b>12, <b>13.")
    text = render(
        Page("t", Headline("v"), [], [Section("s", "S", "c", Drawing([Panel(made, "1.")]))])
    )
    assert "their figures are not here: &lt;b&gt;12" in text
    whole = table_of(Figure(axis, axis, 100, series[:CURVES_MAX]), "a chart")
    assert whole is not None
    assert whole.note == ""


def test_a_title_in_two_lines_is_one_in_the_table() -> None:
    across = axes.linear(0, 2, "number", "population.buyers.\narrivals.clients")
    made = Figure(across, across, 100, [Series("line", [1, 2], [1, 2])])
    table = table_of(made, "a chart")
    assert table is not None
    assert table.first == "population.buyers.arrivals.clients"
