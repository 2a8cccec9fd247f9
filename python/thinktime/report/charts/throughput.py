"""Completed requests a second over time, beside the offered rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from thinktime.present import units
from thinktime.present.chart import Chart, Drawing, Key
from thinktime.present.figure import INK, Series, thin
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels
from thinktime.report.charts.style import kind_keys, line
from thinktime.theory.law import FloatArray

_OFFERED = {"colour": INK, "width": 1.2, "dash": "solid"}

_Counts = tuple[Case, Entry, pl.DataFrame]
"""The counts of one result in each interval."""


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    found = _counted(cases, until_s)
    if not found:
        return None
    kinds: list[Kind] = [entry.kind for _, entry, _ in found]
    lines = [_line(case, [one for one in found if one[0] is case]) for case in cases]
    interval = units.seconds(float(found[0][2]["interval_s"][0]))
    y_title = f"requests a second, mean of each {interval}"
    keys = [*_completed_keys(kinds, cases), Key("offered", group="offered")]
    drawn = [line for line in lines if line.series]
    return Drawing(panels.stacked(drawn, y_title, until_s), keys, linked=True)


def _completed_keys(kinds: Sequence[Kind], cases: Sequence[Case]) -> list[Key]:
    """The methods of the completed rates; if there is one, what the line is says more."""
    keys = kind_keys(((kind, "") for kind in kinds), cases)
    return [replace(keys[0], name="completed")] if len(keys) == 1 else keys


def _line(case: Case, found: Sequence[_Counts]) -> panels.TimeLine:
    phrases = "; ".join(_words(entry, table) for _, entry, table in found)
    return panels.TimeLine(case, _series(found), f"Requests a second: {phrases}.")


def _counted(cases: Sequence[Case], until_s: float) -> list[_Counts]:
    """The series of all results in the same intervals, so that they can be overlaid.

    Long series have longer intervals than short ones; the longest is taken for all.
    """
    found = [
        (case, entry, table)
        for case in cases
        for entry in panels.results_over_time(case)
        if (table := panels.series(entry, until_s)) is not None
    ]
    common = panels.interval_s([table for *_, table in found])
    same = [(case, entry, panels.in_intervals(table, common)) for case, entry, table in found]
    return [one for one in same if one[2].height > 0]


def _series(found: Sequence[_Counts]) -> list[Series]:
    """The offered rate, in the page's ink, and the completed rate of each result of a case."""
    series = []
    for place, (case, entry, table) in enumerate(found):
        if place == 0:
            offered = _rate(table, "scheduled")
            series.append(
                panels.steps(*offered, f"{case.label}: offered", _OFFERED, group="offered")
            )
        name = f"{case.label}: completed, {entry.kind}"
        style = {**line(case, entry.kind), "width": 1.6}
        series.append(panels.steps(*_rate(table, "completed"), name, style))
    return series


def _words(entry: Entry, table: pl.DataFrame) -> str:
    span_s = float(table["interval_s"].sum())
    rates = [units.rate(float(table[name].sum()) / span_s) for name in ("scheduled", "completed")]
    return f"{entry.kind} {rates[0]} offered, {rates[1]} completed"


def _rate(table: pl.DataFrame, column: str) -> tuple[FloatArray, FloatArray]:
    """The rate from the start of each interval on, and at the end of the last."""
    starts, lengths = (table[name].to_numpy() for name in ("start_s", "interval_s"))
    rate = table[column].to_numpy() / lengths
    return thin(np.append(starts, starts[-1] + lengths[-1]), np.append(rate, rate[-1]))


CHART = Chart(
    name="throughput",
    title="Offered and completed requests",
    caption="Where the coloured line stays below the grey one, more was offered than completed, "
    "and a queue grew.",
    draw=_draw,
)
