"""The case study's cells: cores, rate and operating system, each simulated in many runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.stats import t as student

import thinktime as tt

HERE = Path(__file__).resolve().parent
SYSTEMS = ("linux-2.6.22", "windows-server-2003")
REQUESTS = ("page", "monitoring", "reporting")
# Cores, and the peak of requests a minute as the paper prints it.
LOADS = ((1, 180), (2, 180), (2, 360), (4, 180), (4, 360), (4, 720))

# The paper's peak rates load 1, 2 and 4 cores fully. Its mix brings 353.5 ms a request, so that a
# core is fully loaded by 169.7 a minute, while the paper prints 180.
MEAN_DEMAND_S = 0.70 * 0.005 + 0.20 * 0.250 + 0.10 * 3.0
FULL_RATE = 60 / MEAN_DEMAND_S
PRINTED_RATE = 180


@dataclass(frozen=True)
class Cell:
    """A number of cores under an operating system at a printed peak rate (requests a minute)."""

    cores: int
    rate_per_min: int
    os: str


@dataclass(frozen=True)
class Reading:
    """A reading of the paper's open points.

    Attributes:
        peak: The load of a core at the peak of a rate that the paper calls full.
        process: The arrival process, as in a workload file.
        changes: (key, value) of the system file that differ, by operating system.
    """

    peak: float = 1.0
    process: str = "poisson"
    changes: tuple[tuple[str, str, str], ...] = ()


AS_READ = Reading()
HOURS = 2


def all_cells() -> Iterator[Cell]:
    """All twelve."""
    return (Cell(cores, rate, os) for os in SYSTEMS for cores, rate in LOADS)


def workload_of(cell: Cell, reading: Reading, seed: int) -> tt.Workload:
    """The workload of a cell."""
    peak = cell.rate_per_min / PRINTED_RATE * FULL_RATE * reading.peak
    workload = tt.Workload.load(HERE / "workload.toml").with_seed(seed)
    workload = workload.with_value("arrivals.rate", f"{peak:.6f}/min")
    return workload.with_value("arrivals.process", reading.process)


def system_of(cell: Cell, reading: Reading) -> tt.System:
    """The system of a cell."""
    system = tt.System.load(HERE / "system.toml")
    system = system.with_value("machine.server.cores", str(cell.cores))
    system = system.with_value("machine.server.os", cell.os)
    for os, key, value in reading.changes:
        if os == cell.os:
            system = system.with_value(f"machine.server.scheduler.{key}", value)
    return system


def simulate(cell: Cell, seed: int, reading: Reading = AS_READ, rows: str = "none") -> tt.Result:
    """One run of two simulated hours, six periods of the rate, from an empty server on."""
    workload, system = workload_of(cell, reading, seed), system_of(cell, reading)
    return tt.simulate(workload, system, duration=f"{HOURS}h", warmup=0, rows=rows)


def study(cell: Cell, runs: int, pool: ThreadPoolExecutor, reading: Reading = AS_READ) -> Any:
    """The figures of a cell, by request: means over the runs, and 95 % intervals of them."""
    seeds = range(1, runs + 1)
    summaries = list(pool.map(lambda seed: simulate(cell, seed, reading).summary, seeds))
    return {name: _figures(cell, name, summaries) for name in REQUESTS}


def _figures(cell: Cell, request: str, summaries: list[dict[str, Any]]) -> dict[str, Any]:
    times = [one["by_request"][request]["response_time_s"] for one in summaries]
    medians = [1e3 * one["p50"] for one in times]
    centre, half = statistics.fmean(medians), half_width(medians)
    return {
        "cores": cell.cores,
        "rate_per_min": cell.rate_per_min,
        "os": cell.os,
        "request": request,
        "median_ms": centre,
        "ci95_ms": [centre - half, centre + half],
        "mean_ms": statistics.fmean(1e3 * one["mean"] for one in times),
        "p95_ms": statistics.fmean(1e3 * one["p95"] for one in times),
        "max_ms": max(1e3 * one["max"] for one in times),
        "runs": len(times),
    }


def half_width(values: list[float]) -> float:
    """Half the width of the 95 % interval of the mean (Student's t); 0 for a single value."""
    if len(values) < 2:
        return 0.0
    quantile = float(student.ppf(0.975, len(values) - 1))
    return quantile * statistics.stdev(values) / math.sqrt(len(values))
