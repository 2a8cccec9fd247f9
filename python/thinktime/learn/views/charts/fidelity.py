"""The distance of the learned workload's figures from the log's, and its part due to chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from thinktime.learn.fidelity.difference import Difference
from thinktime.learn.fidelity.words import NAMES
from thinktime.present.chart import INK, Chart, Drawing, Key, Panel, layout, titled
from thinktime.present.page import colour

if TYPE_CHECKING:
    from thinktime.learn import Learned

_ROW = 26


def _draw(learned: Learned) -> Drawing | None:
    found = learned.fidelity
    if found is None or not found.differences:
        return None
    ratios = [one for one in found.differences.values() if not one.in_points]
    points = [one for one in found.differences.values() if one.in_points]
    panels = [_panel(ratios, "Against the log's, in percent", "%")]
    if points:
        panels.append(_panel(points, "Hit ratios against the log's, in points", "points"))
    keys = [
        Key("small enough, or chance", colour(1), mark="dot"),
        Key("neither", colour(0), mark="dot"),
        Key("cannot be told: chance exceeds the small enough", colour(2), mark="dot"),
        Key("difference between replays of the learned workload"),
    ]
    return Drawing(panels, keys)


def _panel(shown: list[Difference], title: str, unit: str) -> Panel:
    names = [NAMES.get(one.name, one.name) for one in shown]
    values = [100 * one.difference for one in shown]
    chance = [100 * one.chance for one in shown]
    shades = [colour(0 if one.wrong else 2 if one.untold else 1) for one in shown]
    phrases = [
        f"{name}: {value:+.1f} {unit}, chance {within:.1f}"
        for name, value, within in zip(names, values, chance, strict=True)
    ]
    figure = go.Figure(
        go.Scatter(
            x=values, y=names, mode="markers", marker={"size": 10, "color": shades}, text=phrases,
            error_x={"array": chance, "color": INK, "thickness": 1}, hoverinfo="text",
        )
    )  # fmt: skip
    figure.add_vline(x=0, line={"color": INK, "width": 1}, name="ink")
    figure.update_layout(layout(90 + _ROW * len(shown)))
    figure.update_yaxes(type="category", automargin=True, autorange="reversed")
    titled(figure, title)
    return Panel(figure, f"{'; '.join(phrases)}.", title)


CHART: Chart[Learned] = Chart(
    name="fidelity",
    title="How well the workload stands in for the log",
    caption="The learned workload's busiest hour on a fixed set of systems, beside the log's.",
    draw=_draw,
    needed=False,
)
