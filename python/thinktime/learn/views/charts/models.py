"""The results of each system model for the same server: mean and p99 on one scale of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel, layout
from thinktime.present.page import colour

if TYPE_CHECKING:
    from thinktime.learn import Learned

_MARKS = (("mean", "mean_s", colour(1)), ("p99", "p99_s", colour(0)))


def _draw(learned: Learned) -> Drawing | None:
    found = learned.advice.models
    figure = go.Figure()
    for words, figure_name, shade in _MARKS:
        times = [getattr(model, figure_name) for model in found.values()]
        figure.add_trace(
            go.Scatter(
                x=times, y=list(found), mode="markers", marker={"size": 11, "color": shade},
                text=[f"{words} {units.seconds(time)}" for time in times], hoverinfo="text+y",
            )
        )  # fmt: skip
    times = [getattr(model, name) for model in found.values() for _, name, _ in _MARKS]
    figure.update_layout(layout(90 + 44 * len(found)))
    low, high = min(times), max(times)
    log = axes.is_wide(times)
    scale = axes.log(low, high, "time") if log else axes.linear(0, 1.06 * high, "time")
    figure.update_xaxes(scale | {"title": {"text": "response time"}})
    figure.update_yaxes(type="category", automargin=True)
    phrases = "; ".join(
        f"{name} mean {units.seconds(model.mean_s)}, p99 {units.seconds(model.p99_s)}"
        for name, model in found.items()
    )
    keys = [Key(words, shade, mark="dot") for words, _, shade in _MARKS]
    return Drawing([Panel(figure, f"Response times by model: {phrases}.")], keys)


CHART: Chart[Learned] = Chart(
    name="models",
    title="How far the models lie apart",
    caption="The same server at the same load: only how users behave differs.",
    draw=_draw,
)
