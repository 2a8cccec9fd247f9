"""Response times over time: a heat map, with percentiles and the longest time of each moment.

Nothing is thinned: every request is in a cell, and a cell with one request is visible. A percentile
is that of a moment with enough requests for it, which may be several intervals long.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import polars as pl
from numpy.typing import NDArray

from thinktime.present import axes, units
from thinktime.present.chart import DASHES, Chart, Drawing, Key, Panel, escape, layout, titled
from thinktime.present.percentile import NEEDED, backed
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.charts import panels, raster
from thinktime.report.charts.style import colour
from thinktime.theory.law import FloatArray

COLUMNS_MAX = 240
ROWS_MAX = 56
_HEIGHT = 230
_SHARES = (("p50", 0.5, "solid"), ("p99", 0.99, DASHES["simulated"]))
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


def of_entry(entry: Entry, until_s: float) -> Heat | None:
    """Made from a result's rows, by scheduled times; None if no rows were kept."""
    if entry.rows is None or until_s <= 0:
        return None
    took = pl.col("done_ns") - pl.col("begun_ns")
    kept = pl.col("first") & (pl.col("begun_ns") <= until_s * 1e9) & (took > 0)
    times = entry.rows.answered.lazy().filter(kept)
    drawn = times.select(begun_s=pl.col("begun_ns") / 1e9, took_s=took / 1e9).collect()
    if drawn.is_empty():
        return None
    return of_times(drawn["begun_s"].to_numpy(), drawn["took_s"].to_numpy(), until_s)


def of_times(begun_s: FloatArray, times_s: FloatArray, until_s: float) -> Heat:
    """Made from times above 0 and their beginnings."""
    interval = panels.interval_for(until_s, COLUMNS_MAX)
    columns = math.ceil(until_s / interval - 1e-9)
    low, high = float(times_s.min()), float(times_s.max())
    bounds = np.geomspace(low * 0.999, max(high * 1.001, 1.2 * low), ROWS_MAX + 1)
    column = np.minimum((begun_s / interval).astype(int), columns - 1)
    step = math.log(bounds[1] / bounds[0])
    row = np.clip((np.log(times_s / bounds[0]) / step).astype(int), 0, ROWS_MAX - 1)
    cells = np.bincount(column * ROWS_MAX + row, minlength=columns * ROWS_MAX)
    counts = cells.reshape(columns, ROWS_MAX).astype(float)
    # Sorting by columns of 16 bits takes time in proportion to the number of requests.
    ordered = times_s[np.argsort(column.astype(np.int16), kind="stable")]
    many = np.bincount(column, minlength=columns)
    ends = np.concatenate([[0], np.cumsum(many)])
    filled, longest = np.flatnonzero(many), np.full(columns, np.nan)
    longest[filled] = np.maximum.reduceat(ordered, ends[filled])
    percentiles: dict[str, FloatArray] = {}
    moments: dict[str, float] = {}
    for name, share, _ in _SHARES:
        joined = _joined(many, name)
        percentiles[name], moments[name] = np.full(columns, np.nan), joined * interval
        edges = [*ends[:-1:joined].tolist(), len(ordered)]
        for place, (begin, end) in enumerate(itertools.pairwise(edges)):
            if backed(name, end - begin):
                rank = math.ceil(share * (end - begin)) - 1
                found = np.partition(ordered[begin:end], rank)[rank]
                percentiles[name][place * joined : (place + 1) * joined] = found
    return Heat(interval, bounds, counts, percentiles, moments, longest)


def of_buckets(interval_s: float, bounds_s: FloatArray, counts: FloatArray) -> Heat:
    """Made from counts between bounds; percentiles are the upper bounds of their buckets."""
    percentiles: dict[str, FloatArray] = {}
    moments: dict[str, float] = {}
    for name, share, _ in _SHARES:
        joined = _joined(counts.sum(axis=1), name)
        parts = np.add.reduceat(counts, np.arange(0, len(counts), joined), axis=0)
        whole, below = parts.sum(axis=1), np.cumsum(parts, axis=1)
        place = (below < share * whole[:, None] - 1e-9).sum(axis=1)
        upper = bounds_s[1:][np.minimum(place, counts.shape[1] - 1)]
        enough = whole > NEEDED[name] - 0.5
        percentiles[name] = np.repeat(np.where(enough, upper, np.nan), joined)[: len(counts)]
        moments[name] = joined * interval_s
    held = counts > 1e-9
    last = counts.shape[1] - 1 - np.argmax(held[:, ::-1], axis=1)
    longest = np.where(held.any(axis=1), bounds_s[1:][last], np.nan)
    return Heat(interval_s, bounds_s, counts, percentiles, moments, longest)


def _joined(many: FloatArray | NDArray[np.int64], name: str) -> int:
    """The number of intervals to join so that most requests lie in moments with enough of them.

    One, if no number of them does that.
    """
    for joined in _JOINED:
        whole = np.add.reduceat(many, np.arange(0, len(many), joined))
        if whole[whole > NEEDED[name] - 0.5].sum() > whole.sum() / 2:
            return joined
    return 1


def drawing(found: Sequence[tuple[Case, Kind, Heat]], until_s: float) -> Drawing | None:
    """A panel for each case and kind, one below the other, on one scale."""
    if not found:
        return None
    low = min(float(heat.bounds_s[0]) for *_, heat in found)
    high = max(float(heat.bounds_s[-1]) for *_, heat in found)
    several = len({kind for _, kind, _ in found}) > 1
    pictures = []
    for case, kind, heat in found:
        figure = _figure(case, heat)
        figure.update_yaxes(axes.log(low, high, "time") | {"showgrid": False})
        figure.update_xaxes(axes.linear(0, until_s, "time") | {"showgrid": False})
        title = f"{case.label}: {kind}" if several else case.label
        pictures.append(Panel(figure, _words(kind, heat), title))
    last = pictures[-1].figure
    last.update_xaxes(title_text="time since the start of the run")
    last.update_layout(height=_HEIGHT + 24, margin_b=48)
    keys = [Key(name, dash=dash) for name, _, dash in _SHARES]
    return Drawing(pictures, [*keys, Key("longest", mark="dot")], linked=True)


def _figure(case: Case, heat: Heat) -> go.Figure:
    middles = (np.arange(len(heat.counts)) + 0.5) * heat.interval_s
    figure = go.Figure()
    for name, _, dash in _SHARES:
        figure.add_trace(
            go.Scatter(
                x=middles, y=heat.percentiles_s[name], mode="lines", name=name, meta="ink",
                line={"width": 1.5, "dash": dash}, hovertemplate=_hover(case, name),
            )
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=middles, y=heat.longest_s, mode="markers", name="longest", meta="ink",
            marker={"size": 3}, hovertemplate=_hover(case, "longest"),
        )
    )  # fmt: skip
    figure.update_layout(layout(_HEIGHT, margin={"l": 40, "r": 24, "t": 22, "b": 24}))
    bottom, top = (math.log10(one) for one in (heat.bounds_s[0], heat.bounds_s[-1]))
    figure.add_layout_image(
        source=raster.of_counts(heat.counts.T[::-1], colour(case)), layer="below",
        xref="x", yref="y", x=0, y=top, xanchor="left", yanchor="top", sizing="stretch",
        sizex=len(heat.counts) * heat.interval_s, sizey=top - bottom,
    )  # fmt: skip
    return titled(figure, f"response time, in {units.seconds(heat.interval_s, 2)} each", shift=2)


def _hover(case: Case, name: str) -> str:
    return "%{y:.3~s}s at %{x:.3~f} s<extra>" + escape(f"{case.label}: {name}") + "</extra>"


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
    caption="The darker a place, the more requests that were scheduled then took that long; one "
    "alone is seen too. A dark band that rises is a queue that grows. Lines are those of moments "
    "that are long enough for their percentile.",
    draw=_draw,
    needed=False,
)
