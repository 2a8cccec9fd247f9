"""The rows of results: measured, simulated and exact side by side, and their table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, LineStyle, Table
from thinktime.report import server_time, streams
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.figures import TIMES, Figures

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime.results.finding import Finding

HEADINGS = ("load", "throughput", "mean", "p50", "p90", "p99", "p99.9", "errors", "lateness p99")
"""The columns after the one that names the method of a row."""

_BOUNDED = ("p99", "p99.9")
"""The percentiles whose intervals a page shows."""

_MBIT_MIN = 1.0
"""The least throughput of bytes, in Mbit/s, that the table shows."""

_SPARE = ("p90", "lateness p99", "p50", "errors", "p99.9", "load", "throughput", "p99")


@dataclass(frozen=True)
class Row:
    """One result, or the theory of the results above it."""

    case: Case
    figures: Figures
    entry: Entry | None = None
    """The result; None for the theory."""

    reference: str = ""
    """The reference of the deviations."""

    deviations: dict[str, float] = field(default_factory=dict)
    """Relative deviations of response times, by name."""

    @property
    def kind(self) -> Kind:
        """The method behind the numbers."""
        return "exact" if self.entry is None else self.entry.kind

    @property
    def words(self) -> str:
        """As in 'simulated, same sample path'."""
        return "exact" if self.entry is None else self.entry.words

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """The findings of the checks of validity about the result."""
        return () if self.entry is None else self.entry.result.validity

    def lines(self, of: Callable[[Result], list[Line]]) -> list[Line]:
        """The lines of its result; empty for the theory."""
        return [] if self.entry is None else of(self.entry.result)


def rows(cases: Sequence[Case]) -> list[Row]:
    """The rows of all cases: measured, simulated, then exact."""
    return [row for case in cases for row in _case_rows(case)]


def table(found: Sequence[Row]) -> Table:
    """The table of some rows: a group for each case."""
    groups = []
    for _, members in groupby(found, lambda row: (row.case.place, row.case.label, row.case.name)):
        rows_of_case = list(members)
        case = rows_of_case[0].case
        is_named = f", {case.name}, " in f", {case.label}, "
        small = ", ".join(filter(None, (case.described, "" if is_named else case.name)))
        lines = [line for row in rows_of_case for line in _lines(row)]
        groups.append(Group(lines, case.label, small, case.place))
    return Table("results", "Response times", "result", HEADINGS, groups, spare=_SPARE)


def _lines(row: Row) -> list[Line]:
    """The line of a row, and below it its further times."""
    return [_line(row), *row.lines(_more_times)]


def _line(row: Row) -> Line:
    style: LineStyle = "long" if row.entry is not None and row.entry.note == "long" else row.kind
    return Line(row.words, cells(row), _below(row), style)


def _below(row: Row) -> str:
    """The solved model, or the number of requests, their bytes and what they are compared with."""
    theory = row.case.theory
    if row.entry is None:
        return "" if theory is None else f"{theory.model} ({theory.source})"
    if row.figures.requests is None:
        return ""
    against = f"; % against {row.reference}" if row.reference else ""
    return f"{units.counted(row.figures.requests, 'request')}{_bits(row.figures)}{against}"


def _bits(figures: Figures) -> str:
    """The bits of responses a second, as in ', 12.3 Mbit/s'; empty below what a network notices."""
    rate = 8e-6 * (figures.byte_throughput or 0.0)
    return f", {units.rate(rate, 'Mbit/s')}" if rate >= _MBIT_MIN else ""


def cells(row: Row) -> list[Cell]:
    """The cells of `HEADINGS`."""
    figures = row.figures
    known = [Cell(units.load(figures.load)), Cell(units.rate(figures.throughput))]
    times = [_time(row, name) for name in TIMES]
    if row.kind == "exact":
        return [*known, *times, Cell(""), Cell("")]
    lateness = units.seconds(figures.lateness_p99_s) if row.kind == "measured" else ""
    return [*known, *times, _errors(figures), Cell(lateness)]


def _time(row: Row, name: str) -> Cell:
    time_s = row.figures.times_s.get(name)
    text = units.mean(time_s, row.figures.ci95_s) if name == "mean" else units.seconds(time_s)
    deviation = row.deviations.get(name)
    below = "" if deviation is None else units.deviation(deviation)
    ends = row.figures.intervals_s.get(name) if name in _BOUNDED and time_s is not None else None
    known = "" if ends is None else units.times_between(*ends)
    return Cell(text, below, "text" if name == "p99" else "", known)


def _errors(figures: Figures) -> Cell:
    if not figures.errors or not figures.requests:
        return Cell(units.count(figures.errors))
    return Cell(units.count(figures.errors), units.percent(figures.errors / figures.requests))


def _case_rows(case: Case) -> list[Row]:
    rows = [_entry_row(case, entry) for entry in case.entries]
    return rows if case.exact is None else [*rows, Row(case, case.exact)]


def _entry_row(case: Case, entry: Entry) -> Row:
    reference, figures = _reference(case, entry)
    deviations = {} if figures is None else relative(entry.figures, figures)
    return Row(case, entry.figures, entry, reference if deviations else "", deviations)


def _more_times(result: Result) -> list[Line]:
    of_server = server_time.line_of(result)
    return [*([] if of_server is None else [of_server]), *streams.lines_of(result)]


def _reference(case: Case, entry: Entry) -> tuple[str, Figures | None]:
    """The reference of an entry: the closest in kind that is better known."""
    same_path = case.find("simulated", "same sample path")
    if entry.kind == "measured" and same_path is not None:
        return "the simulation of the same sample path", same_path.figures
    if case.exact is not None and entry.modelled:
        return "the exact values", case.exact
    long = case.find("simulated", "long")
    if long is not None and long is not entry:
        return "the long simulation", long.figures
    simulated = case.find("simulated")
    if entry.kind == "measured" and simulated is not None:
        return "the simulation", simulated.figures
    return "", None


def relative(figures: Figures, reference: Figures) -> dict[str, float]:
    """The relative deviation of each response time that both have."""
    both = {name: reference.times_s.get(name) for name in figures.times_s}
    return {name: figures.times_s[name] / value - 1 for name, value in both.items() if value}
