"""Failed attempts over time, by cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from thinktime.present import units
from thinktime.present.chart import Chart, Drawing, Key
from thinktime.present.figure import Limit, Series
from thinktime.present.page import colour
from thinktime.report.case import Case
from thinktime.report.charts import panels, tallies
from thinktime.report.charts.style import objective
from thinktime.results.response_times import CANCELLED

Failed = tuple[Case, pl.DataFrame]
"""The tally of the failed attempts of a case."""


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    if not until_s > 0:
        return None
    interval = tallies.interval_of(until_s, len(cases))
    found = [one for case in cases for one in _failed(case, until_s, interval)]
    if not found:
        return None
    until_s = max([until_s, *(_end_s(table, interval) for _, table in found)])
    causes = tallies.most_frequent(pl.concat([table for _, table in found]), "cause", [])
    lines = [_line(case, table, causes, until_s, interval) for case, table in found]
    drawn = [line for line in lines if line.series]
    if not drawn:
        return None
    title = f"failed attempts a second, a step each {units.seconds(interval, 2)}"
    keys = [Key(cause, colour(n), group=f"cause {n}") for n, cause in enumerate(causes)]
    return Drawing(panels.stacked(drawn, title, until_s), keys, linked=True)


def _failed(case: Case, until_s: float, interval_s: float) -> list[Failed]:
    """The tally of a case's first result with all of its rows: a sample has too few."""
    for entry in panels.results_over_time(case):
        if entry.result.summary.get("errors_by_kind") and entry.result.rows_complete:
            tallied = tallies.tally(entry, until_s, interval_s)
            # None is null, so that successes are left out, too.
            failed = None if tallied is None else tallied.filter(pl.col("cause") != CANCELLED)
            if failed is not None and failed.height:
                return [(case, failed)]
    return []


def _end_s(failed: pl.DataFrame, interval_s: float) -> float:
    """The end of the interval in which the last attempt failed.

    An unanswered request fails when the run stops waiting for the last answers, after all else.
    """
    places = failed["over"].drop_nulls().to_numpy()
    return (int(places.max()) + 1) * interval_s if len(places) else 0.0


def _line(
    case: Case, failed: pl.DataFrame, causes: Sequence[str], until_s: float, interval_s: float
) -> panels.TimeLine:
    series, phrases = list[Series](), list[str]()
    for n, cause in enumerate(causes):
        own = failed.filter(pl.col("cause") == cause)
        found = tallies.over_time(own, until_s, interval_s) if own.height else None
        if found is not None:
            rate = found.failed / interval_s
            style = {"colour": colour(n), "width": 1.6}
            series.append(
                panels.steps(found.edges_s, np.append(rate, rate[-1]), f"{case.label}: {cause}",
                             style, group=f"cause {n}")
            )  # fmt: skip
            phrases.append(f"{cause} {units.counted(int(own['many'].sum()), 'attempt')}")
    rest = failed.filter(~pl.col("cause").is_in(list(causes)))
    if rest.height:
        phrases.append(f"others, which are not drawn, {units.count(int(rest['many'].sum()))}")
    words = f"Attempts that failed in {units.seconds(until_s)}: {'; '.join(phrases)}."
    return panels.TimeLine(case, series, words, _limits(case))


def _limits(case: Case) -> list[Limit]:
    """The share of errors that an objective allows, at the mean rate of requests, each once."""
    found = dict[float, Limit]()
    for entry in panels.results_over_time(case):
        rate = entry.result.summary.get("offered_rate")
        for one in entry.result.objectives:
            if (one.name, one.of) == ("errors", None) and rate:
                label = f"errors ≤ {units.percent(one.limit)} of {units.rate(rate)}"
                found[one.limit] = objective(one.limit * rate, "y", label)
    return list(found.values())


CHART = Chart(
    name="errors",
    title="When attempts failed, and why",
    caption="Failed attempts a second by cause: those that begin at one moment have one cause, "
    "and those that come evenly another. A dashed line across is the allowed share of the mean "
    "rate.",
    draw=_draw,
    needed=False,
)
