"""The recorded data of charts changes with them."""

from __future__ import annotations

import numpy as np
from chart_data import POINTS, data_of, numbers

from thinktime.present import axes
from thinktime.present.chart import Drawing, Panel
from thinktime.present.figure import Cells, Figure, Limit, Series
from thinktime.present.page import Headline, Page, Section


def page(y: list[float], counts: np.ndarray) -> Page:
    series = [Series("line", list(range(len(y))), y, "curve")]
    cells = Cells(counts, (0.0, 2.0), (0.0, 2.0), "#d9622b")
    axis = axes.linear(0, 5, "number")
    figure = Figure(axis, axis, 200, series, [Limit(3.0, "x", "most")], cells)
    drawing = Drawing([Panel(figure, "1.", "a panel")])
    return Page("t", Headline("v"), [], [Section("one", "One", "c", drawing)])


def test_a_number_that_moves_is_seen() -> None:
    counts = np.array([[1.0, 0.0], [5.0, 2.0]])
    text = data_of(page([1.0, 2.0, float("nan")], counts))
    assert "## one: One" in text
    assert "    y: 1 2 -\n" in text
    assert "  limit: x 3: most\n" in text
    assert data_of(page([1.0, 2.001, float("nan")], counts)) != text
    assert data_of(page([1.0, 2.0, float("nan")], np.flipud(counts))) != text
    assert data_of(page([1.0, 2.0 + 1e-9, float("nan")], counts)) == text


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    text = numbers([float(one) for one in range(1000)])
    assert text.startswith("(1000) 0 ")
    assert text.endswith(" 999")
    assert len(text.split()) == POINTS + 1
