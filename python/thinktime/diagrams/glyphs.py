"""The signs for a system's parts: queues, servers, cores, places and switches."""

from __future__ import annotations

import math

from thinktime.diagrams.board import Board, Point
from thinktime.diagrams.kinds import LEFT, RIGHT
from thinktime.diagrams.parts import Part
from thinktime.present import units

_RADIUS = 13.0
_CORES_DRAWN = 16
_FANNED = 4
"""At most this many boxes stand for the servers of a cluster."""


def draw(board: Board, one: Part, at: Point) -> float:
    """The sign of a part below a point; returns where it ends."""
    x, y = at
    if one.form == "queue":
        return _served(board, one.number, (x, _queue(board, at)))
    if one.form == "shared":
        return _shared(board, one.number, at)
    if one.form == "cores":
        return _cores(board, one.number, at)
    if one.form == "places":
        return _places(board, at)
    board.line([(x, y), (x + 15, y + 13), (x, y + 26), (x - 15, y + 13), (x, y)], "shape")
    return y + 26


def _queue(board: Board, at: Point) -> float:
    """A box open above, with waiting requests."""
    x, y = at
    board.line([(x - 13, y), (x - 13, y + 28), (x + 13, y + 28), (x + 13, y)], "shape")
    for n in (1, 2, 3):
        board.line([(x - 13, y + 28 - 7 * n), (x + 13, y + 28 - 7 * n)], "shape")
    return y + 28


def _served(board: Board, servers: int, at: Point) -> float:
    x, y = at
    board.circle((x, y + _RADIUS), _RADIUS)
    if servers > 1:
        _number(board, servers, (x, y + _RADIUS))
    return y + 2 * _RADIUS


def _shared(board: Board, servers: int, at: Point) -> float:
    """All requests are served at once: shares of a circle."""
    x, y = at
    radius = _RADIUS + 6
    board.circle((x, y + radius), radius)
    if servers > 1:
        board.circle((x, y + radius), radius - 5)
        _number(board, servers, (x, y + radius))
        for turn in range(6):
            dx, dy = math.cos(turn * math.pi / 3), math.sin(turn * math.pi / 3)
            inner, outer = radius - 5, radius
            board.line(
                [
                    (round(x + inner * dx, 1), round(y + radius + inner * dy, 1)),
                    (round(x + outer * dx, 1), round(y + radius + outer * dy, 1)),
                ],
                "shape",
            )
        return y + 2 * radius
    for turn in range(3):
        dx, dy = radius * math.cos(turn * math.pi / 3), radius * math.sin(turn * math.pi / 3)
        ends = [
            (round(x - dx, 1), round(y + radius - dy, 1)),
            (round(x + dx, 1), round(y + radius + dy, 1)),
        ]
        board.line(ends, "shape")
    return y + 2 * radius


def _cores(board: Board, cores: int, at: Point) -> float:
    """A square for each core; of many cores a few, with the number below."""
    x, y = at
    shown = min(cores, _CORES_DRAWN)
    columns = math.ceil(math.sqrt(shown))
    size, gap = 9.0, 3.0
    wide = columns * (size + gap) + gap
    rows = math.ceil(shown / columns)
    board.box((x - wide / 2, y), (wide, rows * (size + gap) + gap), "part", 3)
    for n in range(shown):
        left = x - wide / 2 + gap + (n % columns) * (size + gap)
        board.box((left, y + gap + (n // columns) * (size + gap)), (size, size), "core", 1)
    return y + rows * (size + gap) + gap


def _places(board: Board, at: Point) -> float:
    x, y = at
    for n in range(3):
        board.box((x - 18 + 13 * n, y + 2), (10, 14), "part", 2)
    return y + 18


def servers(board: Board, number: int, at: Point) -> float:
    """A switch's servers side by side; of many servers the first ones and the last."""
    x, y = at
    shown = min(number, _FANNED)
    room = (RIGHT - LEFT + 10) / shown
    board.line([(x, y), (x, y + 8)], "flow")
    for n in range(shown):
        last = n == shown - 1
        label = number if last else n + 1
        left = LEFT + n * room
        middle = left + (room - 10) / 2
        board.line([(x, y + 8), (middle, y + 8)], "flow")
        board.arrow([(middle, y + 8), (middle, y + 22)])
        board.box((left, y + 22), (room - 10, 22), "part", 3)
        more = "\u2026 " if last and number > shown else ""
        board.text((middle, y + 37), f"{more}{units.count(label)}", room - 14, "small", "middle")
    return y + 48


def _number(board: Board, number: int, middle: Point) -> None:
    x, y = middle
    board.text(
        (x, y + 4), units.count(number) if number < 1000 else "\u2026", 24, "small", "middle"
    )
