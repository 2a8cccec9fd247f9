"""The numbers of sessions, and of requests in each, as functions of the session timeout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.learn.advice.advice import CLOSED_FROM, OPEN_UP_TO
from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Panel
from thinktime.present.figure import Figure, Limit, Series
from thinktime.present.page import colour
from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    from thinktime.learn import Learned

_HEIGHT = 300
_LIMITS = [
    Limit(OPEN_UP_TO, "y", f"open up to {OPEN_UP_TO:g}"),
    Limit(CLOSED_FROM, "y", f"closed from {CLOSED_FROM:g}"),
]
"""The rule of thumb beside the curve."""


def _draw(learned: Learned) -> Drawing | None:
    curve, chosen = learned.figures.curve, learned.figures.part.journeys.timeout_s
    found: tuple[tuple[str, str, FloatArray, list[Limit]], ...] = (
        ("Sessions", "sessions", curve.sessions, []),
        ("Requests a session", "requests a session", curve.requests_per_session, _LIMITS),
        ("Sessions lost by a longer timeout", "sessions a second of timeout, −dN/dτ",
         curve.slope, []),
    )  # fmt: skip
    return Drawing([
        _panel(title, y_title, curve.timeout_s, y, chosen, limits)
        for title, y_title, y, limits in found
    ])  # fmt: skip


def _panel(
    title: str, y_title: str, x: FloatArray, y: FloatArray, chosen: float, limits: list[Limit]
) -> Panel:
    positive = y[y > 0].tolist()
    if axes.is_wide(positive) and not limits:
        up = axes.log(min(positive), max(positive), "number", y_title)
    else:
        top = max([float(y.max()), *(one.at for one in limits)])
        up = axes.linear(0, 1.05 * top or 1.0, "number", y_title)
    taken = Limit(chosen, "x", f"taken: {units.seconds(chosen)}", dash="solid")
    across = axes.log(float(x[0]), float(x[-1]), "time", "timeout τ")
    curve = Series("line", x, y, title, colour(1), width=2, phrase="{y} at a timeout of {x}")
    figure = Figure(across, up, _HEIGHT, [curve], [*limits, taken])
    at = {
        units.seconds(time): units.number(float(np.interp(time, x, y)))
        for time in (60.0, 600.0, chosen)
    }
    phrases = "; ".join(f"{value} at a timeout of {time}" for time, value in at.items())
    return Panel(figure, f"{title}: {phrases}.", title)


CHART: Chart[Learned] = Chart(
    name="timeout",
    title="Against the session timeout",
    caption="Where the curve is level, the number of sessions hardly depends on the timeout.",
    draw=_draw,
)
