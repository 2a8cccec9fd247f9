"""The results of each system model for the same server: mean and p99 on one scale of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import INK, Figure, Series
from thinktime.present.page import colour

if TYPE_CHECKING:
    from thinktime.learn import Learned

_MARKS = (("mean", "mean_s", colour(1)), ("p99", "p99_s", colour(0)))


def _draw(learned: Learned) -> Drawing | None:
    found = learned.advice.models
    rows = list(range(len(found)))
    columns = {name: [getattr(one, name) for one in found.values()] for _, name, _ in _MARKS}
    low, high = columns["mean_s"], columns["p99_s"]
    series = [Series("points", low, rows, "", INK, low=low, high=high, spread="across")]
    series += [
        Series("points", columns[name], rows, words, shade, marks="dot", size=11,
               phrase="{x}, {y}", group=words)
        for words, name, shade in _MARKS
    ]  # fmt: skip
    times = [*low, *high]
    wide = axes.is_wide(times)
    title = "response time"
    across = (
        axes.log(min(times), max(times), "time", title)
        if wide
        else axes.linear(0, 1.06 * max(times), "time", title)
    )
    up = axes.categories(list(found))
    figure = Figure(across, up, 90 + 44 * len(found), series)
    phrases = "; ".join(
        f"{name} mean {units.seconds(model.mean_s)}, p99 {units.seconds(model.p99_s)}"
        for name, model in found.items()
    )
    keys = [Key(words, shade, mark="dot", group=words) for words, _, shade in _MARKS]
    return Drawing([Panel(figure, f"Response times by model: {phrases}.")], keys)


CHART: Chart[Learned] = Chart(
    name="models",
    title="How far the models lie apart",
    caption="The same server at the same load: only how users behave differs.",
    draw=_draw,
)
