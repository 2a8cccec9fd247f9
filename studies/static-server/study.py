"""Static files behind a link of 10 Mbit/s: fair sharing against SRPT, open, partly open and closed.

    .venv/bin/python studies/static-server/study.py [--quick] [--loads L,L] [--to DIR]

Each run is a lab of its own: see README.md. It writes results.json, tables.md and figures. Needs
root (or user namespaces), the program `tc` with the kernel's htb, and nginx. Five to six minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import files
import models
import polars as pl
import static_tables

import thinktime as tt
from thinktime.lab import permission

sys.path.insert(0, str(models.HERE.parent))

import labs
import output
from sample_path import at_load

WARMUP_S = 2.0
LONG_RUN, QUICK_RUN = 200_000, 5000
"""Requests of the simulation of the long run; fewer in the quick study."""


def cells(loads: list[float], quick: bool) -> Iterator[models.Cell]:
    """All cells; two in the quick study."""
    if quick:
        yield from (models.Cell("open", which, loads[0]) for which in ("nginx, fair", "SRPT"))
        return
    for load in loads:
        for model in ("open", "closed"):
            yield from (models.Cell(model, which, load) for which in ("nginx, fair", "SRPT"))
    yield from (models.Cell("partly open", which, loads[-1]) for which in ("nginx, fair", "SRPT"))
    yield models.Cell("open", "fair", loads[-1])


def main() -> int:
    """Do all of it; returns the exit status."""
    options = _options()
    os.environ["PATH"] += ":/usr/sbin"
    why = _missing()
    if why is not None:
        print(f"the site cannot be made: {why}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    site = files.site()
    mean, cv2 = files.moments(site)
    duration_s = 2.0 if options.quick else options.seconds
    chosen = list(cells([float(load) for load in options.loads.split(",")], options.quick))
    rows = []
    for at, cell in enumerate(chosen, 1):
        print(f"{at} of {len(chosen)}: {cell.model}, {cell.server}, {cell.load}", file=sys.stderr)
        rows.append(_cell(cell, site, duration_s, QUICK_RUN if options.quick else LONG_RUN))
    found = {"mean_size": mean, "cv2": cv2, "seconds": duration_s, "cells": rows}
    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / "results.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    static_tables.write(options.to, found)
    print(options.to / "tables.md")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="two cells, shorter")
    parser.add_argument("--loads", default="0.5,0.7,0.9", help="loads of the link")
    parser.add_argument("--seconds", type=float, default=15, help="length of each run")
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, models.HERE, short=options.quick)
    return options


def _missing() -> str | None:
    """The missing requirements, if any."""
    if shutil.which("nginx") is None:
        return "nginx is not installed"
    return permission.missing()


def _cell(
    cell: models.Cell, site: list[files.File], duration_s: float, requests: int
) -> dict[str, Any]:
    """A cell, measured in a lab and simulated on the same sample path."""
    whole_s = WARMUP_S + duration_s
    # The seed and the rate depend on the link's traffic, and not on the policy.
    fair = models.system("fair")
    workload = at_load(models.workload(cell.model, site), fair, models.LINK, cell.load, whole_s)
    measured = _measured(cell, site, workload, whole_s)
    found = asdict(cell) | {"measured": measured}
    ends = {"predicted": {"duration": whole_s}, "long_run": {"requests": requests}}
    for name, given in ends.items():
        model = models.system(cell.server)
        done = tt.simulate(workload, model, warmup=WARMUP_S, rows="all", **given)
        found[name] = _figures(pl.DataFrame(done.requests), site, WARMUP_S)
    return found


def _measured(
    cell: models.Cell, site: list[files.File], workload: tt.Workload, whole_s: float
) -> dict[str, Any]:
    """The times of a lab's users."""
    with tempfile.TemporaryDirectory(prefix="static-server-") as name:
        folder = Path(name)
        (folder / "files").mkdir()
        for one in site:
            (folder / "files" / one.name).write_bytes(bytes(one.size))
        (folder / "workload.toml").write_text(workload.to_toml(), "utf-8")
        text = models.lab(cell.server, sys.executable, whole_s, WARMUP_S)
        (folder / "lab.toml").write_text(text, "utf-8")
        said = labs.run(folder / "lab.toml", folder / "out")
        result = folder / "out" / "users"
        if not (result / "summary.json").exists():
            raise SystemExit(f"{cell.server}, {cell.model}: no result: {said}")
        loaded = tt.Result.load(result)
        rows = pl.DataFrame(loaded.requests)
        figures = _figures(rows, site, WARMUP_S)
        figures["lateness_p99_s"] = loaded.summary["lateness_s"]["p99"]
        return figures


def _figures(rows: pl.DataFrame, site: list[files.File], warmup_s: float) -> dict[str, Any]:
    """Response times in seconds: of all requests, and by the sizes of files."""
    sizes = {one.name: one.size for one in site}
    counted = rows.filter(pl.col("scheduled_ns") >= warmup_s * 1e9)
    answered = counted.filter(pl.col("error").is_null()).select(
        took=(pl.col("done_ns") - pl.col("scheduled_ns")) / 1e9,
        size=pl.col("name").cast(pl.String).replace_strict(sizes, return_dtype=pl.Int64),
    )
    took = answered["took"]
    found: dict[str, Any] = {
        "requests": len(counted),
        "errors": len(counted) - len(answered),
        "mean_s": took.mean(),
        "p50_s": took.quantile(0.5),
        "p99_s": took.quantile(0.99),
        "bytes": answered["size"].sum(),
    }
    for name, (low, high) in static_tables.SIZES.items():
        found[name] = answered.filter(pl.col("size").is_between(low, high))["took"].mean()
    return found


if __name__ == "__main__":
    sys.exit(main())
