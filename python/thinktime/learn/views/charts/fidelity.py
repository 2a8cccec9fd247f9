"""The distance of the learned workload's figures from the log's, and its part due to chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.learn.fidelity.difference import WITHIN, Difference
from thinktime.learn.fidelity.words import NAMES
from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import INK, Figure, Limit, Series
from thinktime.present.page import colour

if TYPE_CHECKING:
    from thinktime.learn import Learned

_ROW = 28
_MOST = 4.0
"""Ratios beyond it, and below its inverse, are drawn as an arrow at the edge."""

_SMALL = WITHIN["mean"]


def _draw(learned: Learned) -> Drawing | None:
    found = learned.fidelity
    if found is None or not found.differences:
        return None
    ratios = [one for one in found.differences.values() if not one.in_points]
    points = [one for one in found.differences.values() if one.in_points]
    panels = [_ratios(ratios)]
    if points:
        panels.append(_points(points))
    keys = [
        Key("small enough, or chance", colour(1), mark="dot"),
        Key("neither", colour(0), mark="dot"),
        Key("cannot be told: chance exceeds the small enough", INK, mark="dot"),
        Key("chance"),
    ]
    return Drawing(panels, keys)


def _ratios(shown: list[Difference]) -> Panel:
    """Learned over the log's, clipped: one interval without bound would hide all others."""
    shown = sorted(shown, key=_doubt)
    ratios = [1 + one.difference for one in shown]
    chances = [1 + one.chance for one in shown]
    ends = [(ratio / by, ratio * by) for ratio, by in zip(ratios, chances, strict=True)]
    words = [
        f"{NAMES.get(one.name, one.name)}: {units.number(ratio)} times the log's, by chance "
        f"{units.number(low)} to {units.number(high)}"
        for one, ratio, (low, high) in zip(shown, ratios, ends, strict=True)
    ]
    across = axes.log(1 / _MOST, _MOST, "ratio", "learned over the log's")
    one_ = Limit(1.0, "x", dash="solid")
    limits = [Limit(one, "x", dash="2 3") for one in (1 - _SMALL, 1 + _SMALL)]
    return _panel(shown, ratios, ends, words, across, [one_, *limits])


def _points(shown: list[Difference]) -> Panel:
    shown = sorted(shown, key=_doubt)
    values = [one.difference for one in shown]
    ends = [(one.difference - one.chance, one.difference + one.chance) for one in shown]
    words = [
        f"{NAMES.get(one.name, one.name)}: {100 * one.difference:+.1f} points, chance "
        f"{100 * one.chance:.1f}"
        for one in shown
    ]
    most = max(0.05, min(1.0, 1.1 * max(abs(end) for pair in ends for end in pair)))
    across = axes.linear(-most, most, "share", "hit ratio less the log's")
    return _panel(shown, values, ends, words, across, [Limit(0.0, "x", dash="solid")])


def _panel(
    shown: list[Difference], values: list[float], ends: list[tuple[float, float]],
    words: list[str], across: axes.Axis, limits: list[Limit],
) -> Panel:  # fmt: skip
    """A row for each figure, those in most doubt on top."""
    names = [NAMES.get(one.name, one.name) for one in shown]
    low = [max(one, across.low) for one, _ in ends]
    high = [min(one, across.high) for _, one in ends]
    rows = list(range(len(shown)))
    series = [Series("points", values, rows, "chance", INK, low=low, high=high, spread="across")]
    for shade in dict.fromkeys(_shade(one) for one in shown):
        own = [row for row in rows if _shade(shown[row]) == shade]
        series.append(
            Series("points", [values[row] for row in own], own, "", shade, marks="dot", size=10,
                   words=[words[row] for row in own])
        )  # fmt: skip
    beyond = [(across.high, row, "right") for row in rows if ends[row][1] > across.high]
    beyond += [(across.low, row, "left") for row in rows if ends[row][0] < across.low]
    if beyond:
        x, y, marks = (list(column) for column in zip(*beyond, strict=True))
        series.append(Series("points", x, y, "beyond the picture", INK, marks=marks))
    up = axes.downward(axes.categories(names))
    figure = Figure(across, up, 70 + _ROW * len(shown), series, limits)
    return Panel(figure, f"{'; '.join(words)}.")


def _shade(one: Difference) -> str:
    return colour(0) if one.wrong else INK if one.untold else colour(1)


def _doubt(one: Difference) -> tuple[int, float]:
    """Figures in most doubt come first."""
    return (0 if one.wrong else 1 if one.untold else 2), -abs(one.difference)


CHART: Chart[Learned] = Chart(
    name="fidelity",
    title="How well the workload stands in for the log",
    caption="The learned workload's busiest hour on a fixed set of systems, beside the log's.",
    draw=_draw,
    needed=False,
)
