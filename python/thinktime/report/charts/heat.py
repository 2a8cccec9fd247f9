"""Response times over time: a heat map, with percentiles and the longest time of each moment.

Nothing is thinned: every request is in a cell, and a cell with one request is visible. A percentile
is that of a moment with enough requests for it, which may be several intervals long.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import DASHES, INK, Cells, Figure, Series
from thinktime.present.percentile import NEEDED, backed
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels
from thinktime.report.charts.style import colour, limits
from thinktime.theory.law import FloatArray

COLUMNS_MAX = 240
ROWS_MAX = 56
_HEIGHT = 230
_CLIPPED = 0.001
"""The share of requests, the quickest, that may lie below the lowest row: a single one would
stretch the scale over decades."""

_PART = 1 << 18
"""Requests that are sorted into cells at a time: their figures stay in the processor's cache."""

_FEWEST = 2
"""One request makes no picture."""

_SHARES = (("p50", 0.5, "solid"), ("p99", 0.99, DASHES["simulated"]))
_ENOUGH = {"p50": NEEDED["p90"], "p99": NEEDED["p99"]}
"""The requests of a moment: a median of just as many as bound it leaps from one to the next."""

_JOINED = (1, 2, 5, 10, 20, 50, 100)
"""The most intervals of a moment."""


@dataclass(frozen=True)
class Heat:
    """Counts of response times: a row for each interval, a column between two bounds."""

    interval_s: float
    bounds_s: FloatArray
    counts: FloatArray
    percentiles_s: dict[str, FloatArray]
    """p50 and p99 by interval; NaN, which draws nothing, if there are too few."""

    moments_s: dict[str, float]
    """The length of their moments: joined intervals, in seconds."""

    longest_s: FloatArray

    below: int = 0
    """Requests that took less than the least bound: they are in no row."""


def of_entry(entry: Entry, until_s: float) -> Heat | None:
    """Made from a result's rows, by scheduled times; None if no rows were kept."""
    if entry.rows is None or until_s <= 0:
        return None
    took = pl.col("done_ns") - pl.col("begun_ns")
    kept = pl.col("first") & (pl.col("begun_ns") <= until_s * 1e9) & (took > 0)
    times = entry.rows.answered.lazy().filter(kept)
    drawn = times.select(begun_s=pl.col("begun_ns") / 1e9, took_s=took / 1e9).collect()
    if drawn.height < _FEWEST:
        return None
    return of_times(drawn["begun_s"].to_numpy(), drawn["took_s"].to_numpy(), until_s)


def of_times(begun_s: FloatArray, times_s: FloatArray, until_s: float) -> Heat:
    """Made from times above 0 and their beginnings."""
    interval = panels.interval_for(until_s, COLUMNS_MAX)
    columns = math.ceil(until_s / interval - 1e-9)
    high = float(times_s.max())
    quick = int(_CLIPPED * len(times_s))
    low = float(np.partition(times_s, quick)[quick] if quick else times_s.min())
    bounds = np.geomspace(low * 0.999, max(high * 1.001, 1.2 * low), ROWS_MAX + 1)
    step = math.log(bounds[1] / bounds[0])
    column = np.empty(len(times_s), np.int16)
    counted = np.zeros((columns, ROWS_MAX + 1), np.int64)  # the first of each column is below
    for begin in range(0, len(times_s), _PART):
        part = slice(begin, begin + _PART)
        column[part] = np.minimum((begun_s[part] / interval).astype(int), columns - 1)
        row = np.floor(np.log(times_s[part] / bounds[0]) / step).astype(int)
        place = column[part].astype(int) * (ROWS_MAX + 1) + np.clip(row, -1, ROWS_MAX - 1) + 1
        counted += np.bincount(place, minlength=counted.size).reshape(counted.shape)
    counts = counted[:, 1:].astype(float)
    many, below = counted.sum(axis=1), int(counted[:, 0].sum())
    # Sorting by columns of 16 bits takes time in proportion to the number of requests.
    ordered = times_s[np.argsort(column, kind="stable")]
    ends = np.concatenate([[0], np.cumsum(many)])
    filled, longest = np.flatnonzero(many), np.full(columns, np.nan)
    longest[filled] = np.maximum.reduceat(ordered, ends[filled])
    percentiles: dict[str, FloatArray] = {}
    moments: dict[str, float] = {}
    for name, share, _ in _SHARES:
        joined = _joined(many, name)
        percentiles[name], moments[name] = np.full(columns, np.nan), joined * interval
        edges = [*ends[:-1:joined].tolist(), len(ordered)]
        for n, (begin, end) in enumerate(itertools.pairwise(edges)):
            if backed(name, end - begin):
                rank = math.ceil(share * (end - begin)) - 1
                found = np.partition(ordered[begin:end], rank)[rank]
                percentiles[name][n * joined : (n + 1) * joined] = found
    return Heat(interval, bounds, counts, percentiles, moments, longest, below)


def of_buckets(interval_s: float, bounds_s: FloatArray, counts: FloatArray) -> Heat:
    """Made from counts between bounds; percentiles are the upper bounds of their buckets."""
    percentiles: dict[str, FloatArray] = {}
    moments: dict[str, float] = {}
    for name, share, _ in _SHARES:
        joined = _joined(counts.sum(axis=1), name)
        parts = np.add.reduceat(counts, np.arange(0, len(counts), joined), axis=0)
        whole, upto = parts.sum(axis=1), np.cumsum(parts, axis=1)
        place = (upto < share * whole[:, None] - 1e-9).sum(axis=1)
        upper = bounds_s[1:][np.minimum(place, counts.shape[1] - 1)]
        enough = whole > NEEDED[name] - 0.5
        percentiles[name] = np.repeat(np.where(enough, upper, np.nan), joined)[: len(counts)]
        moments[name] = joined * interval_s
    held = counts > 1e-9
    last = counts.shape[1] - 1 - np.argmax(held[:, ::-1], axis=1)
    longest = np.where(held.any(axis=1), bounds_s[1:][last], np.nan)
    rows, bounds, below = _rows(counts, bounds_s)
    return Heat(interval_s, bounds, rows, percentiles, moments, longest, below)


def _rows(counts: FloatArray, bounds_s: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """The rows of a picture, their bounds, and the number of requests below them.

    Buckets are joined: a row for each leaves stripes between those that hold few.
    """
    upto = np.cumsum(counts.sum(axis=0))
    first = int(np.searchsorted(upto, _CLIPPED * upto[-1], side="right"))
    below = round(float(upto[first - 1])) if first else 0
    drawn = counts[:, first:]
    places = np.arange(0, drawn.shape[1], math.ceil(drawn.shape[1] / ROWS_MAX))
    bounds = np.append(bounds_s[first:][places], bounds_s[-1])
    return np.add.reduceat(drawn, places, axis=1), bounds, below


def _joined(many: FloatArray | NDArray[np.int64], name: str) -> int:
    """The number of intervals to join so that most requests lie in moments with `_ENOUGH` of them.

    One, if no number of them does that.
    """
    for joined in _JOINED:
        whole = np.add.reduceat(many, np.arange(0, len(many), joined))
        if whole[whole > _ENOUGH[name] - 0.5].sum() > whole.sum() / 2:
            return joined
    return 1


def drawing(found: Sequence[tuple[Case, Kind, Heat]], until_s: float) -> Drawing | None:
    """A panel for each case and kind, one below the other, on one scale."""
    if not found:
        return None
    low = min(float(heat.bounds_s[0]) for *_, heat in found)
    high = max(float(heat.bounds_s[-1]) for *_, heat in found)
    several = len({kind for _, kind, _ in found}) > 1
    objectives = limits([case for case, *_ in found], "y")
    allowed = [1.5 * one.at for one in objectives]  # with room for its name
    pictures = []
    for place, (case, kind, heat) in enumerate(found):
        last = place == len(found) - 1
        y_title = f"response time, a column each {units.seconds(heat.interval_s, 2)}"
        up = axes.log(
            min([low, *allowed]), max([high, *(1.5 * one for one in allowed)]), "time", y_title
        )
        across = panels.time_axis(until_s, last)
        figure = Figure(
            replace(across, has_grid=False), replace(up, has_grid=False),
            panels.height(last, _HEIGHT), _series(case, heat), objectives, _cells(case, heat),
        )  # fmt: skip
        title = f"{case.label}: {kind}" if several else case.label if len(found) > 1 else ""
        pictures.append(Panel(figure, _words(kind, heat), title))
    keys = [Key(name, dash=dash, group=name) for name, _, dash in _SHARES]
    note = " ".join(_below(heat) for *_, heat in found[:1] if heat.below)
    keys.append(Key("longest", mark="dot", group="longest"))
    most = [int(heat.counts.max(initial=0.0)) for *_, heat in found]
    shade = colour(found[0][0]) if len({case.place for case, *_ in found}) == 1 else INK
    scale = f"1 to {units.count(most[0])} requests" if len(most) == 1 else "1 request to the most"
    scale = "1 request" if max(most, default=0) == 1 else scale
    keys.append(Key(scale, shade, mark="scale"))
    return Drawing(pictures, keys, linked=True, note=note)


def _below(heat: Heat) -> str:
    many = units.counted(heat.below, "request")
    return f"Below the picture: {many} under {units.seconds(float(heat.bounds_s[0]), 2)}."


def _cells(case: Case, heat: Heat) -> Cells:
    bounds = float(heat.bounds_s[0]), float(heat.bounds_s[-1])
    return Cells(heat.counts, (0.0, len(heat.counts) * heat.interval_s), bounds, colour(case))


def _series(case: Case, heat: Heat) -> list[Series]:
    middles: FloatArray = np.asarray((np.arange(len(heat.counts)) + 0.5) * heat.interval_s)
    found = [
        Series("line", middles, heat.percentiles_s[name], f"{case.label}: {name}", INK, dash, 1.6,
               group=name)
        for name, _, dash in _SHARES
    ]  # fmt: skip
    longest = f"{case.label}: longest"
    dots = Series(
        "points", middles, heat.longest_s, longest, marks="dot", size=3.0, group="longest"
    )
    return [*found, dots]


def _words(kind: Kind, heat: Heat) -> str:
    """The range of p99, and the longest time with its moment."""
    p99, longest = heat.percentiles_s["p99"], heat.longest_s
    if not np.isfinite(longest).any():
        return f"Response times, {kind}: 0 were drawn."
    place = int(np.nanargmax(longest))
    percentile_words = "too few requests for a p99"
    if np.isfinite(p99).any():
        ends = units.times_between(float(np.nanmin(p99)), float(np.nanmax(p99)))
        percentile_words = f"p99 of each {units.seconds(heat.moments_s['p99'], 2)} {ends}"
    return (
        f"Response times over time, {kind}: {percentile_words}; the longest "
        f"{units.seconds(float(longest[place]))}, at {units.seconds(place * heat.interval_s, 2)}."
    )


def _draw(cases: Sequence[Case]) -> Drawing | None:
    until_s = panels.span_s(cases)
    found = [
        (case, entry.kind, heat)
        for case in cases
        for entry in panels.results_over_time(case)
        if (heat := of_entry(entry, until_s)) is not None
    ]
    return drawing(found, until_s)


CHART = Chart(
    name="heat",
    title="Response times over time",
    caption="The stronger the colour, the more requests that were scheduled then took that long; "
    "one alone is seen too. A strong band that rises is a queue that grows. Lines are those of "
    "moments that are long enough for their percentile.",
    draw=_draw,
    needed=False,
)
