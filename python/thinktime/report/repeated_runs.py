"""Several runs of one workload against one server, as a table: each alone, and together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import figures, validity_table
from thinktime.results.finding import Finding

if TYPE_CHECKING:
    from thinktime import Result

FILE = "runs.json"
"""The file in the directory of several runs that lists them, and the findings about all."""

TIMES = ("mean", "p50", "p90", "p99", "p99.9")
HEADINGS = ("throughput", *TIMES, "errors")

Together = dict[str, tuple[float, float | None]]
"""The mean of a figure over all runs, and the half-width of its 95 % interval."""


def together_of(results: Sequence[Result]) -> Together:
    """The times that every run has, and the throughput, over all runs."""
    from thinktime.validity.agreement import together

    known = [figures.of_result(one) for one in results]
    found: Together = {}
    for name in TIMES:
        values = [one.times_s[name] for one in known if name in one.times_s]
        if values and len(values) == len(known):
            found[name] = together(values)
    rates = [one.throughput for one in known if one.throughput is not None]
    if rates and len(rates) == len(known):
        found["throughput"] = together(rates)
    return found


def table(results: Sequence[Result]) -> Table:
    """A line for each run, and one for all of them, each of which counts once."""
    lines = [_line(number, one) for number, one in enumerate(results, 1)]
    if len(results) > 1:
        lines.append(_all(together_of(results)))
    return Table(
        "runs", "Runs", "run", HEADINGS, [Group(lines)],
        note="All runs: the mean over runs, with its 95 % interval; percentiles are those of each "
        "run, averaged.",
        spare=("errors", "p90", "p50", "p99.9"),
    )  # fmt: skip


def agreement_table(found: Finding) -> Table:
    """Whether the runs agree."""
    return Table(
        "agreement", "Whether the runs agree", "check", ("verdict",),
        [Group([validity_table.line_of(found)])],
    )  # fmt: skip


def agreement_noted(results: Sequence[Result]) -> Finding | None:
    """The common findings of these results, if all are of one `run --runs`."""
    places = [one.path.absolute() for one in results if one.path is not None]
    folders = {place.parent for place in places}
    if len(places) < len(results) or len(folders) != 1:
        return None
    try:
        said = json.loads((folders.pop() / FILE).read_text("utf-8"))
        found = Finding.of(said["validity"][0])
        same = sorted(said["runs"]) == sorted(place.name for place in places)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return found if same else None


def runs_in(place: Path) -> list[Path]:
    """The results in the directory of several runs; the place itself if it is not one."""
    try:
        names = json.loads((place / FILE).read_text("utf-8"))["runs"]
        return [place / Path(str(name)).name for name in names] or [place]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return [place]


def _line(number: int, result: Result) -> Line:
    known = figures.of_result(result)
    times = [
        Cell(units.mean(known.mean_s, known.ci95_s)),
        *(Cell(units.seconds(known.times_s.get(name))) for name in TIMES[1:]),
    ]
    cells = [Cell(units.rate(known.throughput)), *times, Cell(units.count(known.errors))]
    return Line(f"run {number}", cells, style="measured")


def _all(found: Together) -> Line:
    times = [Cell(units.mean(*found.get(name, (None, None)))) for name in TIMES]
    rate = found.get("throughput", (None, None))[0]
    return Line("all runs", [Cell(units.rate(rate)), *times, Cell("")])
