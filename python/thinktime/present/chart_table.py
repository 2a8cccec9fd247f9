"""The figures behind a chart as a table: for readers who cannot see it, or want numbers.

A long curve is thinned to some points, including all its extremes. A chart of rows with names is a
table of these rows, with a column a series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

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
    if figure.y.names and not any(one.kind == "turns" for one in figure.series):
        return _of_rows(figure, title)
    heads = figure.x.title.replace("\n", "") or "place", figure.y.title or "value"
    groups = [Group(list(_lines(figure, one)), one.name) for one in figure.series]
    groups = [group for group in groups if group.lines]
    left = _left_out([group.title for group in groups[CURVES_MAX:]])
    kept = groups[:CURVES_MAX]
    return Table("", title, heads[0], (heads[1],), kept, note=left) if kept else None


def _of_rows(figure: Figure, title: str) -> Table | None:
    """The rows from the top. A series without a name only draws what others say."""
    shown = [one for one in figure.series if one.name] or list(figure.series)
    columns = [(one.name, column) for one in shown if (column := _column(figure, one))]
    kept, left = columns[:CURVES_MAX], _left_out([name for name, _ in columns[CURVES_MAX:]])
    across = figure.x.title.replace("\n", "") or "value"
    heads = [across] if len(kept) == 1 else [name or across for name, _ in kept]
    rows = sorted({row for _, column in kept for row in column}, key=_from_the_top(figure))
    lines = [
        Line(figure.y.text(row), [Cell(column.get(row, "")) for _, column in kept]) for row in rows
    ]
    first = figure.y.title or "figure"
    return Table("", title, first, heads, [Group(lines)], note=left) if lines else None


def _column(figure: Figure, one: Series) -> dict[float, str]:
    """The values of a series by their row."""
    x, y = (np.asarray(values, dtype=float) for values in (one.x, one.y))
    known = np.flatnonzero(np.isfinite(x)).tolist()
    return {float(y[place]): _value(figure.x, one, x, place) for place in known}


def _from_the_top(figure: Figure) -> Callable[[float], float]:
    return lambda row: -float(figure.y.places([row])[0])


def _left_out(names: list[str]) -> str:
    """A sentence about curves for which a table has no room; empty if it has all."""
    if not names:
        return ""
    left = ", ".join(dict.fromkeys(name for name in names if name))
    curves = units.counted(len(names), "more curve")
    return f"The chart has {curves}; their figures are not here{': ' if left else ''}{left}."


def _lines(figure: Figure, one: Series) -> Iterator[Line]:
    x, y = (np.asarray(values, dtype=float) for values in (one.x, one.y))
    for place in _kept(y):
        yield Line(figure.x.text(x[place]), [Cell(_value(figure.y, one, y, place))])


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
