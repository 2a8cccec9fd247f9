"""What all charts have in common: their form, colours, line styles and legends."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import plotly.graph_objects as go

from thinktime.present.page import Section
from thinktime.present.page import colour as colour_of
from thinktime.report.case import Case, Kind, Note
from thinktime.theory.law import FloatArray

POINTS_MAX = 2000
"""A curve has at most this many points."""

INK = "#888888"
"""Stands for the page's ink, which is another one in the dark: see `meta` in page.js."""

DASHES: dict[Kind, str] = {"measured": "solid", "simulated": "7px,3px", "exact": "2px,3px"}
LONG_DASH = "14px,4px"

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Key:
    """An entry of a chart's legend, which is outside the picture, so that it wraps."""

    name: str
    colour: str = ""
    """Nothing for the page's ink."""

    dash: str = "solid"
    mark: str = "line"
    """`line`, `box` or `dot`."""

    group: str = ""
    """The `legendgroup` of the traces that it shows and hides; nothing where it only explains."""


@dataclass(frozen=True)
class Panel:
    """One picture of a chart."""

    figure: go.Figure
    words: str
    """The figures that it shows, in sentences: for those who cannot see it."""

    title: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart as it stands on a page: pictures side by side where there is room, and a legend."""

    panels: Sequence[Panel]
    keys: Sequence[Key] = ()

    linked: bool = False
    """Whether the pictures have one horizontal axis: they lie one below the other then, and a zoom
    into one is a zoom into all."""


@dataclass(frozen=True)
class Chart(Generic[Subject]):
    """A chart: its drawing of a subject, or None where there is nothing to draw."""

    name: str
    title: str
    caption: str
    """One sentence that says what to see."""

    draw: Callable[[Subject], Drawing | None]

    needed: bool = True
    """Whether a page without it says that there is nothing to draw."""


def sections(charts: Iterable[Chart[Subject]], subject: Subject) -> list[Section]:
    """The charts of a page."""
    drawn = [(chart, chart.draw(subject)) for chart in charts]
    return [
        Section(chart.name, chart.title, chart.caption, drawing)
        for chart, drawing in drawn
        if drawing is not None or chart.needed
    ]


def colour(case: Case) -> str:
    """The colour of a case, the same throughout a report."""
    return colour_of(case.place)


def line(case: Case, kind: Kind, note: Note = "") -> dict[str, Any]:
    """The line of a curve: the colour says which case, the style how it was obtained."""
    dash = LONG_DASH if note == "long" else DASHES[kind]
    return {"color": colour(case), "dash": dash, "width": 2 if kind == "measured" else 1.6}


def escape(text: str) -> str:
    """Text that a chart shows as it is: no markup, no hover variable."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def case_keys(cases: Iterable[Case]) -> list[Key]:
    """What the colours mean."""
    return [Key(case.label, colour(case), group=str(case.place)) for case in cases]


def kind_keys(kinds: Iterable[tuple[Kind, Note]]) -> list[Key]:
    """What the line styles mean, as far as they occur."""
    used = {(kind, note if note == "long" else "") for kind, note in kinds}
    order: list[tuple[Kind, Note]] = [
        ("measured", ""), ("simulated", ""), ("simulated", "long"), ("exact", ""),
    ]  # fmt: skip
    return [
        Key("long simulation", dash=LONG_DASH) if note == "long" else Key(kind, dash=DASHES[kind])
        for kind, note in order
        if (kind, note) in used
    ]


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
    """Sets what the vertical axis shows above it, where it meets neither ticks nor neighbours."""
    figure.add_annotation(
        text=escape(y_title), x=0, xref="paper", xanchor="left", y=1, yref="paper",
        yanchor="bottom", yshift=shift, showarrow=False, name="y-title",
    )  # fmt: skip
    return figure


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
