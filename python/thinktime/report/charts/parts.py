"""The requests of each name, and of each population, over time: in the system, done, and late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from thinktime.present import units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import Series
from thinktime.present.page import colour
from thinktime.report.case import Case, Entry
from thinktime.report.charts import lateness, panels, tallies
from thinktime.report.charts.tallies import OverTime
from thinktime.theory.law import FloatArray

Column = Literal["name", "population"]


@dataclass(frozen=True)
class _Figure:
    """The figure that a row of pictures shows for each part."""

    title: str
    kind: str
    """The quantity of its axis: `number` or `time`."""

    values: Callable[[OverTime], FloatArray]
    words: Callable[[float], str]
    measured: bool = False
    """Whether simulations lack it."""


_FIGURES = (
    _Figure("requests in the system", "number", lambda one: one.in_system, units.number),
    _Figure(
        "requests completed a second", "number", lambda one: one.completed / one.interval_s,
        units.rate,
    ),
    _Figure("mean lateness", "time", lambda one: one.late_mean_s, units.seconds, measured=True),
)  # fmt: skip

Parts = dict[str, OverTime]
"""The figures of each part, by its name."""


def _draw(column: Column, cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    if not until_s > 0:
        return None
    interval = tallies.interval_of(until_s, len(cases))
    found = [one for case in cases for one in _of_case(case, column, until_s, interval)]
    names = list(dict.fromkeys(name for _, _, parts, _ in found for name in parts))
    if not found:
        return None
    pictures: list[Panel] = []
    for figure in _FIGURES:
        lines = [
            _line(case, parts, names, figure, left)
            for case, entry, parts, left in found
            if entry.kind == "measured" or not figure.measured
        ]
        drawn = [line for line in lines if line.series]
        if drawn:
            pictures += panels.stacked(drawn, figure.title, until_s, figure.kind, figure.title)
    keys = [Key(name, colour(n), group=f"part {n}") for n, name in enumerate(names)]
    note = _left_words(column, len(names), max(left for *_, left in found))
    return Drawing(pictures, keys, linked=True, note=note) if pictures else None


def _left_words(column: Column, shown: int, left: int) -> str:
    """What is not drawn, in a sentence; empty if all is."""
    if not left:
        return ""
    kinds = "request names" if column == "name" else "populations"
    many = f"{units.count(shown)} of {units.count(shown + left)} {kinds} are drawn"
    return f"{many}: those with most requests."


def _of_case(
    case: Case, column: Column, until_s: float, interval_s: float
) -> list[tuple[Case, Entry, Parts, int]]:
    """The parts of the first result of a case that has several, and the number without room."""
    for entry in panels.results_over_time(case):
        result = entry.result
        known = result.workload.request_names if column == "name" else result.populations
        if len(known) < 2 or not result.rows_complete:
            continue
        tallied = tallies.tally(entry, until_s, interval_s)
        if tallied is None:
            continue
        names = tallies.most_frequent(tallied, column, list(known))
        apart = [(name, tallied.filter(pl.col(column) == name)) for name in names]
        made = [(name, tallies.over_time(own, until_s, interval_s)) for name, own in apart]
        parts = {name: one for name, one in made if one is not None}
        if len(parts) > 1:
            return [(case, entry, parts, tallied[column].drop_nulls().n_unique() - len(parts))]
    return []


def _line(
    case: Case, parts: Parts, names: Sequence[str], figure: _Figure, left: int
) -> panels.TimeLine:
    series, phrases = list[Series](), list[str]()
    for name, part in parts.items():
        n, values = names.index(name), figure.values(part)
        if not np.isfinite(values).any():
            continue
        style = {"colour": colour(n), "width": 1.6}
        words, group = f"{case.label}: {name}", f"part {n}"
        if figure.kind == "time":
            series.append(lateness.curve(part, values, words, style, group=group))
        else:
            steps = np.append(values, values[-1])
            series.append(panels.steps(part.edges_s, steps, words, style, group=group))
        phrases.append(
            f"{name} {figure.words(float(np.nanmean(values)))} on average, at most "
            f"{figure.words(float(np.nanmax(values)))}"
        )
    more = f"; {units.count(left)} more are not drawn" if left > 0 else ""
    return panels.TimeLine(
        case, series, f"{figure.title.capitalize()}: {'; '.join(phrases)}{more}."
    )


_CAPTION = (
    "A curve each: the requests in the system at the end of each interval, those that succeed in "
    "it, and, of a real run, their lateness. A change in one alone has its cause there."
)

NAMES = Chart(
    name="names",
    title="Each kind of request over time",
    caption=_CAPTION,
    draw=partial(_draw, "name"),
    needed=False,
)

POPULATIONS = Chart(
    name="populations",
    title="Each population over time",
    caption=_CAPTION,
    draw=partial(_draw, "population"),
    needed=False,
)
