"""A web cluster and its switch (ClubWeb-1w, WWW 2003) again: CAP, LARD and today's policies.

.venv/bin/python studies/clubweb/study.py [--go-on] [--small] [--to DIR]

Ctrl-C keeps the cells that are done in results.json, which git ignores; --go-on simulates only
those that are missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cells
import plan

sys.path.insert(0, str(cells.HERE.parent))

import output

RESULTS = "results.json"
Found = dict[str, dict[str, list[float]]]


def main() -> int:
    """Simulate all cells, and write the results."""
    options = _options()
    began = time.monotonic()
    wanted = _small() if options.small else plan.everything()
    options.to.mkdir(parents=True, exist_ok=True)
    found = _kept(options.to / RESULTS, wanted) if options.go_on else {}
    try:
        _simulate(wanted, found)
    except KeyboardInterrupt:
        print(
            f"\ninterrupted: {len(found)} cells are kept; --go-on does the others", file=sys.stderr
        )
        return 130
    finally:
        _keep(options.to / RESULTS, wanted, found)
    if not options.small:
        _show(options.to, found)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--go-on", action="store_true", help="keep the cells of results.json")
    parser.add_argument("--small", action="store_true", help="a few short cells, and no pictures")
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, cells.HERE, short=options.small)
    return options


def _small() -> dict[cells.Cell, cells.Length]:
    """The results that tests check: the order with one program, and with static files alone."""
    both = ("cap", cells.PUBLISHED)
    programs = [cells.Cell("cpu", one, 20, plan.ONE) for one in both]
    static = [cells.Cell("static", one, 10) for one in both]
    return dict.fromkeys(programs, cells.Length(10, 10, 3)) | dict.fromkeys(
        static, cells.Length(40, 10, 3)
    )


def _simulate(wanted: dict[cells.Cell, cells.Length], found: Found) -> None:
    """Simulate the missing cells."""
    pool = cells.new_pool()
    try:
        for at, (cell, length) in enumerate(wanted.items(), 1):
            if cell.key not in found:
                found[cell.key] = cells.study(cell, length, pool)
            print(f"\r{at} of {len(wanted)} cells", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)


def _lengths(wanted: dict[cells.Cell, cells.Length]) -> dict[str, Any]:
    return {cell.key: asdict(length) for cell, length in wanted.items()}


def _kept(path: Path, wanted: dict[cells.Cell, cells.Length]) -> Found:
    """The results of an earlier run, for cells of the same simulated length."""
    if not path.exists():
        return {}
    before, now = json.loads(path.read_text(encoding="utf-8")), _lengths(wanted)
    found: Found = before["cells"]
    return {key: one for key, one in found.items() if before["lengths"][key] == now.get(key)}


def _keep(path: Path, wanted: dict[cells.Cell, cells.Length], found: Found) -> None:
    lengths = {key: one for key, one in _lengths(wanted).items() if key in found}
    # A line for each cell, so that a change shows.
    parts = (
        f'"{name}": {{\n' + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in of.items())
        for name, of in (("lengths", lengths), ("cells", found))
    )
    path.write_text("{" + "\n},\n".join(parts) + "\n}}\n", encoding="utf-8")


def _show(folder: Path, found: Found) -> None:
    import pictures
    import tables

    written = output.write(folder, tables.text(found), lambda to: pictures.draw(to, found))
    print(folder / "tables.md", "" if written else "is as it was", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
