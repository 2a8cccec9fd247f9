"""Runs the study: `.venv/bin/python studies/nsdi06/run.py [--quick] [--to FOLDER]`.

It writes `figures/*.svg`, `results.json` and `principles.md`. Ctrl-C keeps the figures that are
there already. `--again think=100000` simulates the points of that think time anew and takes all
others from `results.json`, which git ignores; `--again none` only writes figures and tables anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import kept
import open_closed
import partly_open
import saturated
import scheduling
from figures import Figure
from lab import Lab
from points import HERE
from sweeps import QUICK, Grid, figures
from tables import Principle

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import output

RESULTS = "results.json"
HEAD = """# The eight principles, in numbers

Written by `run.py`: do not change it by hand. E[S] = 10 s and hyperexponential demands throughout.
The principles are those of Schroeder, Wierman and Harchol-Balter (NSDI 2006), in our words.
`results.json` has the half-widths: at load 0.9 they are 1 to 5 % of a simulated mean.

| principle | verdict |
|---|---|
"""


def main() -> int:
    """Run it and give the exit status."""
    parser = argparse.ArgumentParser(description="Reproduce 'Open Versus Closed' (NSDI 2006).")
    parser.add_argument("--quick", action="store_true", help="few requests and points")
    output.add_option(parser)
    parser.add_argument("--again", metavar="FIELD=VALUE", help="only the points of that value")
    arguments = parser.parse_args()
    to = output.folder(parser, arguments.to, HERE, short=arguments.quick)
    if arguments.again is not None and not (to / RESULTS).exists():
        parser.error(f"{to / RESULTS} is not there: make it without --again, in some minutes")
    try:
        study(QUICK if arguments.quick else Grid(), to, arguments.again)
    except KeyboardInterrupt:
        print("\ninterrupted; the figures so far are kept", file=sys.stderr)
        return 130
    return 0


def study(grid: Grid, folder: Path, again: str | None = None) -> None:
    """Everything, into a folder; `again` keeps all results except those of its points."""
    start = time.monotonic()
    lab, drawn = Lab(grid.scale), figures(grid)
    further = [*scheduling.extra(grid), *partly_open.extra(grid)]
    before = None
    if again is not None:
        before = json.loads((folder / RESULTS).read_text("utf-8"))
        lab.keep(kept.answers(before, drawn, further, again))
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for figure in drawn:
        lab.run(f"figure {figure.number}", figure.points)
        figure.draw(lab, folder / "figures")
    quick = grid.scale < 1
    zero = kept.saturated(before) if before else saturated.measure_all(lab, quick=quick)
    lab.run("further points", further)
    principles = [
        *open_closed.principles(lab, grid),
        *scheduling.principles(lab, grid, zero),
        *partly_open.principles(lab, grid),
    ]
    write(folder, results(lab, grid, drawn, principles, zero), principles)
    print(f"{time.monotonic() - start:5.0f} s  written to {folder}", file=sys.stderr)


def results(
    lab: Lab,
    grid: Grid,
    drawn: list[Figure],
    principles: list[Principle],
    zero: list[saturated.Saturated],
) -> dict[str, Any]:
    """All numbers."""
    shown = {point for figure in drawn for point in figure.points}
    return {
        "version": tt.__version__,
        "quick": grid.scale < 1,
        "figures": {figure.number: figure.numbers(lab) for figure in drawn},
        "zero_think_time": saturated.numbers(zero),
        "principles": [principle.numbers() for principle in principles],
        "further_points": [
            {"point": vars(point), "answer": vars(answer)}
            for point, answer in lab.all()
            if point not in shown
        ],
    }


def write(folder: Path, numbers: dict[str, Any], principles: list[Principle]) -> None:
    """`results.json` and `principles.md`."""
    text = json.dumps(rounded(numbers), indent=1, ensure_ascii=False)
    (folder / RESULTS).write_text(text + "\n", encoding="utf-8")
    verdicts = "".join(f"| ({one.number}) {one.claim} | {one.verdict} |\n" for one in principles)
    sections = "\n".join(one.markdown() for one in principles)
    (folder / "principles.md").write_text(HEAD + verdicts + "\n" + sections, encoding="utf-8")


def rounded(value: Any) -> Any:
    """Numbers with six digits: more would only be noise."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value


if __name__ == "__main__":
    sys.exit(main())
