"""The trend of a workload as a report, with its charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thinktime.comparison import words
from thinktime.comparison.estimate import Missing
from thinktime.history.table import table
from thinktime.history.trend import FIGURES, Trend
from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel, sections
from thinktime.present.figure import Figure, Limit, Series
from thinktime.present.page import colour
from thinktime.present.report import Report
from thinktime.results import origin_line

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
        origin=_origin(found),
        headline=phrases[0],
        findings=[*phrases[1:], *changes],
        charts=lambda: [
            replace(one, folded=one.name not in _OPEN) for one in sections(charts, found)
        ],
        words=WORDS,
    )


def _origin(found: Sequence[Trend]) -> str:
    """How many results there are, of what, and from when to when."""
    entries = [entry for one in found for entry in one.results]
    many = units.counted(len(entries), "result")
    targets = origin_line.places(one.target for one in found)
    moments = origin_line.moments(entry.made for entry in entries)
    return origin_line.joined(["history", many, targets, moments])


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
    keys = [Key("result and its 95 % interval", colour(0), mark="dot")]
    if any(shift.figure == figure for one in found for shift in one.shifts):
        keys.append(Key("change point", dash="4 3"))
    return Drawing(panels, keys if len(panels) == 1 else keys[1:]) if panels else None


def _panel(trend: Trend, figure: str, place: int) -> Panel:
    known = trend.known(figure)
    values = Series(
        "line", [number + 1 for number, _ in known], [one.value for _, one in known],
        trend.target, colour(place), width=1, marks="dot", size=7,
        low=[one.low for _, one in known], high=[one.high for _, one in known],
        words=[_hover(trend, number, figure) for number, _ in known],
    )  # fmt: skip
    changes = [
        Limit(shift.place + 0.5, "x", trend.name(shift.place))
        for shift in trend.shifts
        if shift.figure == figure
    ]
    kind = {"throughput": "number", "errors": "share"}.get(figure, "time")
    highest = max(one.high for _, one in known)
    picture = Figure(
        axes.linear(0.5, len(trend.results) + 0.5, "number", "result"),
        axes.linear(0, 1.05 * highest or 1.0, kind, _AXES.get(figure, "response time")),
        _HEIGHT, [values], changes,
    )  # fmt: skip
    return Panel(picture, _chart_words(trend, figure), trend.target)


def _hover(trend: Trend, number: int, figure: str) -> str:
    one = trend.results[number]
    found = one.subject.estimates[figure]
    value = found.reason if isinstance(found, Missing) else words.value(figure, found.value)
    return f"{one.commit or one.made}: {value}"


def _chart_words(trend: Trend, figure: str) -> str:
    """The first and the last value, and the changes between, in words for the chart."""
    values = [words.value(figure, one.value) for _, one in trend.known(figure)]
    changes = [trend.words_of(shift) for shift in trend.shifts if shift.figure == figure]
    phrases = f"{units.listed(changes)}" if changes else "no change point"
    return f"{trend.target}: from {values[0]} to {values[-1]}; {phrases}."
