"""The page of what was learned: figures with the fitted laws over the log's own values."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from thinktime.learn.fit import Tally
from thinktime.learn.session import Values
from thinktime.learn.terminal import lines
from thinktime.report.charts.chart import COLOURS, layout
from thinktime.report.frame import frame

if TYPE_CHECKING:
    from thinktime.learn import Learned

HEIGHT = 380
POINTS_MAX = 400
LAWS_SHOWN = 3


def write(learned: Learned, path: Path) -> None:
    """Write the page; it loads nothing, and holds no addresses."""
    sessions = learned.sessions
    sections = [
        ("Sessions against the timeout", _timeouts(learned)),
        ("Requests a session against the timeout", _requests(learned)),
        ("Arrivals over time", _arrivals(learned)),
        ("Requests a session: share of sessions with more", _survival(sessions.requests, "")),
        ("Think time: share of times that are longer", _survival(sessions.think, "s")),
        ("Think time before pages", _survival(sessions.page_think, "s")),
        ("Response sizes", _survival(learned.sizes, "B")),
        ("Durations", _survival(learned.durations, "s")),
        ("Gaps between sessions", _survival(_gaps(learned), "s")),
        ("What each model would say", _models(learned)),
    ]
    shown = [(heading, figure) for heading, figure in sections if figure is not None]
    text = html.escape("\n".join(lines(learned, examples=False)))
    path.write_text(frame("Learned from a log", shown, f"<pre>{text}</pre>"), encoding="utf-8")


def _gaps(learned: Learned) -> Values:
    return Values(learned.arrivals.gap_tally, learned.arrivals.gaps, None)


def _timeouts(learned: Learned) -> go.Figure:
    curve = learned.curve
    figure = go.Figure()
    figure.add_trace(_line(curve.timeout_s, curve.sessions, "sessions N(τ)", COLOURS[1]))
    figure.add_trace(
        go.Scatter(
            x=curve.timeout_s.tolist(), y=curve.slope.tolist(), name="-dN/dτ", yaxis="y2",
            line={"color": COLOURS[0], "dash": "dot"},
        )
    )  # fmt: skip
    figure.update_layout(
        **layout(HEIGHT),
        yaxis2={"overlaying": "y", "side": "right", "type": "log", "title": "-dN/dτ [1/s]"},
    )
    # The axis at the right has its own words.
    figure.update_layout(margin={"r": 80})
    figure.update_yaxes(title_text="sessions", selector={"side": None})
    return _with_timeout(figure, learned)


def _requests(learned: Learned) -> go.Figure:
    curve = learned.curve
    figure = go.Figure()
    figure.add_trace(
        _line(curve.timeout_s, curve.requests_per_session, "requests a session", COLOURS[1])
    )
    for value, words in ((5, "open up to here"), (10, "closed from here")):
        figure.add_hline(y=value, line={"color": "#888888", "dash": "dash", "width": 1})
        figure.add_annotation(x=0, xref="paper", y=value, text=words, showarrow=False, yshift=8)
    figure.update_layout(**layout(HEIGHT))
    figure.update_yaxes(title_text="requests a session", rangemode="tozero")
    return _with_timeout(figure, learned)


def _with_timeout(figure: go.Figure, learned: Learned) -> go.Figure:
    figure.add_vline(x=learned.traffic.timeout_s, line={"color": "#888888", "width": 1})
    figure.update_xaxes(title_text="timeout τ [s]", type="log")
    return figure


def _arrivals(learned: Learned) -> go.Figure:
    traffic = learned.traffic
    figure = go.Figure()
    for name, colour in (("requests", COLOURS[1]), ("sessions", COLOURS[0])):
        counts = traffic.minutes(name).astype(np.float64)
        width = max(1, -(-len(counts) // POINTS_MAX))
        edges = np.arange(0, len(counts), width)
        rates = np.add.reduceat(counts, edges) / width / 60
        figure.add_trace(_line(edges / 60, np.maximum(rates, 1e-9), name, colour, "hv"))
    rates = learned.arrivals.rates
    hours = np.arange(len(rates)) * learned.arrivals.step_s / 3600
    figure.add_trace(_line(hours, np.maximum(rates, 1e-9), "sessions, learned", COLOURS[2], "hv"))
    figure.update_layout(**layout(HEIGHT))
    figure.update_xaxes(title_text="time since the log's begin [h]")
    figure.update_yaxes(title_text="per second", rangemode="tozero")
    return figure


def _survival(values: Values, unit: str) -> go.Figure | None:
    """The share of values above x, and that of the best laws, on logarithmic scales."""
    tally = values.tally
    if tally.total == 0 or not values.fits:
        return None
    x, above = _above(tally)
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=x.tolist(), y=above.tolist(), mode="markers", name="log",
            marker={"size": 4, "color": "#888888"},
        )
    )  # fmt: skip
    low, high = max(float(x[0]), 1e-6), float(x[-1])
    grid = np.geomspace(low, max(high, low * 1.001), 200)
    for fit, colour in zip(values.fits[:LAWS_SHOWN], COLOURS, strict=False):
        law = 1 - fit.cdf(grid)
        if tally.limit is not None:  # only values up to the limit could be seen
            most = float(fit.cdf(tally.limit)[0])
            law = (most - fit.cdf(grid)) / max(most, 1e-12)
        name = f"{fit.law} ({fit.ks:.1%})"
        figure.add_trace(_line(grid, np.maximum(law, above[-1] / 10 + 1e-9), name, colour))
    figure.update_layout(**layout(HEIGHT))
    figure.update_xaxes(title_text=unit or "number", type="log")
    figure.update_yaxes(title_text="share above", type="log")
    return figure


def _above(tally: Tally) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Upper ends of bins, and the share of values beyond each; thinned out for drawing."""
    upto = np.cumsum(tally.count) / tally.count.sum()
    x, above = np.where(tally.resolution > 0, tally.low, tally.high), 1 - upto
    shown = (above > 0) & (x > 0)
    x, above = x[shown], above[shown]
    if len(x) == 0:
        return np.asarray([max(float(tally.high[-1]), 1e-6)]), np.asarray([0.5])
    places = np.unique(np.linspace(0, len(x) - 1, min(len(x), POINTS_MAX)).astype(int))
    return x[places], above[places]


def _models(learned: Learned) -> go.Figure:
    advice = learned.advice
    models = {"partly-open": advice.partly_open, "open": advice.open, "closed": advice.closed}
    figure = go.Figure()
    for what, colour in (("mean_s", COLOURS[1]), ("p99_s", COLOURS[0])):
        figure.add_trace(
            go.Bar(
                x=[name for name, model in models.items() if model],
                y=[getattr(model, what) for model in models.values() if model],
                name=what.removesuffix("_s"), marker={"color": colour},
            )
        )  # fmt: skip
    figure.update_layout(**layout(HEIGHT))
    figure.update_yaxes(title_text=f"response time at load {advice.load:g} [s]", type="log")
    return figure


def _line(
    x: NDArray[np.float64], y: NDArray[np.float64], name: str, colour: str, shape: str = "linear"
) -> go.Scatter:
    line = {"color": colour, "shape": shape}
    return go.Scatter(x=x.tolist(), y=y.tolist(), mode="lines", name=name, line=line)
