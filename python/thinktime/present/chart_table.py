"""The figures behind a chart as a table: for readers who cannot see it, or want numbers.

A long curve is thinned to some points, including all its extremes.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    import plotly.graph_objects as go

POINTS_MAX = 40
"""A table has at most this many points of a curve."""

CURVES_MAX = 12

_Writer = Callable[[Any], str]

_TIME = re.compile(r"(^|\s)[nµm]?s$|\b(min|h)$")
"""The endings of ticks of times."""


def table_of(figure: go.Figure, title: str) -> Table | None:
    """The curves of a chart, one below the other; None without curves."""
    across = figure.layout.xaxis
    names = [one.text for one in figure.layout.annotations if one.name == "y-title"]
    heads = (_plain(across.title.text) or "place", _plain(names[0]) if names else "value")
    in_words = _in_words(across), _in_words(figure.layout.yaxis)
    groups = [
        Group([Line(x, [Cell(y)]) for x, y in _points(trace, *in_words)], _plain(trace.name))
        for trace in figure.data
        if _is_curve(trace)
    ]
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


def _is_curve(trace: Any) -> bool:
    return trace.type in ("scatter", "bar") and trace.x is not None and trace.y is not None


def _points(trace: Any, across: _Writer, up: _Writer) -> Iterator[tuple[str, str]]:
    x, y = list(trace.x), list(trace.y)
    for place in _kept(y):
        yield across(x[place]), up(y[place])


def _kept(values: list[Any]) -> list[int]:
    """The places of the shown points: of each stretch its first, and both extremes."""
    known = [n for n, one in enumerate(values) if isinstance(one, str) or _is_number(one)]
    if len(known) <= POINTS_MAX or isinstance(values[known[0]], str):
        return known[:POINTS_MAX]
    kept = {known[-1]}
    for part in np.array_split(np.array(known), POINTS_MAX // 4):
        heights = np.array([float(values[n]) for n in part])
        kept |= {int(part[0]), int(part[heights.argmin()]), int(part[heights.argmax()])}
    return sorted(kept)


def _is_number(value: Any) -> bool:
    return value is not None and math.isfinite(float(value))


def _in_words(axis: Any) -> _Writer:
    """Writes values in the form of an axis: as times if that counts seconds."""
    # Asked once: plotly takes long for each property.
    texts = (axis.ticksuffix, *(axis.ticktext if axis.ticktext is not None else ()))
    counts_seconds = any(_TIME.search(str(one or "")) for one in texts)

    def text(value: Any) -> str:
        if isinstance(value, str):
            return _plain(value)
        if counts_seconds:
            return units.seconds(float(value))
        return units.number(float(value), _digits(float(value)))

    return text


def _digits(value: float) -> int:
    """The number of digits that a value needs; four at most."""
    exact = (n for n in (1, 2, 3) if math.isclose(float(f"{value:.{n - 1}e}"), value))
    return next(exact, 4)


def _plain(text: str | None) -> str:
    """The displayed text of a chart, without its escapes, and in one line."""
    return html.unescape((text or "").replace("%&#123;", "%{").replace("<br>", ""))
