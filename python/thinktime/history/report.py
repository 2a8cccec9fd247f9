"""The trend of a workload as a report, with its charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from thinktime.comparison import words
from thinktime.comparison.estimate import Missing
from thinktime.history.table import table
from thinktime.history.trend import FIGURES, Trend
from thinktime.present import axes, units
from thinktime.present.chart import (
    INK,
    Chart,
    Drawing,
    Key,
    Panel,
    escape,
    layout,
    sections,
    titled,
)
from thinktime.present.page import colour
from thinktime.present.report import Report

WORDS = {
    "bars": "95 % confidence intervals of each result's own figure.",
    "change point": "A result at which a figure changes for good, by the E-divisive procedure of "
    "Matteson and James with permutations, at a level of 5 % for each figure.",
}
_TITLES = {
    "mean": "Mean response time", "p50": "Median response time", "p99": "99th percentile",
    "throughput": "Throughput", "errors": "Share of errors",
}  # fmt: skip
_AXES = {"throughput": "requests a second", "errors": "share that failed"}
_HEIGHT = 280
_OPEN = ("mean", "p99")
"""The charts that every reader sees."""


def report_of(found: Sequence[Trend]) -> Report:
    """The report of a workload's trends, one for each target."""
    several = len(found) > 1
    phrases = [f"{one.target}: {one.verdict}" if several else one.verdict for one in found]
    changes = [
        f"{one.target + ': ' if several else ''}{one.name(shift.place)}: {one.words_of(shift)}."
        for one in found
        for shift in one.shifts
        if one.words_of(shift) not in one.verdict
    ]
    charts = [_chart(figure) for figure in FIGURES if any(_worth(one, figure) for one in found)]
    return Report(
        f"{found[0].workload} over time",
        f"trend of {found[0].workload}",
        "",
        phrases[0],
        parts=[table(found)],
        headline=phrases[0],
        findings=[*phrases[1:], *changes],
        charts=lambda: [
            replace(one, folded=one.name not in _OPEN) for one in sections(charts, found)
        ],
        words=WORDS,
    )


def _worth(trend: Trend, figure: str) -> bool:
    return any(one.value for _, one in trend.known(figure))


def _chart(figure: str) -> Chart[Sequence[Trend]]:
    return Chart(
        name=figure.replace(".", "-"),
        title=_TITLES[figure],
        caption="A point a result, the oldest first; a vertical line is a change point.",
        draw=lambda found: _draw(found, figure),
    )


def _draw(found: Sequence[Trend], figure: str) -> Drawing | None:
    panels = [_panel(one, figure, place) for place, one in enumerate(found) if _worth(one, figure)]
    keys = [Key("result and its 95 % interval", colour(0), mark="dot"), Key("change point")]
    return Drawing(panels, keys if len(panels) == 1 else keys[1:]) if panels else None


def _panel(trend: Trend, figure: str, place: int) -> Panel:
    known = trend.known(figure)
    picture = go.Figure(
        go.Scatter(
            x=[number + 1 for number, _ in known],
            y=[one.value for _, one in known],
            error_y={
                "array": [one.high - one.value for _, one in known],
                "arrayminus": [one.value - one.low for _, one in known],
                "thickness": 1, "width": 3,
            },
            mode="lines+markers", line={"color": colour(place), "width": 1},
            marker={"size": 7, "color": colour(place)},
            text=[_hover(trend, number, figure) for number, _ in known], hoverinfo="text",
        )
    )  # fmt: skip
    for shift in trend.shifts:
        if shift.figure == figure:
            line = {"color": INK, "dash": "dash", "width": 1}
            picture.add_vline(x=shift.place + 0.5, line=line, name="ink")
    kind = {"throughput": "number", "errors": "share"}.get(figure, "time")
    highest = max(one.high for _, one in known)
    picture.update_layout(layout(_HEIGHT))
    picture.update_xaxes(axes.linear(0.5, len(trend.results) + 0.5, "number", "result"))
    picture.update_yaxes(axes.linear(0, 1.05 * highest or 1.0, kind))
    titled(picture, _AXES.get(figure, "response time"))
    return Panel(picture, _chart_words(trend, figure), trend.target)


def _hover(trend: Trend, number: int, figure: str) -> str:
    one = trend.results[number]
    found = one.subject.estimates[figure]
    value = found.reason if isinstance(found, Missing) else words.value(figure, found.value)
    return escape(f"{one.commit or one.made}: {value}")


def _chart_words(trend: Trend, figure: str) -> str:
    """The first and the last value, and the changes between, in words for the chart."""
    values = [words.value(figure, one.value) for _, one in trend.known(figure)]
    changes = [trend.words_of(shift) for shift in trend.shifts if shift.figure == figure]
    phrases = f"{units.listed(changes)}" if changes else "no change point"
    return f"{trend.target}: from {values[0]} to {values[-1]}; {phrases}."
