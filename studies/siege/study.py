"""The service of good users during an attack: nginx and `thinktime serve`, each under siege.

    .venv/bin/python studies/siege/study.py [--small] [--only KIND,KIND] [--to DIR]

Each cell is a lab with good users, a hostile client, and a line that both share: see README.md.
Needs root (or user namespaces) and nginx. It writes results.json, and the tables of README.md and
of the page in docs; after Ctrl-C or SIGTERM it writes nothing, and nothing of a lab is left.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import cells
import polars as pl
import table

import thinktime as tt
from thinktime.lab import permission

sys.path.insert(0, str(cells.HERE.parent))

import labs
import output

MARGIN_S = 1.0
"""Requests so close to the beginning and the end of an attack belong to no part."""


def main() -> int:
    """Try all cells and write the results; returns the exit status."""
    options = _options()
    os.environ["PATH"] += ":/usr/sbin"
    why = _missing()
    if why is not None:
        print(f"no siege can be laid: {why}", file=sys.stderr)
        return 2
    # Ended like this, it ends its lab, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    found: list[dict[str, Any]] = []
    chosen = [
        one
        for one in cells.all_cells(options.small)
        if one.kind in options.only or not options.only
    ]
    try:
        for at, cell in enumerate(chosen, 1):
            print(f"{at} of {len(chosen)}: {cell.server} under {cell.kind}", file=sys.stderr)
            found.append(measured(cell))
    except KeyboardInterrupt:
        print("interrupted; nothing is written", file=sys.stderr)
        return 130
    options.to.mkdir(parents=True, exist_ok=True)
    if options.only:
        found = _with_the_others(options.to / "results.json", found)
    (options.to / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    table.write(options.to, found)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--small", action="store_true", help="two cells, shorter")
    parser.add_argument(
        "--only", type=lambda said: said.split(","), default=[], metavar="KIND,KIND",
        help="try these hostile clients anew, and keep what is there of the others",
    )  # fmt: skip
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, cells.HERE, short=options.small)
    return options


def _with_the_others(path: Path, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The new results, each in the place of the same cell's results in a file."""
    kept = json.loads(path.read_text()) if path.exists() else []
    by_cell = {(one["server"], one["kind"]): one for one in [*kept, *found]}
    return list(by_cell.values())


def _missing() -> str | None:
    """The missing requirements, if any."""
    if shutil.which("nginx") is None:
        return "nginx is not installed"
    return permission.missing()


def measured(cell: cells.Cell) -> dict[str, Any]:
    """Run a cell's lab; returns the good users' times in each part of it."""
    with tempfile.TemporaryDirectory(prefix="siege-") as folder:
        file, output = Path(folder) / "lab.toml", Path(folder) / "out"
        file.write_text(cell.lab())
        said = labs.run(file, output)
        result = output / "good-users"
        if not (result / "summary.json").exists():
            raise SystemExit(f"{cell.name}: no result: {said}")
        lab = json.loads((output / "lab.json").read_text())
        return asdict(cell) | {
            "hostile": lab["hostile"][cell.kind]["counts"],
            "parts": parts(tt.Result.load(result), lab["hostile"][cell.kind]),
            "lateness_p99_s": tt.Result.load(result).summary["lateness_s"]["p99"],
        }


def parts(result: tt.Result, attack: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The good users' times before, during and after the attack.

    The beginning of a run is known to the second; the margin of the same length covers that.
    """
    began = datetime.fromisoformat(table.started(result)).timestamp() + 0.5
    begins, ends = attack["began"] - began, attack["ended"] - began
    rows = pl.DataFrame(result.requests).select(
        at=pl.col("scheduled_ns") / 1e9,
        took=(pl.col("done_ns") - pl.col("scheduled_ns")) / 1e9,
        failed=pl.col("error").is_not_null() | (pl.col("status").fill_null(0) != 200),
    )
    bounds = {
        "before": (MARGIN_S, begins - MARGIN_S),
        "during": (begins + MARGIN_S, ends - MARGIN_S),
        "after": (ends + MARGIN_S, float("inf")),
    }
    return {name: _seen(rows.filter(pl.col("at").is_between(*of))) for name, of in bounds.items()}


def _seen(rows: pl.DataFrame) -> dict[str, float]:
    """Times of answered requests, and the share of all unanswered ones."""
    answered = rows.filter(~pl.col("failed"))["took"]
    return {
        "requests": len(rows),
        "failed": 1 - len(answered) / len(rows) if len(rows) else 0.0,
        "p50_s": float(answered.quantile(0.5) or 0.0),
        "p99_s": float(answered.quantile(0.99, "higher") or 0.0),
    }


if __name__ == "__main__":
    sys.exit(main())
