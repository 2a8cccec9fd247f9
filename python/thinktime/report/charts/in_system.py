"""The number of requests in the system over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.present import units
from thinktime.present.chart import Chart, Drawing
from thinktime.present.figure import Series, thin
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels
from thinktime.report.charts.style import kind_keys, line
from thinktime.theory.law import FloatArray

EVENTS_MAX = 20_000
"""With more events than this, the number is drawn as a band from its least to its greatest
value."""

STRETCHES = 300
"""The number of time stretches of such a band."""

Steps = tuple[FloatArray, FloatArray]
Times = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Band:
    """The number in the system in stretches of time, each with one value fewer."""

    edges_s: FloatArray
    least: FloatArray
    mean: FloatArray
    greatest: FloatArray


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    found, kinds = list[panels.TimeLine](), list[Kind]()
    for case in cases:
        series, phrases = list[Series](), list[str]()
        for entry in panels.results_over_time(case):
            drawn = _of_entry(case, entry, until_s)
            if drawn is not None:
                series += drawn[0]
                phrases.append(f"{entry.kind} {drawn[1]}")
                kinds.append(entry.kind)
        if series and case.theory is not None:
            series += _exact(case, until_s)
            phrases.append(f"exact mean {units.number(case.theory.in_system)}")
            kinds.append("exact")
        if series:
            words = f"Requests in the system over {units.seconds(until_s)}: {'; '.join(phrases)}."
            found.append(panels.TimeLine(case, series, words))
    if not found:
        return None
    keys = kind_keys(((kind, "") for kind in kinds), cases)
    keys = keys if len(keys) > 1 else []  # nobody confuses one line
    return Drawing(panels.stacked(found, "requests in the system", until_s), keys, linked=True)


def _of_entry(case: Case, entry: Entry, until_s: float) -> tuple[list[Series], str] | None:
    """The curves of a result, and the mean and greatest number in words."""
    name = f"{case.label}: {entry.kind}"
    rows = entry.rows if entry.result.rows_complete else None
    if rows is not None and 2 * rows.attempts.height > EVENTS_MAX and until_s > 0:
        found = band(rows.attempts, until_s)
        return _band(case, entry, found, name), _words(found.mean.mean(), found.greatest.max())
    points = number_in_system(entry, until_s)
    if points is None:
        return None
    mean = panels.mean_of_steps(*points, until_s)
    return [_number(case, entry, thin(*points), name)], _words(mean, points[1].max())


def _words(mean: float, most: float) -> str:
    return f"mean {units.number(float(mean))}, most {units.count(int(most))}"


def _number(case: Case, entry: Entry, points: Steps, name: str) -> Series:
    """The measured number is filled, so that it is visible below the simulated one."""
    style = {**line(case, entry.kind), "width": 1.2}
    return panels.steps(*points, name, style, filled=entry.kind == "measured")


def _band(case: Case, entry: Entry, found: Band, name: str) -> list[Series]:
    """The mean, in front of the band from the least to the greatest value."""
    ends = (np.append(one, one[-1]) for one in (found.mean, found.least, found.greatest))
    mean, low, high = ends
    style = line(case, entry.kind)
    more = {"low": low, "high": high, "spread": "band"}
    return [panels.steps(found.edges_s, mean, f"{name}, mean", style, **more)]


def number_in_system(entry: Entry, until_s: float) -> Steps | None:
    """Times and the number from then on: of every event if all rows are there, else sampled."""
    rows = entry.rows if entry.result.rows_complete else None
    if rows is not None:
        return _by_events(rows.attempts, until_s) if rows.attempts.height > 0 else None
    series = panels.series(entry, until_s)
    if series is None or "in_system" not in series.columns:
        return None
    ends = series["start_s"] + series["interval_s"]
    return ends.to_numpy().astype(float), series["in_system"].to_numpy().astype(float)


def _by_events(attempts: pl.DataFrame, until_s: float) -> Steps:
    """Requests without an end stay in the system; at one instant arrivals come first."""
    came, left = _times(attempts, until_s)
    up, down = _numbers(came, left)
    times = np.concatenate([came, left])
    order = np.argsort(times, kind="stable")
    number = np.concatenate([up, down])[order]
    return np.append(0.0, times[order] / 1e9), np.append(0.0, number)


def band(attempts: pl.DataFrame, until_s: float) -> Band:
    """The number in the system of all attempts; only the exact times of changes are lost."""
    came, left = _times(attempts, until_s)
    edges = np.linspace(0, until_s, STRETCHES + 1)
    arrivals, departures = (
        pairwise(np.searchsorted(times, edges * 1e9, side="left").tolist())
        for times in (came, left)
    )
    least, mean, greatest = (np.zeros(STRETCHES) for _ in range(3))
    for n, ((a, b), (c, d)) in enumerate(zip(arrivals, departures, strict=True)):
        # Events of other stretches change the number at its beginning alone.
        begin, end_ns = a - c, edges[n + 1] * 1e9
        number = np.concatenate([[0], *_numbers(came[a:b], left[c:d])])
        least[n], greatest[n] = begin + number.min(), begin + number.max()
        more = (end_ns - came[a:b]).sum() - (end_ns - left[c:d]).sum()
        mean[n] = begin + more / (end_ns - edges[n] * 1e9)
    return Band(edges, least, mean, greatest)


def _times(attempts: pl.DataFrame, until_s: float) -> tuple[Times, Times]:
    """Times of arrivals and of departures, both rising."""
    return _until(attempts["scheduled_ns"], until_s), _until(attempts["done_ns"], until_s)


def _numbers(came: Times, left: Times) -> tuple[Times, Times]:
    """By how much the number in the system has grown after each arrival and each departure."""
    up = np.arange(1, len(came) + 1) - np.searchsorted(left, came, side="left")
    down = np.searchsorted(came, left, side="right") - np.arange(1, len(left) + 1)
    return up, down


def _until(times: pl.Series, until_s: float) -> Times:
    """Rising times in nanoseconds, up to a time."""
    known = times.drop_nulls().to_numpy()
    # Departures are mostly sorted.
    rising = known if bool((known[1:] >= known[:-1]).all()) else np.sort(known)
    return rising[: int(np.searchsorted(rising, until_s * 1e9, side="right"))]


def _exact(case: Case, until_s: float) -> list[Series]:
    """The mean number, by Little's law."""
    if case.theory is None:
        return []
    mean = np.full(2, case.theory.in_system)
    name = f"{case.label}: mean, exact"
    return [panels.steps(np.array([0.0, until_s]), mean, name, line(case, "exact"))]


CHART = Chart(
    name="in_system",
    title="How many are in the system",
    caption="A closed system can never hold more requests than it has clients; if users arrive on "
    "their own nothing bounds the queue, and it takes long to drain (dotted: the exact mean). Of "
    "many requests the mean of each moment is drawn, before a band from the least to the greatest.",
    draw=_draw,
)
