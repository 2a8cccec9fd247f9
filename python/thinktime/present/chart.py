"""The common parts of all charts: their form, colours, line styles and legends."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from thinktime.present.page import Section

FloatArray = NDArray[np.float64]

POINTS_MAX = 2000
"""A curve has at most this many points."""

INK = "#888888"
"""Stands for the page's ink, which changes in the dark: see `meta` in page.js."""

DASHES = {"measured": "solid", "simulated": "7px,3px", "exact": "2px,3px"}

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Key:
    """An entry of a chart's legend, which is outside the picture, so that it wraps."""

    name: str
    colour: str = ""
    """Empty for the page's ink."""

    dash: str = "solid"
    mark: str = "line"
    """`line`, `box` or `dot`."""

    group: str = ""
    """The `legendgroup` of the traces that it shows and hides; empty if it only explains."""


@dataclass(frozen=True)
class Panel:
    """One picture of a chart."""

    figure: go.Figure
    words: str
    """Its figures, in sentences: for readers who cannot see it."""

    title: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart as it stands on a page: pictures side by side if there is room, and a legend."""

    panels: Sequence[Panel]
    keys: Sequence[Key] = ()

    linked: bool = False
    """Whether the pictures share one horizontal axis: then they lie one below the other, and a zoom
    into one is a zoom into all."""


@dataclass(frozen=True)
class Chart(Generic[Subject]):
    """A chart: its drawing of a subject, or None without data."""

    name: str
    title: str
    caption: str
    """One sentence that describes the picture."""

    draw: Callable[[Subject], Drawing | None]

    needed: bool = True
    """Whether a page without it mentions that it has no data."""


def sections(charts: Iterable[Chart[Subject]], subject: Subject) -> list[Section]:
    """The charts of a page."""
    drawn = [(chart, chart.draw(subject)) for chart in charts]
    return [
        Section(chart.name, chart.title, chart.caption, drawing)
        for chart, drawing in drawn
        if drawing is not None or chart.needed
    ]


def escape(text: str) -> str:
    """Text for literal display in a chart: no markup, no hover variable."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def layout(height: int, **more: Any) -> dict[str, Any]:
    """The layout of every picture; colours of text and grid come from the page's theme."""
    base: dict[str, Any] = {
        "template": None,
        "height": height,
        "margin": {"l": 40, "r": 24, "t": 30, "b": 46},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "showlegend": False,
    }
    return base | more


def titled(figure: go.Figure, y_title: str, shift: int = 6) -> go.Figure:
    """Sets the vertical axis's title above it, clear of ticks and neighbours."""
    figure.add_annotation(
        text=escape(y_title), x=0, xref="paper", xanchor="left", y=1, yref="paper",
        yanchor="bottom", yshift=shift, showarrow=False, name="y-title",
    )  # fmt: skip
    return figure


def thin(x: FloatArray, y: FloatArray, points: int = POINTS_MAX) -> tuple[FloatArray, FloatArray]:
    """At most `points` points: of each stretch the first, the least, the greatest and the last."""
    if len(x) <= points:
        return x, y
    edges = np.linspace(0, len(x), points // 4 + 1).astype(int)
    kept: list[int] = []
    for begin, end in pairwise(edges.tolist()):
        part = y[begin:end]
        extremes = (begin, begin + int(part.argmin()), begin + int(part.argmax()), end - 1)
        kept += sorted(set(extremes))
    return x[kept], y[kept]
