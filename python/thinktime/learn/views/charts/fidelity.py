"""The distance of the learned workload's figures from the log's, and its part due to chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.learn.fidelity.difference import WITHIN, Difference
from thinktime.learn.fidelity.words import NAMES
from thinktime.present import axes, forest, units
from thinktime.present.axes import Axis
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import INK, Limit
from thinktime.present.forest import Interval
from thinktime.present.page import colour

if TYPE_CHECKING:
    from thinktime.learn import Learned

_MOST = 4.0
"""Ratios beyond it, and below its inverse, are drawn as an arrow at the edge."""

_SMALL = WITHIN["mean"]

_SHADES = {
    "small enough, or chance": colour(1),
    "neither": colour(0),
    "cannot be told: chance exceeds the small enough": INK,
}


def _draw(learned: Learned) -> Drawing | None:
    found = learned.fidelity
    if found is None or not found.differences:
        return None
    ratios = [one for one in found.differences.values() if not one.in_points]
    points = [one for one in found.differences.values() if one.in_points]
    panels = [_ratios(ratios)]
    if points:
        panels.append(_points(points))
    shades = {_shade(one) for one in found.differences.values()}
    keys = [Key(name, shade, mark="dot") for name, shade in _SHADES.items() if shade in shades]
    return Drawing(panels, [*keys, Key("chance")])


def _ratios(shown: list[Difference]) -> Panel:
    """Learned over the log's, clipped: one interval without bound would hide all others."""
    rows = [_ratio(one) for one in sorted(shown, key=_doubt)]
    across = axes.log(1 / _MOST, _MOST, "ratio", "learned over the log's")
    one_ = Limit(1.0, "x", dash="solid")
    limits = [Limit(one, "x", dash="2 3") for one in (1 - _SMALL, 1 + _SMALL)]
    return _panel(rows, across, [one_, *limits])


def _ratio(one: Difference) -> Interval:
    name, ratio, by = NAMES.get(one.name, one.name), 1 + one.difference, 1 + one.chance
    low, high = ratio / by, ratio * by
    said = (
        f"{name}: {units.number(ratio)} times the log's, by chance {units.number(low)} to "
        f"{units.number(high)}"
    )
    return Interval(name, ratio, low, high, said, _shade(one))


def _points(shown: list[Difference]) -> Panel:
    rows = [_point(one) for one in sorted(shown, key=_doubt)]
    most = max(0.05, min(1.0, 1.1 * max(max(abs(one.low), abs(one.high)) for one in rows)))
    across = axes.linear(-most, most, "share", "hit ratio less the log's")
    return _panel(rows, across, [Limit(0.0, "x", dash="solid")])


def _point(one: Difference) -> Interval:
    name = NAMES.get(one.name, one.name)
    said = f"{name}: {100 * one.difference:+.1f} points, chance {100 * one.chance:.1f}"
    low, high = one.difference - one.chance, one.difference + one.chance
    return Interval(name, one.difference, low, high, said, _shade(one))


def _panel(rows: list[Interval], across: Axis, limits: list[Limit]) -> Panel:
    return Panel(forest.figure_of(rows, across, limits), f"{'; '.join(o.words for o in rows)}.")


def _shade(one: Difference) -> str:
    return colour(0) if one.wrong else INK if one.untold else colour(1)


def _doubt(one: Difference) -> tuple[int, float]:
    """Figures in most doubt come first."""
    return (0 if one.wrong else 1 if one.untold else 2), -abs(one.difference)


CHART: Chart[Learned] = Chart(
    name="fidelity",
    title="How well the workload stands in for the log",
    caption="The learned workload on a fixed set of systems, beside the log: the busiest hour, or "
    "all of a shorter log.",
    draw=_draw,
    needed=False,
)
