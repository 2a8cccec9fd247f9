"""The study's cells: a workload, a cluster, a policy and a load, each simulated in many runs."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import thinktime as tt
from thinktime.workload import load

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"

SYSTEMS = {
    "cpu": HERE / "cpu-bound.toml",
    "disk": HERE / "disk-bound.toml",
    "caches": EXAMPLES / "web-cluster.toml",
    "static": HERE / "static.toml",
}
"""The simulated systems: heavily dynamic requests load the processor or the disk, with all files in
memory; the first of these with caches of 32 MB; and static files alone, with the same caches."""

DYNAMIC = {"page-light": "7.4kB", "page-heavy": "7.4kB", "light": "10.7kB", "heavy": "10.7kB"}
"""The kinds of dynamic request, and the mean size of a response."""

MANY = 10_000
"""Documents of each kind in the workload `clubweb`."""

PUBLISHED = "lard(low=25, high=65)"
SERVERS = 7


@dataclass(frozen=True)
class Length:
    """How long a cell is simulated.

    Attributes:
        warmup_s: Time that does not count.
        measured_s: Time that does.
        runs: How many runs, with seeds 1, 2, ...
    """

    warmup_s: float = 20.0
    measured_s: float = 80.0
    runs: int = 10


@dataclass(frozen=True)
class Cell:
    """One point of a figure or table.

    Attributes:
        system: One of `SYSTEMS`.
        dispatch: The dispatch policy, as in a system file.
        rate: Sessions a second for seven servers; more servers have more, each as many.
        programs: Over how many URLs the dynamic requests of each kind are spread.
        servers: The number of servers.
        change: What happens to a server, as a table `[[cluster.change]]`; nothing where empty.
    """

    system: str
    dispatch: str
    rate: float
    programs: int = MANY
    servers: int = SERVERS
    change: str = ""

    @property
    def key(self) -> str:
        """Its name in results.json."""
        parts = (self.system, self.dispatch, f"{self.rate:g}/s", self.programs, self.servers)
        return " | ".join(map(str, parts)) + (" | slow" if self.change else "")


Run = dict[str, float]
"""The figures of one run."""


@cache
def _workload(system: str, programs: int) -> tt.Workload:
    if system == "static":
        return tt.Workload.load(HERE / "workload-static.toml")
    workload = load(Path("clubweb"))
    for name, size in DYNAMIC.items() if programs != MANY else ():
        url = f"/{name}/{{zipf(n={programs}, s=0.8)}}"
        workload = workload.with_value(f"request.{name}.get", url)
        # A URL has one size; random sizes would make all depend on the few draws for few programs.
        workload = workload.with_value(f"request.{name}.size", f"const({size})")
    return workload


def system_of(cell: Cell) -> tt.System:
    """The system of a cell."""
    text = SYSTEMS[cell.system].read_text(encoding="utf-8")
    system = tt.System(text + cell.change)
    system = system.with_value("cluster.web.servers", str(cell.servers))
    return system.with_value("cluster.web.dispatch", cell.dispatch)


def workload_of(cell: Cell, seed: int) -> tt.Workload:
    """The workload of a cell."""
    rate = cell.rate * cell.servers / SERVERS
    workload = _workload(cell.system, cell.programs).with_seed(seed)
    return workload.with_value("arrivals.rate", f"{rate:g}/s")


def simulate(cell: Cell, seed: int, length: Length) -> Run:
    """One run."""
    end_s = length.warmup_s + length.measured_s
    result = tt.simulate(
        workload_of(cell, seed),
        system_of(cell),
        warmup=length.warmup_s,
        duration=end_s,
        rows="all",
    )
    summary = result.summary
    pages, cluster = summary["page_response_time_s"], summary["clusters"]["web"]
    held = [one["hit_ratio"] for one in cluster["servers"] if one["hit_ratio"] is not None]
    return {
        "p90_ms": 1e3 * pages["p90"],
        "p99_ms": 1e3 * pages["p99"],
        "megabits": megabits(result, length),
        **({"hit_ratio": float(np.mean(held))} if held else {}),
        "imbalance": cluster["imbalance"],
        "load": max(one["load"] for one in summary["stations"].values()),
    }


def megabits(result: tt.Result, length: Length) -> float:
    """What was received within the measured time, in Mb/s."""
    rows = pl.DataFrame(result.requests)
    begin_s, end_s = length.warmup_s, length.warmup_s + length.measured_s
    within = pl.col("done_ns").is_between(begin_s * 1e9, end_s * 1e9)
    return 8.0 * float(rows.filter(within)["bytes_received"].sum()) / length.measured_s / 1e6


def study(cell: Cell, length: Length, pool: ThreadPoolExecutor) -> dict[str, Any]:
    """The figures of a cell, a list of all runs each."""
    runs = list(pool.map(lambda seed: simulate(cell, seed, length), range(1, length.runs + 1)))
    # A thousandth is less than any interval here, and shorter to read.
    return {name: [float(f"{one[name]:.4g}") for one in runs] for name in runs[0]}


def new_pool() -> ThreadPoolExecutor:
    """Runs at a time: one per core."""
    return ThreadPoolExecutor(os.cpu_count())
