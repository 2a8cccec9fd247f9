"""A figure of a sweep's points: curves along numbers, or dots in rows, one a category."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from thinktime.present import axes, columns, units
from thinktime.present.axes import Axis
from thinktime.present.figure import DASHES, INK, Figure, Limit, Series
from thinktime.sweeps.curves import Curve, Row, SweepCurves

LINE_MOST = 40
"""A longer key is written beside its axis in two lines."""

_FAILED_MOST = 0.1
_ROW_PX = 34
_LABELS_MAX = 8


def figure_of(swept: SweepCurves, column: str, title: str, kind: str, height: int) -> Figure:
    """The figure of a column, with the exact mean beside it and the limit across."""
    limits = _limits(swept, column)
    if swept.across.numbers is None:
        return _rows(swept, column, title, kind, limits)
    series = [_curve(swept, curve, column) for curve in swept.drawn]
    if column == "response_mean_s":
        found = (_exact(swept, curve) for curve in swept.drawn)
        series += [one for one in found if one is not None]
    up = replace(_scale([*series], limits, kind), title=title)
    return Figure(_along(swept), up, height, series, limits)


def row_in_doubt(row: Row) -> bool:
    """Whether a point's times do not say how the server does: see `charts.IN_DOUBT`."""
    requests, errors = row.get("requests") or 0, row.get("errors") or 0
    return row.get("untrusted") is not None or errors > _FAILED_MOST * requests


def _rows(
    swept: SweepCurves, column: str, title: str, kind: str, limits: Sequence[Limit]
) -> Figure:
    """A row for each category; the least value on top if there is one curve."""
    key = swept.across.key
    names = [str(value) for value in dict.fromkeys(row[key] for row in swept.rows)]
    if len(swept.drawn) == 1:
        known = {str(row[key]): columns.figure_in_row(row, column) for row in swept.rows}
        names.sort(key=lambda name: math.inf if known[name] is None else known[name])
    series = []
    for n, curve in enumerate(swept.drawn):
        one = _curve(swept, curve, column)
        shift = 0.0 if len(swept.drawn) == 1 else 0.5 * (n / (len(swept.drawn) - 1) - 0.5)
        rows = [names.index(str(row[key])) + shift for row in _known(curve, column)]
        series.append(
            replace(one, kind="points", x=one.y, y=rows, spread="across", size=9.0, label="",
                    phrase="{x}, {y}")
        )  # fmt: skip
    values = [replace(one, y=one.x) for one in series]
    across = replace(_scale(values, limits, kind), title=title)
    up = axes.downward(axes.categories(names))
    height = 70 + max(len(names), 2) * max(_ROW_PX, 14 * len(swept.drawn))
    return Figure(across, up, height, series, [replace(one, axis="x") for one in limits])


def _limits(swept: SweepCurves, column: str) -> list[Limit]:
    if column != "response_p99_s":
        return []
    allowed = {float(at) for row in swept.rows if (at := row.get("allowed_p99_s")) is not None}
    return [
        Limit(at, "y", f"p99 ≤ {units.seconds(at)}", dash="6 3", width=1.5, strong=True)
        for at in sorted(allowed)
    ]


def _known(curve: Curve, column: str) -> list[Row]:
    return [row for row in curve.rows if columns.figure_in_row(row, column) is not None]


def _curve(swept: SweepCurves, curve: Curve, column: str) -> Series:
    rows = _known(curve, column)
    write = columns.column(column).text
    values = [float(row[column]) for row in rows]
    ends = [_ends(row, column) for row in rows]
    has = any(low is not None for low, _ in ends)
    name = f"{curve.name}: {swept.kind}" if curve.name else swept.kind
    labelled = curve.name and len(swept.drawn) <= _LABELS_MAX
    return Series(
        "line", _places(swept, rows), values, name, curve.colour, group=f"curve {curve.place}",
        marks=["cross" if row_in_doubt(row) else "dot" for row in rows],
        low=[math.nan if low is None else low for low, _ in ends] if has else None,
        high=[math.nan if high is None else high for _, high in ends] if has else None,
        spread="band" if column == "response_p99_s" else "bars",
        label=curve.name if labelled else "",
        words=[f"{write(row[column])} at {swept.point_words(row)}" for row in rows],
    )  # fmt: skip


def _ends(row: Row, column: str) -> tuple[float | None, float | None]:
    """The interval of a figure."""
    if column == "response_p99_s":
        return row.get("response_p99_low_s"), row.get("response_p99_high_s")
    half = row.get(columns.column(column).more or "")
    return (None, None) if half is None else (row[column] - half, row[column] + half)


def _exact(swept: SweepCurves, curve: Curve) -> Series | None:
    rows = [row for row in curve.rows if row.get("exact_response_mean_s") is not None]
    name = f"{curve.name}: exact" if curve.name else "exact"
    exact = [float(row["exact_response_mean_s"]) for row in rows]
    return (
        Series(
            "line", _places(swept, rows), exact, name, INK, DASHES["exact"], 1.4,
            group=f"curve {curve.place}",
        )
        if rows
        else None
    )  # fmt: skip


def _scale(series: Sequence[Series], limits: Sequence[Limit], kind: str) -> Axis:
    """The axis of values: logarithmic if they are far apart."""
    values = [float(one) for each in series for one in each.y]
    ends = [float(e) for one in series if one.high is not None for e in one.high if e == e]
    allowed = [one.at for one in limits]
    high = max([*values, *ends, *allowed])
    if axes.is_wide(values):
        return axes.log(min([*values, *allowed]), high, kind)
    return axes.linear(0, 1.06 * high or 1.0, kind)


def _places(swept: SweepCurves, rows: Sequence[Any]) -> list[float]:
    """Where points lie along the first key; categories have their row later."""
    if swept.across.numbers is None:
        return [0.0] * len(rows)
    return [float(row[swept.across.key]) for row in rows]


def _along(swept: SweepCurves) -> Axis:
    """The axis of the varied key: logarithmic if its values are in growing ratios."""
    axis = swept.across
    unit = f" ({axis.unit.replace('us', 'µs')})" if axis.unit else ""
    title = _in_lines(axis.key) + unit
    numbers = axis.numbers or ()
    steps = [b / a for a, b in itertools.pairwise(numbers) if a > 0]
    if len(steps) > 1 and min(steps) > 1.3 and axes.is_wide(numbers):
        return axes.log(min(numbers), max(numbers), "number", title)
    room = 0.04 * (max(numbers) - min(numbers)) or 1.0
    return axes.linear(min(numbers) - room, max(numbers) + room, "number", title)


def _in_lines(key: str) -> str:
    """A key; a long one in two lines, which fit on a telephone."""
    dots = [at for at, letter in enumerate(key) if letter == "."]
    if len(key) <= LINE_MOST or not dots:
        return key
    parted = min(dots, key=lambda at: abs(at - len(key) / 2)) + 1
    return f"{key[:parted]}\n{key[parted:]}"
