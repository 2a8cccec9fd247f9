"""The time to the collapse of the readings, by run, by load and by timeout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drawing import LineChart
from readings import LOADS, TIMEOUTS_MS

Found = dict[str, Any]


def draw(found: Found, folder: Path) -> None:
    """Write the figures for which there are rows."""
    _times(found, folder)
    if all(f"{reading}-load-{load}" in found for reading in "AB" for load in LOADS):
        _by_load(found, folder)
    if all(f"B-timeout-{timeout}" in found for timeout in TIMEOUTS_MS):
        _by_timeout(found, folder)


def _times(found: Found, folder: Path) -> None:
    chart = LineChart(
        "How soon it collapses, load 0.8",
        "time (s)",
        "share of runs that have collapsed",
        x_limits=(0.0, 8.0),
        y_limits=(0.0, 1.0),
    )
    names = {
        "B": "B",
        "B1": "B, 1 retry",
        "A": "A",
        "A1": "A, 1 retry",
        "C": "C",
        "C1": "C, 1 retry",
    }
    for key, name in names.items():
        if key not in found:
            continue
        times = [8.0 if time is None else time / 1e3 for time in found[key]["times_ms"]]
        steps = sorted(time for time in times if time < 8.0)
        xs, ys = [0.0], [0.0]
        for number, time in enumerate(steps):
            xs += [time, time]
            ys += [number / len(times), (number + 1) / len(times)]
        chart.line(f"reading {name}", [*xs, 8.0], [*ys, ys[-1]], marks=False)
    chart.save(folder / "time-to-collapse.svg")


def _by_load(found: Found, folder: Path) -> None:
    chart = LineChart(
        "Median time to collapse against load", "load", "median time to collapse (s)", y_log=True
    )
    loads = [*LOADS, 0.8]
    for style, reading in enumerate("AB"):
        rows = [found[f"{reading}-load-{load}"] for load in LOADS] + [found[reading]]
        chart.line(f"reading {reading}", loads, _medians(rows), style=style)
        chart.line(f"{reading}, other simulator", loads, _expected(rows), style=style, dashed=True)
    chart.save(folder / "collapse-by-load.svg")


def _by_timeout(found: Found, folder: Path) -> None:
    chart = LineChart(
        "Reading B, load 0.8: median time to collapse against the timeout",
        "timeout (ms)",
        "median time to collapse (s)",
        y_log=True,
    )
    rows = [found[f"B-timeout-{timeout}"] for timeout in TIMEOUTS_MS]
    timeouts = [float(timeout) for timeout in TIMEOUTS_MS]
    chart.line("Thinktime", timeouts, _medians(rows))
    chart.line("other simulator", timeouts, _expected(rows), style=0, dashed=True)
    chart.save(folder / "collapse-by-timeout.svg")


def _medians(rows: list[Found]) -> list[float]:
    """In seconds; if more than half of the runs survived, from the rate of collapses."""
    medians = [row["found"]["p50"] or row["found"]["p50_if_exponential"] for row in rows]
    return [float("nan") if one is None else one / 1e3 for one in medians]


def _expected(rows: list[Found]) -> list[float]:
    return [row["expected"]["p50"] / 1e3 for row in rows]
