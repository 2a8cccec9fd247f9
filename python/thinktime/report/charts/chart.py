"""What all charts have in common: their form, colours and line styles."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from thinktime.report.case import Case, Kind, Note
from thinktime.theory.law import FloatArray

POINTS_MAX = 2000
"""A curve has at most this many points."""

# To be told apart by most eyes, and legible on white and on near black.
COLOURS = (
    "#d9622b", "#2f7ed8", "#14956b", "#9b5de0", "#c9942a", "#d6456f", "#0e97b5", "#7c8798",
)  # fmt: skip

DASHES: dict[Kind, str] = {"measured": "solid", "simulated": "7px,3px", "exact": "2px,3px"}
LONG_DASH = "14px,4px"


@dataclass(frozen=True)
class Chart:
    """A chart: its figure from the cases, or None where there is nothing to draw."""

    name: str
    title: str
    caption: str
    """One sentence that says what to see."""

    figure: Callable[[Sequence[Case]], go.Figure | None]

    needed: bool = True
    """Whether a page without it says that there is nothing to draw."""


def colour(case: Case) -> str:
    """The colour of a case, the same throughout a report."""
    return COLOURS[case.place % len(COLOURS)]


def line(case: Case, kind: Kind, note: Note = "") -> dict[str, Any]:
    """The line of a curve: the colour says which case, the style how it was obtained."""
    dash = LONG_DASH if note == "long" else DASHES[kind]
    return {"color": colour(case), "dash": dash, "width": 2 if kind == "measured" else 1.6}


def escape(text: str) -> str:
    """Text that a chart shows as it is: no markup, no hover variable."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def legend_key(name: str, **more: Any) -> go.Scatter:
    """An entry of the legend that stands for many curves."""
    return go.Scatter(x=[None], y=[None], mode="lines", name=name, hoverinfo="skip", **more)


def kind_keys(kinds: Sequence[tuple[Kind, Note]]) -> list[go.Scatter]:
    """The second legend: what the line styles mean. The page colours `meta` 'ink' by theme."""
    keys = []
    for kind, note in kinds:
        dash = LONG_DASH if note == "long" else DASHES[kind]
        name = "long simulation" if note == "long" else kind
        style = {"color": "#888888", "dash": dash, "width": 2}
        keys.append(legend_key(name, line=style, legend="legend2", meta="ink"))
    return keys


def layout(height: int, **more: Any) -> dict[str, Any]:
    """The layout of every chart; colours of text and grid come from the page's theme."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "bottom", "y": 1.0}
    base: dict[str, Any] = {
        "template": None,
        "height": height,
        "margin": {"l": 64, "r": 12, "t": 64, "b": 48},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "legend": {**legend, "yref": "container", "yanchor": "top", "y": 1.0},
        "legend2": {
            **legend,
            "yref": "container",
            "yanchor": "top",
            "y": 1 - 24 / height,
            "itemclick": False,
            "itemdoubleclick": False,
        },
    }
    return base | more


def thin(x: FloatArray, y: FloatArray, points: int = POINTS_MAX) -> tuple[FloatArray, FloatArray]:
    """At most so many points: of each stretch the first, the least, the greatest and the last."""
    if len(x) <= points:
        return x, y
    edges = np.linspace(0, len(x), points // 4 + 1).astype(int)
    kept: list[int] = []
    for begin, end in pairwise(edges.tolist()):
        part = y[begin:end]
        extremes = (begin, begin + int(part.argmin()), begin + int(part.argmax()), end - 1)
        kept += sorted(set(extremes))
    return x[kept], y[kept]
