"""The common parts of all charts: their pictures, legends and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from thinktime.present.figure import Figure
from thinktime.present.page import Section

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Key:
    """An entry of a chart's legend, which is outside the picture, so that it wraps."""

    name: str
    colour: str = ""
    """Empty for the page's ink."""

    dash: str = "solid"
    mark: str = "line"
    """`line`, `box`, `dot` or `cross`."""

    group: str = ""
    """The group of the series that it shows and hides; empty if it only explains."""


@dataclass(frozen=True)
class Panel:
    """One picture of a chart."""

    figure: Figure
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

    note: str = ""
    """What the chart leaves out, in a sentence below it."""


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
