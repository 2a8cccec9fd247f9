"""Requests and sessions over time, and the rate of sessions that was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import Figure, Series
from thinktime.present.page import colour
from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    from thinktime.learn import Learned

_POINTS_MAX = 400
_MINUTE_S = 60.0
_HEIGHT = 300


def _draw(learned: Learned) -> Drawing | None:
    found = [(name, *_rates(learned, name)) for name in ("requests", "sessions")]
    panels = [_panel(learned, *one) for one in found if len(one[1])]
    if not panels:
        return None
    learned_key = Key("sessions, as learned", colour(2), group="learned")
    return Drawing(panels, [Key("log", colour(1), group="log"), learned_key])


def _panel(learned: Learned, name: str, times: FloatArray, rates: FloatArray) -> Panel:
    fitted, starts = None, learned.figures.part.starts
    if name == "sessions" and starts is not None:
        found = starts.steps.rates * learned.figures.one_in
        fitted = np.arange(len(found), dtype=np.float64) * starts.steps.step_s, found
    return panel(name, times, rates, max(learned.log.requests.span_s, _MINUTE_S), fitted)


def panel(
    name: str,
    times: FloatArray,
    rates: FloatArray,
    end_s: float,
    fitted: tuple[FloatArray, FloatArray] | None = None,
) -> Panel:
    """Rates from some times on, up to an end, and perhaps the learned rates."""
    series = [_steps(times, rates, "log", colour(1), end_s)]
    highest = float(rates.max())
    if fitted is not None:
        series.append(_steps(*fitted, "learned", colour(2), end_s))
        highest = max(highest, float(np.max(fitted[1], initial=0.0)))
    title = f"{name} a second, mean of {_width(times)}"
    figure = Figure(
        axes.linear(0, end_s, "time", "time since the log's begin"),
        axes.linear(0, 1.05 * highest or 1.0, "number", title),
        _HEIGHT, series,
    )  # fmt: skip
    words = (
        f"{name.capitalize()} over {units.seconds(end_s)}: mean "
        f"{units.rate(float(rates.mean()))}, most {units.rate(float(rates.max()))}."
    )
    return Panel(figure, words, name.capitalize())


def _rates(learned: Learned, name: str) -> tuple[FloatArray, FloatArray]:
    """The beginnings of intervals, in seconds, and the rate in each: at most 400 intervals."""
    figures = learned.figures
    begun_s = figures.part.journeys.starts_s
    since_ns = figures.part.requests.rows["time_ns"] - learned.log.requests.rows["time_ns"][0]
    times_s = since_ns.to_numpy() * 1e-9
    at = times_s if name == "requests" else begun_s + times_s[0]
    counts = np.bincount((at / _MINUTE_S).astype(np.int64)).astype(np.float64)
    counts *= figures.one_in
    if not len(counts):
        return counts, counts
    width = max(1, -(-len(counts) // _POINTS_MAX))
    if len(counts) > width:
        counts = counts[: len(counts) // width * width]  # half an interval misleads
    edges = np.arange(0, len(counts), width)
    lengths = np.diff(np.append(edges, len(counts)))
    rates = np.add.reduceat(counts, edges) / lengths / _MINUTE_S
    return np.asarray(edges * _MINUTE_S, np.float64), np.asarray(rates, np.float64)


def _width(times: FloatArray) -> str:
    """The width of the intervals, in words."""
    return "each interval" if len(times) < 2 else f"each {units.seconds(times[1] - times[0], 2)}"


def _steps(x: FloatArray, y: FloatArray, group: str, shade: str, end_s: float) -> Series:
    """Rates, the last of them up to the end."""
    after = max(end_s, float(x[-1])) if len(x) else end_s
    places, rates = np.append(x, after), np.append(y, y[-1:])
    return Series(
        "step", places[: len(rates)], rates, group, shade, width=1.4, group=group,
        phrase="{y}/s from {x} on",
    )  # fmt: skip


CHART: Chart[Learned] = Chart(
    name="arrivals",
    title="Arrivals over time",
    caption="The rate in each interval of the log, and the rate that was learned of sessions.",
    draw=_draw,
)
