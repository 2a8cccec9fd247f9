"""The log's own values with the fitted laws over them: the share above x, a panel a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.learn.fit import Fit, Tally, Values
from thinktime.learn.views.tables import WORDS, kinds_of_values
from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import Figure, Series
from thinktime.present.page import colour
from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    from thinktime.learn import Learned

_POINTS_MAX = 400
_LAWS_SHOWN = 3
_PANEL_HEIGHT = 300


def _draw(learned: Learned) -> Drawing | None:
    shown = [one for one in kinds_of_values(learned) if one[1].tally.total > 0 and one[1].fits]
    if not shown:
        return None
    places = ("best law", "second best", "third best")
    keys = [Key("log", mark="dot", group="log")]
    keys += [Key(name, colour(n), group=f"law {n}") for n, name in enumerate(places)]
    return Drawing([_panel(*one) for one in shown], keys)


def _panel(name: str, values: Values, kind: str) -> Panel:
    x, above = _above(values.tally)
    phrase = "{y} above {x}"
    log = Series("points", x, above, "log", marks="dot", size=4, phrase=phrase, group="log")
    low, high = max(float(x[0]), 1e-6), max(float(x[-1]), 1e-6)
    grid = np.geomspace(low, max(high, low * 1.001), 200)
    laws = [
        _law(fit, values.tally, grid, float(above[-1]), n)
        for n, fit in enumerate(values.fits[:_LAWS_SHOWN])
    ]
    figure = Figure(
        axes.log(low, max(high, low * 1.001), kind, name),
        axes.log(float(above[-1]) / 2, 1.0, "share", "share above"),
        _PANEL_HEIGHT, [log, *laws],
    )  # fmt: skip
    return Panel(figure, _words(values, kind), name.capitalize())


def _law(fit: Fit, tally: Tally, grid: FloatArray, least: float, place: int) -> Series:
    law = 1 - fit.cdf(grid)
    if tally.limit is not None:  # only values up to the limit could be observed
        most = float(fit.cdf(tally.limit)[0])
        law = (most - fit.cdf(grid)) / max(most, 1e-12)
    return Series(
        "line", grid, np.maximum(law, least / 10 + 1e-9),
        f"{units.law(fit.notation)}, off by {units.percent(fit.ks)}", colour(place),
        group=f"law {place}", phrase="{y} above {x}",
    )  # fmt: skip


def _above(tally: Tally) -> tuple[FloatArray, FloatArray]:
    """Upper ends of bins, and the share of values beyond each; thinned out for drawing."""
    upto = np.cumsum(tally.count) / tally.count.sum()
    x, above = np.where(tally.resolution > 0, tally.low, tally.high), 1 - upto
    shown = (above > 1e-12) & (x > 0)
    x, above = x[shown], above[shown]
    if len(x) == 0:
        return np.asarray([max(float(tally.high[-1]), 1e-6)]), np.asarray([0.5])
    places = np.unique(np.linspace(0, len(x) - 1, min(len(x), _POINTS_MAX)).astype(int))
    return x[places], above[places]


def _words(values: Values, kind: str) -> str:
    write, tally = WORDS[kind], values.tally
    p50, p99 = (write(tally.quantile(share)) for share in (0.5, 0.99))
    laws = [
        f"{units.law(fit.notation)} off by {units.percent(fit.ks)}"
        for fit in values.fits[:_LAWS_SHOWN]
    ]
    return f"Median {p50}, p99 {p99}; laws, the best first: {'; '.join(laws)}."


CHART: Chart[Learned] = Chart(
    name="values",
    title="The log's values and the laws over them",
    caption="Read upwards at a value: the share of values above it. A law fits if its line runs "
    "through the points.",
    draw=_draw,
)
