"""Charts over time: a panel for each case, one below the other, with the same axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from thinktime.present import axes
from thinktime.present.axes import Axis
from thinktime.present.chart import Panel
from thinktime.present.figure import Figure, Limit, Series
from thinktime.report.case import Case, Entry
from thinktime.theory.law import FloatArray

COUNTS = ("scheduled", "completed", "failed")
"""The counts of a series in each interval."""

HEIGHT = 160


@dataclass(frozen=True)
class TimeLine:
    """The drawing of one case, and the same in words."""

    case: Case
    series: Sequence[Series]
    words: str
    limits: Sequence[Limit] = ()


def results_over_time(case: Case) -> list[Entry]:
    """The results to draw over time: without long simulations, unless they are all."""
    return [entry for entry in case.entries if entry.note != "long"] or list(case.entries)


def span_s(cases: Sequence[Case]) -> float:
    """The time span to draw: that of the measurement, or else of the simulation."""
    entries = [entry for case in cases for entry in results_over_time(case)]
    measured = [entry for entry in entries if entry.kind == "measured"]
    return max((end_s(entry) for entry in measured or entries), default=0.0)


def end_s(entry: Entry) -> float:
    """The time of the last request's beginning, from the start of the run."""
    summary = entry.result.summary
    return float((summary.get("warmup_s") or 0.0) + (summary.get("duration_s") or 0.0))


def series(entry: Entry, until_s: float) -> pl.DataFrame | None:
    """The result's series over all request names, whole intervals only, up to a time."""
    if entry.result.series is None:
        return None
    table = pl.DataFrame(entry.result.series)
    whole = pl.col("start_s") + pl.col("interval_s") <= min(until_s, end_s(entry)) + 1e-9
    columns = [column for column in (*COUNTS, "in_system") if column in table.columns]
    by_time = table.filter(whole).group_by("start_s", "interval_s", maintain_order=True)
    summed = by_time.agg(pl.col(column).sum() for column in columns).sort("start_s")
    return summed if summed.height > 0 else None


def interval_for(until_s: float, most: int) -> float:
    """A round number of seconds that divides a time span into at most `most` intervals."""
    scale = 10.0 ** math.floor(math.log10(until_s / most))
    return next(scale * one for one in (1, 2, 5, 10, 20) if until_s / scale / one <= most)


def interval_s(tables: Sequence[pl.DataFrame]) -> float:
    """The common interval of several series: the longest that any of them has."""
    return max((max(table["interval_s"].to_list()) for table in tables), default=0.0)


def in_intervals(table: pl.DataFrame, interval: float) -> pl.DataFrame:
    """Counts in longer intervals, which begin at whole multiples of their length."""
    bins = (pl.col("start_s") / interval + 1e-9).floor().cast(pl.Int64)
    counts = [name for name in COUNTS if name in table.columns]
    summed = table.group_by(bins.alias("bin")).agg(
        *(pl.col(name).sum() for name in counts), covered=pl.col("interval_s").sum()
    )
    whole = summed.filter(pl.col("covered") > interval * (1 - 1e-6)).sort("bin")
    return whole.with_columns(start_s=pl.col("bin") * interval, interval_s=pl.lit(interval))


def steps(x: FloatArray, y: FloatArray, name: str, style: dict[str, Any], **more: Any) -> Series:
    """A step curve."""
    return Series("step", x, y, name, **style, **more)


def stacked(
    found: Sequence[TimeLine], y_title: str, until_s: float, kind: str = "number", title: str = ""
) -> list[Panel]:
    """A panel for each case, on one scale, in the units of `kind`: see `axes.WORDS`.

    A title stands behind the case's label, which one case does not need.
    """
    limits = [one.at for line in found for one in line.limits if one.axis == "y"]
    series = [one for line in found for one in line.series]
    scale = replace(_scale(series, kind, limits), title=y_title)
    panels = []
    for one in found:
        across = time_axis(until_s, one is found[-1])
        figure = Figure(across, scale, height(one is found[-1]), one.series, one.limits)
        label = one.case.label if len(found) > 1 else ""
        panels.append(Panel(figure, one.words, ": ".join(filter(None, (label, title)))))
    return panels


def time_axis(until_s: float, last: bool) -> Axis:
    """The axis of a picture; its title stands below the last one alone."""
    return axes.linear(0, until_s, "time", "time since the start of the run" if last else "")


def height(last: bool, field: int = HEIGHT) -> int:
    """The height of a picture in pixels, with more room for the title below the last one."""
    return field + 20 if last else field


def _scale(series: Sequence[Series], kind: str, limits: Sequence[float] = ()) -> Axis:
    """From 0 to the greatest value or limit; logarithmic for times that are far apart."""
    values = [np.asarray(end, float) for one in series for end in (one.y, one.high)
              if end is not None]  # fmt: skip
    joined = np.concatenate([*values, np.array(limits)])
    known = joined[np.isfinite(joined)].tolist()
    if kind == "time" and axes.is_wide(known):
        return axes.log(min(known), max(known), kind)
    return axes.linear(0, 1.05 * max(known, default=0.0) or 1.0, kind, most=4)


def mean_of_steps(x: FloatArray, y: FloatArray, until_s: float) -> float:
    """The mean over time of a step curve."""
    spans = np.diff(x, append=max(until_s, float(x[-1])))
    whole = float(spans.sum())
    return float(spans @ y) / whole if whole else 0.0
