"""Reproduces the figures of "Open and Closed, Omission and Collapse", and extends them.

.venv/bin/python studies/omission-and-collapse/run.py [--quick] [--to DIR]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import collapse_figures
import distributions
import readings
import remedies
import theory_of_retries
import timelines
from cases import HERE
from lab import Lab
from report import write

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import output

RUNS = 200
Parts = dict[str, Callable[[], Any]]


def main() -> int:
    """Do all parts, and write down each as it is finished."""
    options = _options()
    folder: Path = options.to
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    lab, results = Lab(), dict[str, Any]()
    try:
        for name, part in _parts(lab, options, folder / "figures").items():
            results[name] = part()
            write(results, folder)
    except KeyboardInterrupt:
        print("\ninterrupted: the parts that were finished are kept", file=sys.stderr)
        return 130
    print(f"{folder / 'tables.md'} ({lab.seconds:.0f} s)", file=sys.stderr)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a small part of it, in seconds")
    parser.add_argument("--runs", type=int, help=f"runs of a reading; {RUNS}, or 40 with --quick")
    output.add_option(parser)
    options = parser.parse_args()
    short = options.quick or (options.runs or RUNS) < RUNS
    options.to = output.folder(parser, options.to, HERE, short=short)
    return options


def _parts(lab: Lab, options: argparse.Namespace, figures: Path) -> Parts:
    quick: bool = options.quick
    runs = options.runs or (40 if quick else RUNS)
    requests = 2_000_000 if quick else 20_000_000
    chosen = readings.quick_rows() if quick else readings.rows()
    remedial = [one for one in remedies.REMEDIES if not quick or one.key in remedies.QUICK]
    parts: Parts = {
        "theory": theory_of_retries.study,
        "response_times": lambda: distributions.study(lab, requests, figures),
        "queue_lengths": lambda: timelines.queue_lengths(figures),
    }
    if not quick:
        parts |= {
            "articles_thinks": lambda: distributions.articles_thinks(lab, requests // 4),
            "short_runs": lambda: distributions.short_runs(lab, 1000),
            "constants": lambda: distributions.constants(lab, requests),
            "with_retries": lambda: timelines.with_retries(figures),
            "one_run": lambda: timelines.readings(figures),
            "one_run_with_remedies": lambda: remedies.draw(figures),
        }
    return parts | {
        "readings": lambda: _readings(lab, chosen, runs, figures),
        "remedies": lambda: remedies.study(lab, remedial, 2 if quick else 12),
        "closed_clients": lambda: timelines.closed_clients(lab, *((1, 1.5) if quick else (5,))),
    }


def _readings(lab: Lab, chosen: list[readings.Row], runs: int, figures: Path) -> dict[str, Any]:
    found = readings.study(lab, chosen, runs)
    collapse_figures.draw(found, figures)
    return found


if __name__ == "__main__":
    sys.exit(main())
