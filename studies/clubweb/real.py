"""CAP and LARD by the real switch, in front of seven servers that model, beside the simulation.

.venv/bin/python studies/clubweb/real.py [--go-on] [--small] [--to DIR]

Each run is of one seed; the simulation has the same files, seed and length. Ctrl-C keeps the runs
that are done in real.json; --go-on does those that are missing, and those that came late.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import cells
import plan
import real_tables
from cells import Cell, Length
from real_run import compared

sys.path.insert(0, str(cells.HERE.parent))

import output

RESULTS = "real.json"
TRIES = 2
"""The number of attempts at a run before a late one is kept."""

LENGTH = Length(warmup_s=4, measured_s=8, runs=3)
SMALL = Length(warmup_s=1, measured_s=2, runs=1)

Found = dict[str, dict[str, Any]]
"""The results, by `real_tables.name` of a cell and its seed."""


def main() -> int:
    """Do all runs, and write their results."""
    options = _options()
    # Any end of this ends the servers and the switch too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    wanted, length = (_small(), SMALL) if options.small else (real_tables.wanted(), LENGTH)
    options.to.mkdir(parents=True, exist_ok=True)
    found = _kept(options.to / RESULTS, length) if options.go_on else {}
    try:
        _do(wanted, length, found, options.to)
    except KeyboardInterrupt:
        print(f"\ninterrupted: {len(found)} runs are kept; --go-on does the others",
              file=sys.stderr)  # fmt: skip
        return 130
    if not options.small:
        real_tables.show(options.to, found, length)
    late = sum(one["late"] is not None for one in found.values())
    print(f"{time.monotonic() - began:.0f} s; {late} of {len(found)} runs came late",
          file=sys.stderr)  # fmt: skip
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--go-on", action="store_true", help="keep the runs of real.json")
    parser.add_argument("--small", action="store_true", help="two short runs, and no tables")
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, cells.HERE, short=options.small)
    return options


def _small() -> list[Cell]:
    return [plan.at_load("cpu", one, 0.3, plan.ONE) for one in ("cap", cells.PUBLISHED)]


def _do(wanted: list[Cell], length: Length, found: Found, to: Path) -> None:
    """Do the missing and late runs; those with the same servers one after another."""
    runs = [
        (cell, seed)
        for seed in range(1, length.runs + 1)
        for cell in wanted
        if found.get(real_tables.name(cell, seed), {"late": ""})["late"] is not None
    ]
    done, total = len(wanted) * length.runs - len(runs), len(wanted) * length.runs
    alike = groupby(runs, key=lambda run: (run[1], run[0].system, run[0].programs))
    with tempfile.TemporaryDirectory() as folder:
        for (seed, *_), group in alike:
            for cell, one in compared(Path(folder), [run[0] for run in group], seed, length, TRIES):
                found[real_tables.name(cell, seed)] = one
                _keep(to / RESULTS, length, found)
                done += 1
                why = "" if one["late"] is None else f": {one['late']}"
                print(f"{done} of {total}: {real_tables.name(cell, seed)}{why}", file=sys.stderr)


def _kept(path: Path, length: Length) -> Found:
    """The results of earlier runs of the same length."""
    if not path.exists():
        return {}
    before = json.loads(path.read_text(encoding="utf-8"))
    found: Found = before["runs"]
    return found if before["length"] == real_tables.said(length) else {}


def _keep(path: Path, length: Length, found: Found) -> None:
    # A line for each run, so that a change shows.
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(found[key])}" for key in sorted(found))
    said = json.dumps(real_tables.said(length))
    whole = path.with_suffix(".part")
    whole.write_text(f'{{"length": {said},\n"runs": {{\n{lines}\n}}}}\n', encoding="utf-8")
    whole.replace(path)


if __name__ == "__main__":
    sys.exit(main())
