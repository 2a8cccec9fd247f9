"""The figures behind a chart as a table: for readers who cannot see it, or want numbers.

A long curve is thinned to some points, including all its extremes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from thinktime.present import units
from thinktime.present.axes import Axis
from thinktime.present.figure import Figure, FloatArray, Series
from thinktime.present.table import Cell, Group, Line, Table

POINTS_MAX = 40
"""A table has at most this many points of a curve."""

CURVES_MAX = 12


def table_of(figure: Figure, title: str) -> Table | None:
    """The curves of a figure, one below the other; None without curves."""
    heads = figure.x.title.replace("\n", "") or "place", figure.y.title or "value"
    if any(_is_named(figure, one) for one in figure.series):
        heads = figure.y.title or "figure", heads[0]
    groups = [Group(list(_lines(figure, one)), one.name) for one in figure.series]
    groups = [group for group in groups if group.lines]
    left = _left_out([group.title for group in groups[CURVES_MAX:]])
    kept = groups[:CURVES_MAX]
    return Table("", title, heads[0], (heads[1],), kept, note=left) if kept else None


def _left_out(names: list[str]) -> str:
    """A sentence about curves for which a table has no room; empty if it has all."""
    if not names:
        return ""
    left = ", ".join(dict.fromkeys(name for name in names if name))
    curves = units.counted(len(names), "more curve")
    return f"The chart has {curves}; their figures are not here{': ' if left else ''}{left}."


def _lines(figure: Figure, one: Series) -> Iterator[Line]:
    x, y = (np.asarray(values, dtype=float) for values in (one.x, one.y))
    named = _is_named(figure, one)
    for place in _kept(y):
        name = figure.y.text(y[place]) if named else figure.x.text(x[place])
        value = _value(figure.x, one, x, place) if named else _value(figure.y, one, y, place)
        yield Line(name, [Cell(value)])


def _is_named(figure: Figure, one: Series) -> bool:
    """Whether its rows have names, and its values lie along the horizontal axis."""
    return bool(figure.y.names) and one.kind != "turns"


def _value(axis: Axis, one: Series, values: FloatArray, place: int) -> str:
    text = axis.text(values[place])
    if one.low is None or one.high is None or one.kind == "turns":
        return text
    ends = (float(end[place]) for end in (one.low, one.high))
    low, high = (axis.text(end) if math.isfinite(end) else units.NOTHING for end in ends)
    return f"{text} ({low} to {high})"


def _kept(values: FloatArray) -> list[int]:
    """The places of the shown points: of each stretch its first, and both extremes."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) <= POINTS_MAX:
        return [int(one) for one in known]
    kept = {int(known[-1])}
    for part in np.array_split(known, POINTS_MAX // 4):
        heights = values[part]
        kept |= {int(part[0]), int(part[heights.argmin()]), int(part[heights.argmax()])}
    return sorted(kept)
