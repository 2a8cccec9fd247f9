"""The lateness of requests over time, for real runs only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinktime.present import units
from thinktime.present.chart import Chart, Drawing, Key
from thinktime.present.figure import DASHES, Series
from thinktime.report.case import Case, Entry
from thinktime.report.charts import panels, tallies
from thinktime.report.charts.style import colour
from thinktime.report.charts.tallies import OverTime
from thinktime.theory.law import FloatArray

FINEST_S = 1e-6
"""Smaller values are drawn at this one: a kernel's clock and threads cannot resolve them."""


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    if not until_s > 0:
        return None
    interval = tallies.interval_of(until_s, len(cases))
    entries = [(case, entry) for case in cases for entry in case.entries]
    lines = [line for one in entries for line in _line(*one, until_s, interval)]
    if not lines:
        return None
    title = f"lateness, a step each {units.seconds(interval, 2)}"
    keys = [Key("mean", group="mean"), Key("longest", dash=DASHES["exact"], group="longest")]
    return Drawing(panels.stacked(lines, title, until_s, "time"), keys, linked=True)


def _line(case: Case, entry: Entry, until_s: float, interval: float) -> list[panels.TimeLine]:
    if entry.kind != "measured":
        return []
    tallied = tallies.tally(entry, until_s, interval)
    found = None if tallied is None else tallies.over_time(tallied, until_s, interval)
    if found is None or not np.isfinite(found.late_most_s).any():
        return []
    style = {"colour": colour(case), "width": 1.6}
    dotted = style | {"dash": DASHES["exact"], "width": 1}
    series = [
        curve(found, found.late_mean_s, f"{case.label}: mean lateness", style, group="mean"),
        curve(found, found.late_most_s, f"{case.label}: longest lateness", dotted, group="longest"),
    ]
    return [panels.TimeLine(case, series, _words(found))]


def curve(
    found: OverTime, late_s: FloatArray, name: str, style: dict[str, object], **more: object
) -> Series:
    """Lateness in intervals as a curve, with gaps if nothing was sent."""
    drawn = np.maximum(late_s, FINEST_S)
    return panels.steps(found.edges_s, np.append(drawn, drawn[-1]), name, style, **more)


def _words(found: OverTime) -> str:
    """The range of the mean, and the longest lateness with its moment."""
    mean, most = found.late_mean_s, found.late_most_s
    place = int(np.nanargmax(most))
    ends = units.times_between(max(float(np.nanmin(mean)), 0.0), max(float(np.nanmax(mean)), 0.0))
    return (
        f"Sent minus scheduled: the mean of each {units.seconds(found.interval_s, 2)} {ends}; the "
        f"longest {units.seconds(float(most[place]))}, at "
        f"{units.seconds(place * found.interval_s, 2)}."
    )


CHART = Chart(
    name="lateness",
    title="How late requests were sent",
    caption="The load generator itself adds this to response times: if it is not small beside "
    "them, they say little of the server.",
    draw=_draw,
    needed=False,
)
