"""The load of a process that gathers from a thousand nodes, simulated from measurements.

.venv/bin/python studies/thousand-nodes/simulate.py [--small] [--to DIR]

A node is a client of a closed workload: half a second after it was heard last, it has a report. The
gathering process is a station. Its demand is the cost of a report, and of each row in it. The
number of rows depends on the time since the last report, so it is iterated until the demand and the
time between reports agree.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import output

HERE = Path(__file__).resolve().parent
NODES = (1, 10, 100, 300, 1000)
RATES = (10, 100, 1000)
"""Requests a second of each node."""

ASKED_EVERY_S = 0.5
"""As in `thinktime.distributed.conductor`."""

ROUNDS = 6


@dataclass(frozen=True)
class Costs:
    """The measurements for one generator."""

    report_s: float
    """CPU time of the gathering process for a report."""

    row_s: float
    """The same for each request in it."""

    report_bytes: float
    row_bytes: float
    begin_s: float
    """CPU time to notify one generator when the run begins."""


@dataclass(frozen=True)
class Cell:
    """A number of nodes, each with a number of requests a second."""

    nodes: int
    rate: float
    load: float
    """The load of the gathering process; from 1 on it falls behind for ever."""

    late_s: float | None
    """The mean delay of a report beyond the half second."""

    late_p99_s: float | None
    bytes_per_s: float
    begin_s: float
    """The time until the last has been notified when the run begins."""


def plane(points: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """The x and y in z = a x + b y, by least squares; none is below zero."""
    xx = sum(x * x for x, _, _ in points)
    xy = sum(x * y for x, y, _ in points)
    yy = sum(y * y for _, y, _ in points)
    xz = sum(x * z for x, _, z in points)
    yz = sum(y * z for _, y, z in points)
    of = xx * yy - xy * xy
    return max(0.0, (xz * yy - yz * xy) / of), max(0.0, (yz * xx - xz * xy) / of)


def costs(measured: dict[str, Any]) -> Costs:
    """The difference between long runs and short ones, split into reports and rows."""
    differences = []
    for pair in measured["runs"]:
        short, long = pair["runs"]
        differences.append(
            {name: long[name] - short[name] for name in short if name != "begun_late_s"}
        )
    by = [("reports", "requests", what) for what in ("cpu_s", "bytes")]
    cpu, size = (plane([(one[x], one[y], one[z]) for one in differences]) for x, y, z in by)
    each = [
        run["begin_s"] / pair["generators"] for pair in measured["runs"] for run in pair["runs"]
    ]
    return Costs(*cpu, *size, statistics.median(each))


def cell(of: Costs, nodes: int, rate: float, length_s: float) -> Cell:
    """Simulate one."""
    rows_load = nodes * rate * of.row_s
    begin_s = nodes * of.begin_s
    traffic = nodes * rate * of.row_bytes
    if rows_load >= 1:
        return Cell(nodes, rate, rows_load, None, None, traffic, begin_s)
    late_s = 0.0
    for _ in range(ROUNDS):
        demand_s = of.report_s + of.row_s * rate * (ASKED_EVERY_S + late_s)
        done = simulated(nodes, demand_s, length_s).summary["response_time_s"]
        late_s = done["mean"]
    # The law of load: the rate of returning reports, each with this demand.
    load = nodes * demand_s / (ASKED_EVERY_S + late_s)
    traffic += nodes / (ASKED_EVERY_S + late_s) * of.report_bytes
    return Cell(nodes, rate, min(load, 1.0), late_s, done["p99"], traffic, begin_s)


def simulated(nodes: int, demand_s: float, length_s: float) -> tt.Result:
    """Reports of a number of nodes at a station."""
    workload = {
        "name": "reports",
        "arrivals": {"model": "closed", "clients": nodes},
        "session": {"think": f"const({ASKED_EVERY_S}s)"},
    }
    station = {"name": "gathering", "policy": "fcfs", "demand": f"exp({demand_s}s)"}
    system = {"name": "one process", "station": [station]}
    return tt.simulate(workload, system, duration=length_s, warmup=length_s / 4, rows="none")


def most(of: Costs, rate: float) -> dict[str, float]:
    """The number of nodes from which it would break, and the first part to break."""
    return {
        "reports every half second": ASKED_EVERY_S
        / (of.report_s + of.row_s * rate * ASKED_EVERY_S),
        "rows at all": 1 / (of.row_s * rate) if of.row_s else float("inf"),
    }


def tables(of: Costs, cells: Sequence[Cell], measured: dict[str, Any]) -> str:
    """All of it, as text."""
    late = {n: [x for pair in measured["runs"] if pair["generators"] == n
                for run in pair["runs"] for x in run["begun_late_s"]]
            for n in sorted({pair["generators"] for pair in measured["runs"]})}  # fmt: skip
    lines = [
        "# Tables", "", "## Measured", "",
        "| what | figure |", "|---|---|",
        f"| CPU time of the gathering process for a report | {of.report_s * 1e3:.2f} ms |",
        f"| and for each request in it | {of.row_s * 1e6:.2f} us |",
        f"| a report | {of.report_bytes:.0f} bytes |",
        f"| and each request in it | {of.row_bytes:.0f} bytes |",
        f"| CPU time to tell one generator when to begin | {of.begin_s * 1e3:.2f} ms |",
    ]  # fmt: skip
    for name, words in (("SIGKILL", "killed"), ("SIGSTOP", "frozen")):
        times = sorted(measured["lost_s"][name])
        lines.append(f"| until it is known that a generator was {words}, {len(times)} times | "
                     f"{times[0]:.2g} to {times[-1]:.2g} s |")  # fmt: skip
    lines += ["", "| generators | begun late, median | at most |", "|---|---|---|"]
    lines += [f"| {n} | {statistics.median(x) * 1e6:.0f} us | {max(x) * 1e6:.0f} us |"
              for n, x in late.items()]  # fmt: skip
    lines += ["", "## Simulated", "",
              "| nodes | requests/s of each | load | a report is late, mean | p99 | traffic | "
              "all told to begin after |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    lines += [row(one) for one in cells]
    lines += ["", "## Where it breaks first", "", "| requests/s of each node | "
              + " | ".join(most(of, 1.0)) + " |", "|---|---|---|"]  # fmt: skip
    for rate in RATES:
        lines.append(
            f"| {rate} | " + " | ".join(f"{x:,.0f}" for x in most(of, rate).values()) + " |"
        )
    return "\n".join(lines) + "\n"


def row(one: Cell) -> str:
    """A line of the table."""
    late = [x and f"{x * 1e3:.3g} ms" for x in (one.late_s, one.late_p99_s)]
    shown = " | ".join(x or "falls behind for ever" for x in late)
    return (f"| {one.nodes:,} | {one.rate:,} | {one.load:.3g} | {shown} | "
            f"{one.bytes_per_s / 1e6:.3g} MB/s | {one.begin_s * 1e3:.3g} ms |")  # fmt: skip


def main() -> None:
    """Simulate all, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--small", action="store_true", help="short simulations")
    output.add_option(parser)
    options = parser.parse_args()
    to = output.folder(parser, options.to, HERE, short=options.small)
    measured = json.loads((HERE / "measured.json").read_text("ascii"))
    of = costs(measured)
    length_s = 20.0 if options.small else 400.0
    cells = [cell(of, nodes, rate, length_s) for rate in RATES for nodes in NODES]
    to.mkdir(parents=True, exist_ok=True)
    found = {"costs": asdict(of), "cells": [asdict(one) for one in cells]}
    (to / "results.json").write_text(json.dumps(found, indent=1) + "\n", "ascii")
    (to / "tables.md").write_text(tables(of, cells, measured), "utf-8")


if __name__ == "__main__":
    main()
