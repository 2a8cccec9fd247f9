"""A figure of values in rows, each with its interval, as in a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinktime.present import axes
from thinktime.present.axes import Axis
from thinktime.present.figure import INK, Figure, Limit, Series

_ROW = 28


@dataclass(frozen=True)
class Interval:
    """A row: a value and the ends of its interval, of which an infinite one is an open end."""

    name: str
    value: float
    low: float
    high: float
    words: str
    """What is said of it."""

    colour: str


def figure_of(rows: Sequence[Interval], across: Axis, limits: Sequence[Limit]) -> Figure:
    """The rows from the top; an interval that leaves the axis ends there in an arrow."""
    places = list(range(len(rows)))
    bars = Series(
        "points", [one.value for one in rows], places, "interval", INK,
        low=[one.low for one in rows], high=[one.high for one in rows], spread="across",
        words=[one.words for one in rows],
    )  # fmt: skip
    series = [bars, *(_dots(rows, colour) for colour in dict.fromkeys(one.colour for one in rows))]
    beyond = [(across.high, n, "right") for n in places if rows[n].high > across.high]
    beyond += [(across.low, n, "left") for n in places if rows[n].low < across.low]
    if beyond:
        x, y, marks = (list(column) for column in zip(*beyond, strict=True))
        series.append(Series("points", x, y, "", INK, marks=marks))
    up = axes.downward(axes.categories([one.name for one in rows]))
    return Figure(across, up, 70 + _ROW * len(rows), series, limits)


def _dots(rows: Sequence[Interval], colour: str) -> Series:
    own = [n for n, one in enumerate(rows) if one.colour == colour]
    return Series(
        "points", [rows[n].value for n in own], own, "", colour, marks="dot", size=10,
        words=[rows[n].words for n in own],
    )  # fmt: skip
