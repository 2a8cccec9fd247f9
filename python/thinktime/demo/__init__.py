"""The demo: one server under five workloads at the same load, measured, simulated and exact."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import Result, System, Workload, report, run, serve, simulate
from thinktime.report import headline_of, terminal
from thinktime.report import rows as rows_of

if TYPE_CHECKING:
    from rich.console import Console

LOAD = 0.8
"""The load that all workloads put on the server."""

RUN_S = 12.0
"""The duration of each real run; its simulation on the same sample path lasts as long."""

WARMUP_S = 1.0

LONG_REQUESTS = 10_000_000
"""Requests of the long simulation, which shows the steady state."""

HERE = Path(__file__).parent
NAMES = ("closed-1", "closed-10", "partly-open", "open", "mixed")


def main(output: Path, console: Console, seed: int | None = None) -> Path:
    """Run the demo, print its headline and its table, and write its results and its page.

    Every workload is brought to the same load; then it is run over HTTP against a server that
    behaves as the system file says, simulated on the same sample path (the requests carry the
    very service demands that the simulation draws), and simulated for long.

    Args:
        output: The directory for results and page.
        console: Where the headline and the table are printed.
        seed: The seed, instead of that of the workload files.

    Returns:
        The path of the page.
    """
    began = time.monotonic()
    system = System.load(HERE / "system.toml")
    results: list[Result] = []
    with serve(system) as server:
        for name in NAMES:
            workload = Workload.load(HERE / f"{name}.toml")
            if seed is not None:
                workload = workload.with_seed(seed)
            _say(began, f"{workload.name}: finding load {LOAD}")
            workload = workload.at_load(system, LOAD)
            _say(began, f"{workload.name}: {RUN_S:.0f} s over HTTP against {server.url}")
            results.append(
                run(
                    workload,
                    server.url,
                    duration=RUN_S,
                    warmup=WARMUP_S,
                    demands=system,
                    output=output / name / "measured",
                )
            )
            results += _simulated(workload, system, output / name, began)
    page = report(results, output / "report.html", title="One server, five workloads")
    console.print(headline_of(results).sentence)
    console.print(f"page: {page}\n", soft_wrap=True)
    console.print(terminal.render_times(rows_of(results)))
    return page


def _simulated(workload: Workload, system: System, output: Path, began: float) -> list[Result]:
    _say(
        began, f"{workload.name}: the same {RUN_S:.0f} s simulated, then {LONG_REQUESTS:,} requests"
    )
    same_path = simulate(
        workload, system, duration=RUN_S, warmup=WARMUP_S, output=output / "same-path"
    )
    long = simulate(
        workload,
        system,
        requests=LONG_REQUESTS,
        warmup=60.0,
        rows="none",
        output=output / "long",
    )
    return [same_path, long]


def _say(began: float, what: str) -> None:
    print(f"[{time.monotonic() - began:5.1f} s] {what}", file=sys.stderr, flush=True)
