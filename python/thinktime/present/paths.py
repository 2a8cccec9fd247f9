"""Curves as paths of SVG, in whole steps of a ten-thousandth of a figure's field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.present.axes import Axis

FIELD = 10_000
"""The width and the height of the field in these steps."""

_BEYOND = 2 * FIELD  # what lies further outside is drawn there: it is cut off anyway


def across(axis: Axis, values: Any) -> NDArray[np.float64]:
    """Where values lie on a horizontal axis; NaN for those without a place."""
    return np.asarray(np.clip(FIELD * axis.places(values), -_BEYOND, _BEYOND))


def up(axis: Axis, values: Any) -> NDArray[np.float64]:
    """Where values lie on a vertical axis: 0 is at the top."""
    return np.asarray(np.clip(FIELD * (1 - axis.places(values)), -_BEYOND, _BEYOND))


def runs(x: NDArray[np.float64], y: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """The first and the last place of each stretch without a gap."""
    there = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield begin, end - 1


def line(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """A line through points; a point alone is as long as the line is wide."""
    return "".join(_path(x[a : b + 1], y[a : b + 1]) for a, b in runs(x, y))


def steps(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """A line that keeps each height until the next place."""
    return "".join(_stepped(x, y, a, b) for a, b in runs(x, y))


def _stepped(x: NDArray[np.float64], y: NDArray[np.float64], begin: int, end: int) -> str:
    edges, heights = _whole(_edges(x, begin, end)), _whole(y[begin : end + 1])
    moves = [
        (f"h{ahead}" if ahead else "") + (f"v{rise}" if rise else "")
        for ahead, rise in zip(np.diff(edges), np.diff(heights, append=heights[-1]), strict=True)
    ]
    return f"M{edges[0]} {heights[0]}{''.join(moves) or 'h1'}"


def _edges(x: NDArray[np.float64], begin: int, end: int) -> NDArray[np.float64]:
    """The places of a stretch of steps, and the end of its last one."""
    ends = end + 1 < len(x) and np.isfinite(x[end + 1])
    return np.append(x[begin : end + 1], x[end + 1] if ends else x[end])


def stairs(
    x: NDArray[np.float64], y: NDArray[np.float64], begin: int, end: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The corners of the steps of a stretch."""
    return np.repeat(_edges(x, begin, end), 2)[1:-1], np.repeat(y[begin : end + 1], 2)


def area(
    x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], stepped: bool
) -> str:
    """The space between two curves."""
    parts = []
    for a, b in runs(x, low + high):
        if stepped:
            across_, under = stairs(x, low, a, b)
            _, over = stairs(x, high, a, b)
        else:
            across_, under, over = (one[a : b + 1] for one in (x, low, high))
        around = np.concatenate([across_, across_[::-1]]), np.concatenate([over, under[::-1]])
        parts.append(_path(*around) + "z")
    return "".join(parts)


def dots(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Points: a line with round ends makes a disc of each."""
    there = np.isfinite(x) & np.isfinite(y)
    places = np.rint(np.column_stack([x[there], y[there]])).astype(np.int64)
    moves = np.diff(places, axis=0, prepend=np.zeros((1, 2), np.int64))
    moves[1:, 0] -= 1  # each disc ends one step further on
    return "".join(f"m{a} {b}h1" for a, b in moves.tolist()).replace(" -", "-")


def rules(
    x0: NDArray[np.float64], y0: NDArray[np.float64],
    x1: NDArray[np.float64], y1: NDArray[np.float64],
) -> str:  # fmt: skip
    """A straight line for each pair of ends."""
    return "".join(f"M{a} {b}L{c} {d}" for a, b, c, d in _ends(x0, y0, x1, y1))


def boxes(
    x0: NDArray[np.float64], x1: NDArray[np.float64],
    y0: NDArray[np.float64], y1: NDArray[np.float64],
) -> str:  # fmt: skip
    """A box between each pair of ends of both axes."""
    return "".join(f"M{a} {c}H{b}V{d}H{a}z" for a, b, c, d in _ends(x0, x1, y0, y1))


def _ends(*places: NDArray[np.float64]) -> Iterator[tuple[int, ...]]:
    """The whole places that belong together, if all of them are there."""
    there = np.isfinite(sum(places))
    return zip(*(_whole(one[there]) for one in places), strict=True)


def _whole(values: NDArray[np.float64]) -> list[int]:
    return [int(one) for one in np.rint(values)]


def _path(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    places = np.rint(np.column_stack([x, y])).astype(np.int64)
    moves = np.diff(places, axis=0)
    moves = moves[(moves != 0).any(axis=1)]
    begin = f"M{places[0, 0]} {places[0, 1]}"
    if not len(moves):
        return f"{begin}h1"
    return begin + "l" + " ".join(map(str, moves.ravel().tolist())).replace(" -", "-")
