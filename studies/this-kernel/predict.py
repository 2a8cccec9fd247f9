"""Predicts the measurements of `measure.py`, and compares both.

    .venv/bin/python studies/this-kernel/predict.py FOLDER [--to DIR]

Each point is simulated on its own sample path under this kernel's scheduler, and under processor
sharing. Writes `tables.md`, `results.json` and the distributions as figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from measure import HERE, Point, model
from numpy.typing import NDArray

import thinktime as tt

sys.path.insert(0, str(HERE.parent))

from chart import LineChart

REQUESTS = ("page", "monitoring", "reporting")
SHARED = "processor-sharing"
# Linux has EEVDF since 6.6, and CFS before.
EEVDF_SINCE = (6, 6)


def main() -> int:
    """Predict all points of a folder."""
    parser = argparse.ArgumentParser(description="Predict what was measured.")
    parser.add_argument("folder", type=Path, help="where measure.py put its points")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write")
    options = parser.parse_args()
    (options.to / "figures").mkdir(parents=True, exist_ok=True)
    found = []
    for file in sorted(options.folder.glob("*/point.json")):
        print(file.parent.name, file=sys.stderr, flush=True)
        found += compared(file.parent, json.loads(file.read_text()), options.to / "figures")
    (options.to / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    (options.to / "tables.md").write_text(table(found))
    print(options.to / "tables.md")
    return 0


def scheduler_of(kernel: str) -> str:
    """The preset for a kernel's version, as in 6.18.44-generic."""
    major, minor = (int(part) for part in kernel.split(".")[:2])
    return "linux-eevdf" if (major, minor) >= EEVDF_SINCE else "linux-cfs"


def predicted(point: Point, about: dict[str, Any], os: str) -> pl.DataFrame:
    """The rows of a simulation of the point's sample path."""
    workload, _ = model(point)
    workload = workload.with_seed(about["seed"])
    system = tt.System(server(point, about, os))
    result = tt.simulate(workload, system, duration=about["duration_s"], warmup=0, rows="all")
    return pl.DataFrame(result.requests)


def server(point: Point, about: dict[str, Any], os: str) -> str:
    """The system file of `thinktime serve --burn` itself, with the further cost of a request.

    A thread for each request is started by one that accepts them, which takes half of that CPU time
    and must first get a core itself.
    """
    besides = about["besides"]
    starts = point.threads == "per-request"
    own_s = besides["cpu_s"] / 2 if starts else besides["cpu_s"]
    demands = "".join(
        f'demand.{name} = "const({about["demand_s"][name] + own_s}s)"\n' for name in REQUESTS
    )
    slices = ""
    if os == "linux-eevdf":
        # The kernel's slice grows with the machine's cores, not with those that are allowed.
        slice_us = 700 * (1 + int(np.log2(min(about["machine_cores"], 8))))
        slices = f'scheduler.time_sharing = {{ scaled_by_cores = false, slice = "{slice_us}us" }}\n'
    machine = f'[[machine]]\nname = "machine"\ncores = {point.cores}\nos = "{os}"\n{slices}'
    between = f'{{ delay = "const({besides["between_s"]}s)" }}'
    if not starts:
        steps = f'{between}, {{ use = "machine" }}'
        parts = f"{machine}threads = {point.threads}\n{demands}"
    else:
        steps = f'{between}, {{ use = "acceptor" }}, {{ use = "threads" }}'
        service = '[[service]]\nmachine = "machine"\n'
        parts = (
            f'{machine}{service}name = "acceptor"\nthreads = "event-loop"\n'
            f'demand = "const({besides["cpu_s"] - own_s}s)"\n'
            f'{service}name = "threads"\nthreads = "per-request"\n{demands}'
        )
    return f'name = "this machine"\n{parts}[[behaviour]]\nsteps = [{steps}]\n'


def compared(folder: Path, about: dict[str, Any], figures: Path) -> list[dict[str, Any]]:
    """Measured and predicted figures of a point, by request; and a figure of each."""
    point = Point(about["cores"], about["load"], about["threads"])
    measured = pl.DataFrame(tt.Result.load(folder).requests)
    by_kernel = predicted(point, about, scheduler_of(about["kernel"]))
    shared = predicted(point, about, SHARED)
    found = []
    for request in REQUESTS:
        times = {
            "measured": _times(measured, request),
            "predicted": _times(by_kernel, request),
            "shared": _times(shared, request),
        }
        figures_of = {
            f"{name}_{what}_ms": float(np.quantile(values, share))
            for name, values in times.items()
            for what, share in (("median", 0.5), ("p95", 0.95))
        }
        known = {"cores": point.cores, "load": point.load, "threads": point.threads}
        found.append(
            {**known, "request": request, "requests": times["measured"].size, **figures_of}
        )
        _draw(figures / f"{point.name}-{request}.svg", f"{title(point)}: {request}", times)
    return found


def title(point: Point) -> str:
    """A point in words."""
    cores = "One core" if point.cores == 1 else f"{point.cores} cores"
    each = point.threads == "per-request"
    threads = "a thread a request" if each else f"{point.threads} threads"
    return f"{cores}, load {point.load}, {threads}"


def _times(rows: pl.DataFrame, request: str) -> NDArray[np.float64]:
    """Response times in ms, rising."""
    chosen = rows.filter((pl.col("name") == request) & pl.col("error").is_null())
    times = (chosen["done_ns"] - chosen["scheduled_ns"]).to_numpy() * 1e-6
    return np.sort(times.astype(np.float64))


def _draw(path: Path, title: str, times: dict[str, NDArray[np.float64]]) -> None:
    label = "response time (ms)"
    chart = LineChart(title, label, "share of requests", x_log=True, y_limits=(0.0, 1.0))
    for name, values in times.items():
        label = {"shared": "processor sharing"}.get(name, name)
        chart.line(
            label, list(values), list(np.arange(1, values.size + 1) / values.size), marks=False
        )
    chart.save(path)


def table(found: list[dict[str, Any]]) -> str:
    """All points, with the errors of the medians."""
    text = "# This kernel: measured and predicted\n\nMedians and 95th percentiles in ms.\n\n"
    text += "| cores | load | threads | request | n | measured | predicted | error | p95 "
    text += (
        "| p95 predicted | shared | error |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    )
    for one in found:
        median = one["measured_median_ms"]
        error = one["predicted_median_ms"] / median - 1
        shared = one["shared_median_ms"] / median - 1
        text += (
            f"| {one['cores']} | {one['load']} | {one['threads']} | {one['request']} "
            f"| {one['requests']} | {median:.2f} | {one['predicted_median_ms']:.2f} | {error:+.0%} "
            f"| {one['measured_p95_ms']:.1f} | {one['predicted_p95_ms']:.1f} "
            f"| {one['shared_median_ms']:.2f} | {shared:+.0%} |\n"
        )
    within = [abs(x["predicted_median_ms"] / x["measured_median_ms"] - 1) for x in found]
    text += f"\nMedians within 10 %: {sum(e <= 0.1 for e in within)} of {len(within)}; "
    text += f"worst {max(within, default=0):.0%}.\n"
    return text


if __name__ == "__main__":
    sys.exit(main())
