"""The table of results over time."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.comparison import words
from thinktime.comparison.estimate import Estimate
from thinktime.history.store import HistoryEntry
from thinktime.history.trend import FIGURES, Trend
from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

HEADINGS = ("commit", "branch", *FIGURES, "changed")


def table(found: Sequence[Trend]) -> Table:
    """A group a target, with a line a result, the oldest first."""
    groups = [
        Group(
            [_line(trend, place) for place in range(len(trend.results))],
            f"{trend.workload}: {trend.target}",
            place=number,
        )
        for number, trend in enumerate(found)
    ]
    return Table(
        "results", "Results", "made", HEADINGS, groups, spare=("branch", "p50", "errors")
    ).without_empty()


def _line(trend: Trend, place: int) -> Line:
    one = trend.results[place]
    changed = [shift.figure for shift in trend.shifts if shift.place == place]
    cells = [Cell(one.commit), Cell(one.branch), *(_cell(one, name) for name in FIGURES)]
    return Line(one.made[:19].replace("T", " "), [*cells, Cell(", ".join(changed), strong="text")])


def _cell(one: HistoryEntry, figure: str) -> Cell:
    found = one.subject.estimates[figure]
    if not isinstance(found, Estimate):
        return Cell(units.NOTHING)
    return Cell(words.value(figure, found.value))
