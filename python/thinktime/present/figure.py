"""A figure as data: series of values over two axes, with limits; it knows no way to draw.

The renderer (`svg.py`), the table under a chart (`chart_table.py`) and the page's script, which
shows values, all read this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thinktime.present.axes import Axis

FloatArray = NDArray[np.float64]

POINTS_MAX = 500
"""A curve has at most this many points: a screen has about two pixels for each."""

INK = "var(--faint)"
"""The colour of what belongs to no case. It is the page's, and another one in the dark."""

SHADES = ("var(--shade-1)", "var(--shade-2)", "var(--shade-3)", "var(--shade-4)")
"""Shades of one hue for values in an order, as percentiles: the last is the strongest."""

DASHES = {"measured": "solid", "simulated": "7 3", "exact": "2 3"}

Kind = Literal["line", "step", "points", "turns"]


@dataclass(frozen=True, eq=False)
class Series:
    """Values at places. A place without a value (NaN) is a gap."""

    kind: Kind
    """A line; steps, each from its place on; points; or turns, which are bars from `low` to `high`
    along the horizontal axis in row `y`."""

    x: Sequence[float] | FloatArray
    y: Sequence[float] | FloatArray
    name: str = ""
    """Whose values they are, in words."""

    colour: str = INK
    dash: str = "solid"
    """`solid`, or the lengths of dash and gap in pixels."""

    width: float = 1.8
    group: str = ""
    """The legend's entry that shows and hides it."""

    marks: str | Sequence[str] = ""
    """The mark of each point: `dot`, `cross`, `up`, `down`, or empty."""

    size: float = 6.0
    """The diameter of a dot in pixels."""

    low: Sequence[float] | FloatArray | None = None
    high: Sequence[float] | FloatArray | None = None
    """The ends of each value's interval."""

    spread: Literal["bars", "band", "across"] = "bars"
    """How intervals are drawn: a bar through each point, a band, or a horizontal bar."""

    words: Sequence[str] | None = None
    """What is said of each point instead of its two values."""

    phrase: str = "{y} at {x}"
    """What is said of a point without words of its own."""

    texts: Sequence[str] | None = None
    """What stands in each turn, if it fits."""

    label: str = ""
    """What stands at the end of its line."""

    known: int | None = None
    """The number of points that the data bear; those after them are faint. None for all."""

    filled: bool = False
    """Whether the space down to 0 is filled."""


@dataclass(frozen=True)
class Limit:
    """A line across a whole figure at a value of one axis, or a band between two."""

    at: float
    axis: Literal["x", "y"]
    label: str = ""
    colour: str = INK
    dash: str = "4 3"
    until: float | None = None
    width: float = 1.3
    strong: bool = False
    """Whether it is an objective, which stands in front of curves in the page's ink."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts in a grid of equal cells, as colour."""

    counts: FloatArray
    """A row for each interval of the horizontal axis, a column for each of the vertical one."""

    x: tuple[float, float]
    y: tuple[float, float]
    """The ends of the grid; its cells are equal on the axes as they are drawn."""

    colour: str


@dataclass(frozen=True, eq=False)
class Figure:
    """One picture of a chart."""

    x: Axis
    y: Axis
    height: int
    """In pixels, with ticks and titles."""

    series: Sequence[Series] = ()
    limits: Sequence[Limit] = ()
    cells: Cells | None = None

    @property
    def drawn_limits(self) -> list[Limit]:
        """The limits that have a place on their axis; bands end where the axis does."""
        found = []
        for one in self.limits:
            axis = self.x if one.axis == "x" else self.y
            if one.until is not None:
                one = replace(one, at=axis.within(one.at), until=axis.within(one.until))
            if np.isfinite(axis.places([one.at, one.at if one.until is None else one.until])).all():
                found.append(one)
        return found


def thin(x: FloatArray, y: FloatArray, points: int = POINTS_MAX) -> tuple[FloatArray, FloatArray]:
    """At most `points` points: of each stretch the first, the least, the greatest and the last."""
    if len(x) <= points:
        return x, y
    edges = np.linspace(0, len(x), points // 4 + 1).astype(int)
    kept: list[int] = []
    for begin, end in pairwise(edges.tolist()):
        part = y[begin:end]
        extremes = (begin, begin + int(part.argmin()), begin + int(part.argmax()), end - 1)
        kept += sorted(set(extremes))
    return x[kept], y[kept]


def spread_of(one: Series) -> tuple[Any, Any] | None:
    """The ends of a series' intervals; None without them."""
    return None if one.low is None or one.high is None else (one.low, one.high)
