"""What CPU limits do to a container's response times: measured on this kernel, and simulated.

    .venv/bin/python studies/containers/study.py [--seconds 40] [--quick] [--predict] [--to DIR]

Each cell is a `thinktime serve --burn` with its limit in a control group, and a `thinktime run`
against it whose requests carry their demands: the simulation follows the same sample path. It
writes results.json, and the table of the page in docs. Cells that results.json has already are not
measured again; Ctrl-C keeps those that are finished.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cells
import polars as pl
from cells import Cell

import thinktime as tt
from thinktime.inputs.dicts import toml_of

sys.path.insert(0, str(cells.HERE.parent))

import marks
import output
from burn_server import burning
from generator_cores import beside

PAGE = cells.HERE.parents[1] / "docs" / "studies-containers.md"
PERCENTILES = ("p50", "p90", "p99")
BURNER = [sys.executable, "-c", "while True: pass"]
THROTTLED = re.compile(r"throttled in ([\d,]+) of ([\d,]+) periods")


def main() -> int:
    """Measure and simulate the cells; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=int, default=40, help="no request begins later in a cell")
    parser.add_argument("--quick", action="store_true", help="two cells, a few seconds")
    parser.add_argument("--predict", action="store_true", help="simulate anew what was measured")
    output.add_option(parser)
    options = parser.parse_args()
    to = output.folder(parser, options.to, cells.HERE, short=options.quick)
    to.mkdir(parents=True, exist_ok=True)
    file = to / "results.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    seconds = 3 if options.quick else options.seconds
    try:
        for cell in cells.cells(short=options.quick):
            if (cell.name in found) != options.predict:
                continue
            print(cell.name, file=sys.stderr, flush=True)
            measured = found[cell.name]["measured"] if options.predict else measure(cell, seconds)
            found[cell.name] = {"measured": measured, "simulated": simulate(cell, measured)}
            file.write_text(json.dumps(found, indent=1) + "\n")
    except KeyboardInterrupt:
        print("interrupted; the cells so far are kept", file=sys.stderr)
        return 130
    if to == cells.HERE:
        marks.put(PAGE, list(lines(found)))
    return 0


def typical(seconds: int) -> int:
    """The first seed whose requests bring as much work as their rate promises, within 1 %."""
    wanted_s = cells.RATE * cells.DEMAND_S * seconds
    for seed in range(1, 1000):
        alone = tt.simulate(
            cells.users(seed), cells.served(Cell()), duration=f"{seconds}s", warmup=0
        ).summary
        brought_s = alone["requests"] * alone["service_time_s"]["mean"]
        if abs(brought_s / wanted_s - 1) < 0.01:
            return seed
    raise SystemExit("no seed below 1000 brings this load: take more --seconds")


def measure(cell: Cell, seconds: int) -> dict[str, Any]:
    """The figures of a real container; times in seconds."""
    cores = sorted(os.sched_getaffinity(0))[-cells.CORES :]
    seed = typical(seconds)
    system = cells.served(cell)
    with TemporaryDirectory() as place:
        file = Path(place) / "system.toml"
        file.write_text(toml_of(system), "utf-8")
        with burning(file, cores) as server, neighbours(cell.neighbours, cores), beside(cores):
            result = tt.run(
                cells.users(seed), server.url, duration=f"{seconds}s", warmup=0, drain="60s",
                demands=system,
            )  # fmt: skip
    throttled = THROTTLED.search("\n".join(server.said))
    periods = [int(number.replace(",", "")) for number in throttled.groups()] if throttled else None
    return {
        "seed": seed,
        "seconds": seconds,
        "machine_cores": os.cpu_count(),
        "kernel": os.uname().release,
        "lateness_p99": result.summary["lateness_s"]["p99"],
        "errors": result.summary["errors"],
        "throttled": periods and periods[0] / max(1, periods[1]),
        **times(result),
    }


@contextmanager
def neighbours(number: int, cores: Sequence[int]) -> Iterator[None]:
    """Threads that never rest, each a session of its own, on these cores until the block ends."""
    burners: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(number):
            burners.append(subprocess.Popen(BURNER, start_new_session=True))
            os.sched_setaffinity(burners[-1].pid, cores)
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def simulate(cell: Cell, measured: dict[str, Any]) -> dict[str, Any]:
    """The figures of the same sample path in the model, and of a model that knows no limit."""
    # The kernel's slice grows with the machine's cores (studies/this-kernel).
    slice_us = 700 * (1 + int(math.log2(min(measured["machine_cores"], 8))))
    scheduling = {"scaled_by_cores": False, "slice": f"{slice_us}us"}
    free = Cell(threads=cell.threads, neighbours=cell.neighbours)
    found, without = (_simulated(one, measured, scheduling) for one in (cell, free))
    limit = found.summary["machines"]["node"].get("limits", {}).get("container")
    return {
        "throttled": limit and limit["throttled_periods"] / max(1, limit["periods"]),
        **times(found),
        "without": times(without),
    }


def _simulated(cell: Cell, measured: dict[str, Any], scheduling: dict[str, Any]) -> tt.Result:
    workload = cells.users_and_neighbours(measured["seed"], cell.neighbours)
    system = cells.simulated(cell, scheduling)
    return tt.simulate(workload, system, duration=f"{measured['seconds']}s", warmup=0, rows="all")


def times(result: tt.Result) -> dict[str, float]:
    """Mean and percentiles of the users' response times, and their number."""
    rows = pl.DataFrame(result.requests).filter(pl.col("name") == "ask")
    taken = (rows["done_ns"] - rows["scheduled_ns"]) * 1e-9
    shares = {name: float(name[1:]) / 100 for name in PERCENTILES}
    found = {name: float(taken.quantile(share, "higher")) for name, share in shares.items()}
    return {"requests": len(rows), "mean": float(taken.mean()), **found}


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield (
        "| container | throttled: measured | simulated | p50: measured | simulated "
        "| p99: measured | simulated | a model without the limit |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name, cell in found.items():
        real, model = cell["measured"], cell["simulated"]
        shares = [one["throttled"] for one in (real, model)]
        throttled = ["" if share is None else f"{share:.0%}" for share in shares]
        both = [f"{1e3 * one[at]:,.0f} ms" for at in ("p50", "p99") for one in (real, model)]
        without = f"{1e3 * model['without']['p99']:,.0f} ms"
        yield f"| {name} | {' | '.join(throttled)} | {' | '.join(both)} | {without} |"


if __name__ == "__main__":
    sys.exit(main())
