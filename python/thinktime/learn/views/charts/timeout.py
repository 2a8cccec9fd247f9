"""The numbers of sessions, and of requests in each, as functions of the session timeout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from thinktime.learn.advice.advice import CLOSED_FROM, OPEN_UP_TO
from thinktime.present import axes, units
from thinktime.present.chart import INK, Chart, Drawing, Key, Panel, layout, titled
from thinktime.present.page import colour
from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    from thinktime.learn import Learned

_HEIGHT = 300


def _draw(learned: Learned) -> Drawing | None:
    curve, chosen = learned.figures.curve, learned.figures.part.journeys.timeout_s
    panels = [
        _panel("Sessions", "sessions", curve.timeout_s, curve.sessions, chosen),
        _limits(
            _panel(
                "Requests a session", "requests a session", curve.timeout_s,
                curve.requests_per_session, chosen,
            )
        ),
        _panel(
            "Sessions lost by a longer timeout", "sessions a second of timeout, −dN/dτ",
            curve.timeout_s, curve.slope, chosen,
        ),
    ]  # fmt: skip
    keys = [Key(f"the timeout that was taken, {units.seconds(chosen)}", dash="solid")]
    keys.append(Key(f"open up to {OPEN_UP_TO:g}, closed from {CLOSED_FROM:g}", dash="4px,4px"))
    return Drawing(panels, keys)


def _panel(title: str, y_title: str, x: FloatArray, y: FloatArray, chosen: float) -> Panel:
    figure = go.Figure(
        go.Scatter(
            x=x.tolist(), y=y.tolist(), mode="lines", line={"color": colour(1), "width": 2},
            hovertemplate="%{y:.4~g} at a timeout of %{x:.3~g} s<extra></extra>",
        )
    )  # fmt: skip
    figure.add_vline(x=chosen, line={"color": INK, "width": 1}, name="ink")
    figure.update_layout(layout(_HEIGHT))
    figure.update_xaxes(axes.log(float(x[0]), float(x[-1]), "time", "timeout τ"))
    positive = y[y > 0].tolist()
    if axes.is_wide(positive):
        figure.update_yaxes(axes.log(min(positive), max(positive), "number"))
    else:
        figure.update_yaxes(axes.linear(0, 1.05 * float(y.max()) or 1.0, "number"))
    titled(figure, y_title)
    at = {
        units.seconds(time): units.number(float(np.interp(time, x, y)))
        for time in (60.0, 600.0, chosen)
    }
    phrases = "; ".join(f"{value} at a timeout of {time}" for time, value in at.items())
    return Panel(figure, f"{title}: {phrases}.", title)


def _limits(panel: Panel) -> Panel:
    """The rule of thumb beside the curve."""
    top = max(panel.figure.layout.yaxis.range[1], 1.05 * CLOSED_FROM)
    panel.figure.update_yaxes(range=[0, top])
    for limit in (OPEN_UP_TO, CLOSED_FROM):
        dashed = {"color": INK, "dash": "4px,4px", "width": 1}
        panel.figure.add_hline(y=limit, line=dashed, name="ink")
    return panel


CHART: Chart[Learned] = Chart(
    name="timeout",
    title="Against the session timeout",
    caption="Where the curve is level, the number of sessions hardly depends on the timeout.",
    draw=_draw,
)
