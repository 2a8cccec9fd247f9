"""A comparison as a chart: how much each figure changed, relative to the first result."""

from __future__ import annotations

import math

from thinktime.comparison import words
from thinktime.comparison.change import Change
from thinktime.comparison.comparison import Comparison
from thinktime.present import axes, forest, units
from thinktime.present.axes import Axis
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import INK, Limit
from thinktime.present.forest import Interval
from thinktime.present.page import colour

_REACH = 3.0
"""The axis ends at this multiple of the largest change: an open interval would hide all others."""

_LEAST = 0.02
"""The axis reaches at least this far, in shares of the first result's figure."""

_ROOM = 1.06
_SURE = colour(1)
"""The colour of the second result."""


def _draw(compared: Comparison) -> Drawing | None:
    changes = [one for one in compared.changes.values() if isinstance(one, Change)]
    drawn = [one for one in changes if _known(one)]
    if not drawn:
        return None
    rows = [_row(one) for one in drawn]
    figure = forest.figure_of(rows, _axis(rows), [Limit(0.0, "x", dash="solid")])
    shades = {one.colour for one in rows}
    known = (("changed", _SURE), ("no difference can be told", INK))
    keys = [Key(name, shade, mark="dot") for name, shade in known if shade in shades]
    said = f"Relative changes: {'; '.join(one.words for one in rows)}."
    return Drawing([Panel(figure, said)], keys, note=_left([o for o in changes if not _known(o)]))


def _known(change: Change) -> bool:
    """Whether a relative change has an interval, which an end may be missing of."""
    return (change.ratio_low, change.ratio_high) != (None, None) and change.before > 0


def _row(change: Change) -> Interval:
    low = -math.inf if change.ratio_low is None else change.ratio_low
    high = math.inf if change.ratio_high is None else change.ratio_high
    said = f"{change.figure} {words.signed_relative(change)}"
    shade = _SURE if change.by_server else INK
    return Interval(change.figure, change.value / change.before, low, high, said, shade)


def _axis(rows: list[Interval]) -> Axis:
    most = _REACH * max(_LEAST, *(abs(one.value) for one in rows))
    low = max(min(-_LEAST, *(one.low for one in rows)), -most, -1.0)
    high = min(max(_LEAST, *(one.high for one in rows)), most)
    return axes.linear(_ROOM * low, _ROOM * high, "share", "change, relative to the first result")


def _left(left: list[Change]) -> str:
    """The figures without a relative change, with their differences, in a sentence."""
    phrases = [f"{one.figure} ({words.signed_range(one)})" for one in left]
    return f"Without a relative change: {units.listed(phrases)}." if phrases else ""


CHART: Chart[Comparison] = Chart(
    name="changes",
    title="How much each figure changed",
    caption="A bar is the 95 % interval of a change; one that crosses the line may be none. Left "
    "of the line is less: shorter times, and fewer requests a second.",
    draw=_draw,
    needed=False,
)
