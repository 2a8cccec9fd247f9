"""The case study of MOSS (QEST 2010) again: two operating systems on one, two and four cores.

.venv/bin/python studies/moss/study.py [--json] [--runs N] [--to DIR]

Without --json it writes all figures and tables, with the sensitivity to what the paper leaves open.
Tables and figures stay as they are if the tables agree with those that are there; the numbers
behind them are in results.json, which git ignores.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cells
import pictures
import sensitivity
import tables

sys.path.insert(0, str(cells.HERE.parent))

import output

RUNS = 20


def main() -> int:
    """Simulate the cells, and write or print what they give."""
    options = _options()
    began = time.monotonic()
    try:
        with ThreadPoolExecutor() as pool:
            found = _cells(pool, options.runs)
            if options.json:
                print(json.dumps({"cells": found}, indent=1))
            else:
                _write(pool, options.to, found, options.runs)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the cells, and write nothing")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of two hours of each cell")
    output.add_option(parser)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be 1 or more")
    options.to = output.folder(parser, options.to, cells.HERE, short=options.runs < RUNS)
    return options


def _cells(pool: ThreadPoolExecutor, runs: int) -> list[dict[str, Any]]:
    found = []
    for at, cell in enumerate(cells.all_cells(), 1):
        found += cells.study(cell, runs, pool).values()
        print(f"\r{at} of 12 cells", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def _write(pool: ThreadPoolExecutor, folder: Path, found: list[dict[str, Any]], runs: int) -> None:
    shared = sensitivity.processor_sharing(pool, runs)
    readings = sensitivity.readings(pool, max(2, runs // 2))
    text = tables.of_cells(found)
    text += tables.of_sharing(found, shared) + tables.of_readings(readings)
    written = output.write(folder, text, lambda figures: pictures.draw(figures, found))
    results = {"cells": found, "processor_sharing": shared, "readings": readings}
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(folder / "tables.md", "" if written else "is as it was", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
