"""The labels of limits: each stands beside its line, if it can, where nothing is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thinktime.present import paths
from thinktime.present.figure import Figure, FloatArray, Limit, Series, spread_of
from thinktime.present.paths import FIELD

_NARROW_PX = 240
"""The width of a field on the smallest phone: what fits there fits everywhere."""

_LETTER_PX = 6.7
_LINE_PX = 16
_ROWS = 3
_DOT = 0.015
"""The distance from a point at which its dot ends."""

_BETWEEN = 16
"""The number of places that stand for a line between two points."""


@dataclass(frozen=True)
class Label:
    """A label's box, in shares of the field from its upper left corner."""

    left: float
    right: float
    top: float
    bottom: float
    anchor: Literal["start", "end"]
    """The end of its text that stands at the line, or at the edge of the field."""

    def overlaps(self, other: Label) -> bool:
        """Whether two labels share a place."""
        left, right = max(self.left, other.left), min(self.right, other.right)
        return right > left and min(self.bottom, other.bottom) > max(self.top, other.top)

    def hidden(self, drawn: FloatArray) -> int:
        """The number of the drawn places that it would cover."""
        x, y = drawn
        within = (x > self.left - _DOT) & (x < self.right + _DOT)
        return int((within & (y > self.top - _DOT) & (y < self.bottom + _DOT)).sum())


def placed(figure: Figure, height: int) -> list[tuple[Limit, Label]]:
    """The limits that have a label, each with the best of its places.

    Args:
        figure: The figure.
        height: That of its field in pixels.
    """
    drawn = _drawn(figure)
    found = list[tuple[Limit, Label]]()
    for one in figure.drawn_limits:
        if one.label:
            others = [label for _, label in found]
            found.append((one, _best(figure, one, height, drawn, others)))
    return found


def _best(figure: Figure, one: Limit, height: int, drawn: FloatArray, others: list[Label]) -> Label:
    """That with the least below it; of equal ones the first."""
    wide, high = len(one.label) * _LETTER_PX / _NARROW_PX, _LINE_PX / height
    if one.axis == "x":
        places = _beside(float(paths.across(figure.x, [one.at])[0]) / FIELD, wide, high)
    else:
        places = _along(float(paths.up(figure.y, [one.at])[0]) / FIELD, wide, high)
    return min(
        places,
        key=lambda label: (any(map(label.overlaps, others)), label.hidden(drawn)),
    )


def _beside(at: float, wide: float, high: float) -> Iterator[Label]:
    """Places beside a line that goes up: in the first rows, on the sides with room."""
    right, left = at + wide <= 1, at - wide >= 0
    if not right and not left:
        right = not (left := at > 0.5)
    for row in range(_ROWS):
        if right:
            yield Label(at, at + wide, row * high, (row + 1) * high, "start")
        if left:
            yield Label(at - wide, at, row * high, (row + 1) * high, "end")


def _along(at: float, wide: float, high: float) -> Iterator[Label]:
    """Places above and below a line that goes across, at its ends."""
    above, below = at - high >= 0, at + high <= 1
    for is_there, top in ((above or not below, at - high), (below, at)):
        if is_there:
            yield Label(1 - wide, 1, top, top + high, "end")
            yield Label(0, wide, top, top + high, "start")


def _drawn(figure: Figure) -> FloatArray:
    """Places that stand for all that is drawn, in shares of the field."""
    parts = [part for one in figure.series if one.kind != "turns" for part in _of(figure, one)]
    whole = np.concatenate(parts, axis=1) if parts else np.empty((2, 0))
    return np.asarray(whole / FIELD, dtype=np.float64)


def _of(figure: Figure, one: Series) -> Iterator[Any]:
    """The places of a series: its points, what joins them, and its bars."""
    x, y = paths.across(figure.x, one.x), paths.up(figure.y, one.y)
    yield np.stack([x, y])
    steps = np.linspace(0, 1, _BETWEEN)[:, None]
    if one.kind in ("line", "step"):
        yield np.stack([(p[:-1] + steps * np.diff(p)).ravel() for p in (x, y)])
    ends = spread_of(one)
    if ends is None or one.spread == "band":
        return
    across = one.spread == "across"
    low, high = (paths.across(figure.x, e) if across else paths.up(figure.y, e) for e in ends)
    bars = (low + steps * (high - low)).ravel()
    still = np.tile(y if across else x, _BETWEEN)
    yield np.stack([bars, still] if across else [still, bars])
