"""Distributions of response times side by side: a panel for each name, a curve for each result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from thinktime.present import axes, percentile
from thinktime.present.axes import Axis
from thinktime.present.chart import Drawing, Panel
from thinktime.present.figure import Figure, Limit, Series
from thinktime.report.case import Case, Entry
from thinktime.report.charts import percentile_dots
from thinktime.report.charts.percentile_dots import Curve
from thinktime.report.charts.style import curve_keys, limits, line
from thinktime.results.independent_requests import worth
from thinktime.theory.law import FloatArray

_PANELS_MAX = 5
_PANEL_HEIGHT = 260
_POINTS = 200  # points of a curve
_FEW = 20  # fewer responses make no curve


@dataclass(frozen=True)
class Quantity:
    """The times that curves are of."""

    words: str
    """As in 'Response times of ...'."""

    axis: str = "response time t"
    """The title of their axis."""

    objectives: str = ""
    """The beginning of the names of objectives for them, as in `first_event_p99`."""


RESPONSE_TIMES = Quantity("Response times")


def drawing(curves: Sequence[Curve], quantity: Quantity = RESPONSE_TIMES) -> Drawing | None:
    """A panel for each name of some curves. Many names have one picture of percentiles instead."""
    names = list(dict.fromkeys(name for _, _, name, _ in curves))
    if not names:
        return None
    if len(names) > _PANELS_MAX:
        return percentile_dots.drawing(curves, quantity.words)
    # Objectives of all requests are those of the only name.
    about = (None,) if len(names) == 1 else ()
    panels = [
        _panel([curve for curve in curves if curve[2] == name], quantity, (name, *about))
        for name in names
    ]
    drawn = {case.place: case for case, *_ in curves}
    kinds = [(entry.kind, entry.note) for _, entry, *_ in curves]
    return Drawing(panels, curve_keys(list(drawn.values()), kinds))


def curves_of(
    case: Case, entry: Entry, times: pl.DataFrame, column: str, names: Sequence[str]
) -> list[Curve]:
    """A curve for each name in a column of a frame with `time_s`, if it has enough times."""
    found = []
    for name in dict.fromkeys(names):
        one = np.sort(times.filter(pl.col(column) == name)["time_s"].to_numpy())
        if len(one) >= _FEW:
            found.append((case, entry, name, one.astype(float)))
    return found


def times_of(entry: Entry) -> pl.DataFrame | None:
    """Name, population and response time of each counted request that succeeded.

    It runs from the first attempt to the success. None if no rows were kept.
    """
    if entry.rows is None:
        return None
    counted = entry.rows.answered.filter(pl.col("begun_ns") >= warmup_ns(entry))
    words = [name for name in ("name", "population") if name in counted.columns]
    return counted.select(*words, time_s=(pl.col("done_ns") - pl.col("begun_ns")) / 1e9)


def warmup_ns(entry: Entry) -> int:
    """Requests scheduled earlier do not count."""
    return round(float(entry.result.summary.get("warmup_s") or 0.0) * 1e9)


def _panel(curves: Sequence[Curve], quantity: Quantity, about: Sequence[str | None]) -> Panel:
    name = curves[0][2]
    drawn = {case.place: case for case, *_ in curves}.values()
    objectives = limits(drawn, "x", about, quantity.objectives)
    shares = axes.linear(0, 1.02, "share", "share that take no longer")
    series = [_series(*curve) for curve in curves]
    across = _time_axis(curves, objectives, quantity.axis)
    figure = Figure(across, shares, _PANEL_HEIGHT, series, objectives)
    phrases = "; ".join(_words(*curve) for curve in curves)
    return Panel(figure, f"{quantity.words} of {name}. {phrases}.", name)


def _words(case: Case, entry: Entry, name: str, times: FloatArray) -> str:
    many = worth(entry.result.summary, len(times))
    p50, p95 = (
        percentile.text(name, _quantile(times, p), many)
        for name, p in (("p50", 0.5), ("p95", 0.95))
    )
    note = f", {entry.note}" if entry.note else ""
    return f"{case.label}, {entry.kind}{note}: median {p50}, p95 {p95}"


def _quantile(rising: FloatArray, share: float) -> float:
    """As in numpy, by interpolation, of sorted values."""
    place = share * (len(rising) - 1)
    low = int(place)
    high = min(low + 1, len(rising) - 1)
    return float(rising[low] + (place - low) * (rising[high] - rising[low]))


def _series(case: Case, entry: Entry, name: str, times: FloatArray) -> Series:
    shares = np.linspace(0, 1, min(_POINTS, len(times)))
    places = np.ceil(shares * len(times)).astype(int).clip(1) - 1
    return Series(
        "step", np.maximum(times[places], 1e-9), shares, f"{case.label}: {entry.kind}",
        **line(case, entry.kind, entry.note), group=str(case.place),
        phrase="{y} take at most {x}",
    )  # fmt: skip


def _time_axis(curves: Sequence[Curve], objectives: Sequence[Limit], title: str) -> Axis:
    """The range from the first per cent of the answers to nearly all, with the objectives."""
    allowed = [one.at for one in objectives]
    least = min([*(_quantile(times, 0.01) for *_, times in curves), *allowed])
    most = max([*(_quantile(times, 0.999) for *_, times in curves), *allowed])
    return axes.log(max(least, 1e-9), max(most, 1e-9), "time", title)
