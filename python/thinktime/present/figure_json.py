"""A figure's values for the page's script, which shows those under the pointer."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from thinktime.present.axes import Axis
from thinktime.present.figure import Figure, Series, spread_of

_DIGITS = 4


def json_of(figure: Figure) -> str:
    """The axes, and each series' places, values and words, as one object of JSON.

    A number has four digits. Places that are those of an earlier series are its number instead.
    """
    known: list[list[Any]] = []
    found: dict[str, Any] = {
        "x": _axis(figure.x),
        "y": _axis(figure.y),
        "series": [_series(one, known) for one in figure.series],
    }
    if figure.cells is not None:
        cells = figure.cells
        found["cells"] = {
            "x": cells.x, "y": cells.y, "shape": cells.counts.shape,
            "most": float(cells.counts.max(initial=0.0)),
        }  # fmt: skip
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False)


def _axis(axis: Axis) -> dict[str, Any]:
    found: dict[str, Any] = {"low": axis.low, "high": axis.high, "kind": axis.kind}
    if axis.is_log:
        found["log"] = True
    if axis.names:
        found["names"] = list(axis.names)
    return found


def _series(one: Series, known: list[list[Any]]) -> dict[str, Any]:
    places = _numbers(one.x)
    if places not in known:
        known.append(places)
        x: Any = places
    else:
        x = known.index(places)
    found = {"name": one.name, "group": one.group, "x": x, "y": _numbers(one.y)}
    if one.words is not None:
        found["words"] = list(one.words)
    else:
        found["phrase"] = one.phrase
    ends = spread_of(one)
    if ends is not None and (one.kind == "turns" or one.spread != "band"):
        found["low"], found["high"] = _numbers(ends[0]), _numbers(ends[1])
    if one.kind in ("turns", "step"):
        found["kind"] = one.kind
    return found


def _numbers(values: Sequence[float] | Any) -> list[float | int | None]:
    """With few digits, and None for gaps; whole numbers without a point."""
    return [_number(float(one)) for one in np.asarray(values, dtype=float).tolist()]


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
