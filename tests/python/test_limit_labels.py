"""The labels of limits in charts stand in free places that every width has."""

from __future__ import annotations

import itertools
from typing import Any

import page_subjects
import pytest

from thinktime.capacity_search.charts import CHARTS
from thinktime.present import axes, svg_words
from thinktime.present.figure import Figure, Limit, Series
from thinktime.present.limit_labels import Label, placed

HEIGHT = 300
SCALE = axes.linear(0, 10, "number")


def labels(series: list[Series], *limits: Limit) -> list[Label]:
    figure = Figure(SCALE, SCALE, HEIGHT, series, list(limits))
    return [label for _, label in placed(figure, HEIGHT)]


def points(*pairs: tuple[float, float], **more: Any) -> Series:
    x, y = zip(*pairs, strict=True)
    return Series("points", x, y, marks="dot", **more)


@pytest.mark.parametrize("at", [0.3, 2.0, 5.0, 7.5, 9.9])
def test_a_label_of_a_line_up_lies_within_the_field_of_the_smallest_phone(at: float) -> None:
    (label,) = labels([], Limit(at, "x", "83.5 sessions/s"))
    assert 0 <= label.left < label.right <= 1
    assert at / 10 == pytest.approx(label.left if label.anchor == "start" else label.right)


@pytest.mark.parametrize(("at", "above"), [(0.2, True), (5.0, True), (9.9, False)])
def test_a_label_of_a_line_across_lies_above_it_if_there_is_room(at: float, above: bool) -> None:
    (label,) = labels([], Limit(at, "y", "allowed"))
    assert (label.anchor, label.right) == ("end", 1)
    assert (label.bottom if above else label.top) == pytest.approx(1 - at / 10)


@pytest.mark.parametrize(
    ("series", "anchor"),
    [
        (points((9.8, 5.1)), "start"),
        (points((9.6, 4.9), low=[1.0], high=[9.0]), "start"),
        (Series("line", [8.0, 9.5], [1.0, 9.0]), "start"),
        (points((0.5, 5.1), (9.8, 1.0)), "end"),
    ],
)
def test_a_label_does_not_hide_what_is_drawn(series: Series, anchor: str) -> None:
    (label,) = labels([series], Limit(5.0, "y", "allowed"))
    assert label.anchor == anchor


def test_a_label_beside_a_bar_goes_to_the_other_side() -> None:
    bar = points((4.4, 8.0), low=[7.0], high=[9.9])
    (free,), (moved,) = (labels(some, Limit(4.0, "x", "40/s")) for some in ([], [bar]))
    assert (free.anchor, moved.anchor) == ("start", "end")


def test_labels_of_lines_close_together_do_not_overlap() -> None:
    close = [Limit(5 + n / 20, "x", f"p{n} of visitors ≤ 250 ms") for n in range(3)]
    found = labels([], *close)
    assert len(found) == 3
    assert not any(a.overlaps(b) for a, b in itertools.combinations(found, 2))


def test_the_labels_of_a_capacity_are_free() -> None:
    drawing = CHARTS[0].draw(page_subjects.capacity())
    assert drawing is not None
    figure = drawing.panels[0].figure
    there = placed(figure, svg_words.field_height(figure))
    found = {one.label: label for one, label in there}
    assert found["allowed"].anchor == "start"  # the cross of a probe is at the other end
    assert found["83/s"].top == 0
