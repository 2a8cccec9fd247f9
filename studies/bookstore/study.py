"""A bookstore's database under closed, partly open and open users, scheduled by class.

    .venv/bin/python studies/bookstore/study.py [--quick] [--mix MIX] [--loads L,L] [--go-on]
        [--to DIR]

It starts PostgreSQL on a core of its own, fills it, measures what each interaction demands, runs
all cells, simulates them, and writes results.json, tables.md and figures: see README.md.
Measurements are kept after each cell; `--go-on` measures the missing ones. Needs Debian's package
postgresql and two cores; and root for scheduling classes: other users get the cells of the default
scheduling. Some 35 minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import classes
import demands
import mixes
import relay
import runs
import store
import tables
from store_cells import Cell, cells

sys.path.insert(0, str(mixes.HERE.parent))

import output

WARMUP_S, SECONDS, USERS, ASKED, LONG_RUN = 12.0, 30.0, 50, 60, 200_000
"""The length of runs, the number of closed users, the number of measurements of a demand, and the
number of requests in the simulation of the long run. New connections plan their statements: at a
load of 0.9 the resulting queue needs ten times as long to go, and the warm-up is for that."""

QUICK = (0.5, 1.0, 10, 10, 5000)
"""The same of the quick study."""

PILOT = 0.8
"""The load of the run that shows the demands beside other users."""

SMALLEST, LARGEST, LONGEST_S = 10, 10_000_000, 86_400.0
"""The ranges of the number of books or customers, as fewer leave tables empty; and of the length of
a run."""


def main() -> int:
    """Do all of it; returns the exit status."""
    options = _options()
    why = _missing()
    if why is not None:
        print(f"the bookstore cannot open: {why}", file=sys.stderr)
        return 2
    left_out = [policy for policy in classes.POLICIES if policy not in classes.permitted()]
    if left_out:
        print(f"left out, as only root may schedule so: {'; '.join(left_out)}", file=sys.stderr)
    # Ended like this, it ends PostgreSQL, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    size = store.SMALL if options.quick else store.Size(options.books, options.customers)
    cores = sorted(os.sched_getaffinity(0))
    print("filling the database", file=sys.stderr)
    options.to.mkdir(parents=True, exist_ok=True)
    with store.filled(size, cores[0]) as filled:
        os.sched_setaffinity(0, {cores[-1]})
        with relay.relaying(filled.database.socket) as between:
            _measure(options, size, filled, between, cores[0])
    print(options.to / "tables.md")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="three cells of a small store")
    parser.add_argument("--mix", choices=mixes.MIXES, default="browsing")
    parser.add_argument(
        "--loads", default="0.5,0.7,0.9", help="loads of the database's core", type=_loads
    )
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help="length of each run")
    parser.add_argument("--books", type=_number, default=store.Size.books)
    parser.add_argument("--customers", type=_number, default=store.Size.customers)
    parser.add_argument("--go-on", action="store_true", help="keep the cells of results.json")
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, mixes.HERE, short=options.quick)
    return options


def _loads(text: str) -> list[float]:
    """Rising, as most is measured at the last and highest one."""
    try:
        loads = [float(load) for load in text.split(",")]
    except ValueError:
        loads = []
    if not loads or not all(0 < load < 1 for load in loads) or loads != sorted(set(loads)):
        raise argparse.ArgumentTypeError(
            f"found {text!r}, wanted loads above 0 and below 1 that rise, as in 0.5,0.7,0.9"
        )
    return loads


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < LONGEST_S:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, wanted more than 0 and less than {LONGEST_S:g} seconds, as in 30"
        )
    return seconds


def _number(text: str) -> int:
    if not text.isdecimal() or not SMALLEST <= int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, wanted a whole number from {SMALLEST} to {LARGEST:,}"
        )
    return int(text)


def _missing() -> str | None:
    """The missing requirements, if any."""
    if not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return "PostgreSQL is not installed (Debian's package postgresql)"
    if len(os.sched_getaffinity(0)) < 2:
        return "it needs two cores, one for PostgreSQL alone"
    return None


def _measure(
    options: argparse.Namespace,
    size: store.Size,
    filled: store.Store,
    between: relay.Relay,
    core: int,
) -> None:
    """Demands, then a pilot run, then all cells with their predictions; each is kept at once."""
    print("measuring demands", file=sys.stderr)
    usual = (WARMUP_S, options.seconds, USERS, ASKED, LONG_RUN)
    warmup_s, seconds, users, asked, long_run = QUICK if options.quick else usual
    each = demands.measured(filled, between, size, asked)
    bench = runs.Bench(
        filled, size, between, core, options.mix, warmup_s, seconds, users, long_run, each
    )
    before = _before(options, seconds)
    rows: list[dict[str, Any]] = before.get("cells", [])
    # The ratio of demands under load to those alone.
    _, scale = runs.cell(bench, Cell("open", "default", PILOT), before.get("scale", 1.0))
    mean_s, cv2 = demands.moments(each, mixes.shares(options.mix))
    there = [{key: row[key] for key in asdict(Cell("", "", 0))} for row in rows]
    chosen = list(cells(options.loads, options.quick))
    loads = runs.QUICK_CURVE if options.quick else runs.CURVE
    found: dict[str, Any] = {
        "mix": options.mix,
        "size": asdict(size) | {"bytes": filled.bytes()},
        "demands": {name: one.figures() for name, one in each.items()},
        "cv2": cv2, "seconds": seconds,
        "left_out": [one for one in classes.POLICIES if one not in classes.permitted()],
        "curves": runs.curves(bench, scale, tuple(tables.policies_of(chosen)), loads),
    }  # fmt: skip
    for cell in (one for one in chosen if asdict(one) not in there):
        said = f"{len(rows) + 1} of {len(chosen)}: {cell.model}, {cell.policy}, {cell.load}"
        print(said, file=sys.stderr)
        # A shared machine changes its speed: the next cell uses this ratio.
        row, scale = runs.cell(bench, cell, scale)
        rows.append(row)
        found["mean_s"], found["scale"], found["cells"] = scale * mean_s, scale, rows
        _keep(options.to, found)


def _keep(folder: Path, found: dict[str, Any]) -> None:
    """Write the results so far."""
    (folder / "results.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    tables.write(folder, found)


def _before(options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """The results of an interrupted study, if this one continues it."""
    file = options.to / "results.json"
    if not options.go_on or not file.exists():
        return {}
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    if (found["mix"], found["seconds"]) != (options.mix, seconds):
        raise SystemExit(f"{file} is of the {found['mix']} mix and runs of {found['seconds']:g} s")
    return found


if __name__ == "__main__":
    sys.exit(main())
