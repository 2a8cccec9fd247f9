"""Figures 9 and 10 of the paper, simulated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from cells import LOADS, REQUESTS, SYSTEMS, Cell, simulate
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chart import LineChart

NAMES = dict(zip(SYSTEMS, ("Linux 2.6.22", "Windows Server 2003"), strict=True))
RUNS = 5
# The ends of the axes, in ms.
ENDS = {"page": 100, "monitoring": 4000, "reporting": 60_000}


def draw(folder: Path, found: list[dict[str, Any]]) -> None:
    """Draw all figures."""
    rows = {os: _rows(Cell(2, 360, os)) for os in SYSTEMS}
    for request in REQUESTS:
        chart = _cdf(f"Two cores, 360 requests a minute: {request}", request)
        for os in SYSTEMS:
            chart.line(NAMES[os], *_distribution(rows[os], request), marks=False)
        chart.save(folder / f"cdf-{request}.svg")
    _scaling(folder / "one-or-two-cores.svg", ((1, 180), (2, 180), (2, 360)))
    _scaling(folder / "two-or-four-cores.svg", ((2, 360), (4, 360), (4, 720)))
    _medians(folder / "medians.svg", found)


def _rows(cell: Cell) -> pl.DataFrame:
    tables = [
        pl.DataFrame(simulate(cell, seed, rows="all").requests) for seed in range(1, RUNS + 1)
    ]
    return pl.concat(tables)


def _distribution(
    rows: pl.DataFrame, request: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Response times (ms) and the share of requests that took no longer."""
    chosen = rows.filter(pl.col("name") == request)
    times = np.sort((chosen["done_ns"] - chosen["scheduled_ns"]).to_numpy() * 1e-6)
    # Two points of each step make stairs of a line: many requests take exactly as long as another.
    values, first = np.unique(times.round(1), return_index=True)
    last = np.append(first[1:], times.size)
    x, y = np.repeat(values, 2), np.column_stack([first, last]).ravel() / times.size
    thin = np.unique(np.linspace(0, x.size - 1, min(x.size, 1500)).astype(int))
    return x[thin].astype(np.float64), y[thin].astype(np.float64)


def _cdf(title: str, request: str) -> LineChart:
    limits = (0.0, float(ENDS[request]))
    label = "response time (ms)"
    return LineChart(title, label, "share of requests", x_limits=limits, y_limits=(0.0, 1.0))


def _scaling(path: Path, loads: tuple[tuple[int, int], ...]) -> None:
    chart = _cdf("Windows Server 2003: monitoring", "monitoring")
    for cores, rate in loads:
        rows = _rows(Cell(cores, rate, SYSTEMS[1]))
        name = f"{cores} core{'s' if cores > 1 else ''}, {rate}/min"
        chart.line(name, *_distribution(rows, "monitoring"), marks=False)
    chart.save(path)


def _medians(path: Path, found: list[dict[str, Any]]) -> None:
    """The median of monitoring, cores and load doubled together."""
    chart = LineChart(
        "Monitoring, at 180 requests a minute and core", "cores", "median response time (ms)"
    )
    full = [(cores, rate) for cores, rate in LOADS if rate == 180 * cores]
    for os in SYSTEMS:
        same = [x for x in found if x["os"] == os and x["request"] == "monitoring"]
        points = [x for load in full for x in same if (x["cores"], x["rate_per_min"]) == load]
        medians = [x["median_ms"] for x in points]
        errors = [x["median_ms"] - x["ci95_ms"][0] for x in points]
        chart.line(NAMES[os], [float(x["cores"]) for x in points], medians, errors=errors)
    chart.save(path)
