"""The rows of results: measured, simulated and exact side by side, and their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, LineStyle, Table
from thinktime.report import (
    clusters,
    cpu_limits,
    failures,
    links,
    machines,
    server_time,
    streams,
    token_servers,
)  # fmt: skip
from thinktime.report.by_population import UserFigures, exact_populations, pages_of, populations_of
from thinktime.report.by_request import RequestTimes, times_of
from thinktime.report.case import Case, Entry, Kind, Note
from thinktime.report.clusters import ClusterFigures
from thinktime.report.figures import TIMES, Figures
from thinktime.report.links import LinkFigures
from thinktime.report.machines import MachineFigures
from thinktime.report.objectives import check_lines_of, lines_of
from thinktime.report.token_servers import TokenServerFigures
from thinktime.results.finding import Finding

if TYPE_CHECKING:
    from thinktime import Result

HEADINGS = ("load", "throughput", "mean", "p50", "p90", "p99", "p99.9", "errors", "lateness p99")
"""The columns after the one that names the method of a row."""

_BOUNDED = ("p99", "p99.9")
"""The percentiles whose intervals a page shows."""

_SPARE = ("p90", "lateness p99", "p50", "errors", "p99.9", "load", "throughput", "p99")


@dataclass(frozen=True)
class Row:
    """One result, or the theory of the results above it."""

    case: str
    place: int
    """The case's number, which stands for its colour."""

    name: str
    """The workload's name."""

    kind: Kind
    note: Note
    described: str
    """The case's workload and system, if its label is a user's."""

    model: str
    """The solved model, for an exact row, with its source; else empty."""

    figures: Figures
    reference: str = ""
    """The reference of the deviations."""

    deviations: dict[str, float] = field(default_factory=dict)
    """Relative deviations of response times, by name."""

    more_times: Sequence[Line] = ()
    """The server's own time, if it reports one, and the times of events."""

    requests: Sequence[RequestTimes] = ()
    """The result's times by request name."""

    machines: Sequence[MachineFigures] = ()
    """The result's machines."""

    limits: Sequence[str] = ()
    """What CPU limits did, a line each, and the waits by cause."""

    clusters: Sequence[ClusterFigures] = ()
    """The result's clusters."""

    links: Sequence[LinkFigures] = ()
    """The result's links."""

    token_servers: Sequence[TokenServerFigures] = ()
    """The result's servers of tokens."""

    populations: Sequence[UserFigures] = ()
    """The result's requests by population, if there are several."""

    pages: Sequence[UserFigures] = ()
    """The result's pages by population."""

    objectives: Sequence[Line] = ()
    """The result's verdicts on its objectives."""

    failures: Sequence[Line] = ()
    """The failures of its requests."""

    checks: Sequence[Line] = ()
    """The success of the result's checks."""

    findings: Sequence[Finding] = ()
    """The findings of the checks of validity about the result."""

    @property
    def has_parts(self) -> bool:
        """Whether its system has machines, clusters, links or servers of tokens."""
        return any((self.machines, self.clusters, self.links, self.token_servers))

    @property
    def kind_words(self) -> str:
        """As in 'simulated, same sample path'."""
        return f"{self.kind}, {self.note}" if self.note else self.kind


def rows(cases: Sequence[Case]) -> list[Row]:
    """The rows of all cases: measured, simulated, then exact."""
    return [row for case in cases for row in _case_rows(case)]


def table(found: Sequence[Row]) -> Table:
    """The table of some rows: a group for each case."""
    groups = []
    for (place, label, name), rows_of_case in groupby(found, lambda r: (r.place, r.case, r.name)):
        members = list(rows_of_case)
        said = f", {name}, " in f", {label}, "
        small = "" if said else name
        small = ", ".join(filter(None, (members[0].described, small)))
        lines = [line for row in members for line in _lines(row)]
        groups.append(Group(lines, label, small, place))
    return Table("results", "Response times", "result", HEADINGS, groups, spare=_SPARE)


def _lines(row: Row) -> list[Line]:
    """The line of a row, and below it its further times."""
    return [_line(row), *row.more_times]


def _line(row: Row) -> Line:
    style: LineStyle = "long" if row.note == "long" else row.kind
    return Line(row.kind_words, cells(row), _below(row), style)


def _below(row: Row) -> str:
    """The solved model, or the number of requests and the reference of the comparison."""
    if row.model or row.figures.requests is None:
        return row.model
    against = f"; % against {row.reference}" if row.reference else ""
    return f"{units.counted(row.figures.requests, 'request')}{against}"


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
    if case.theory is not None and case.exact is not None:
        model = f"{case.theory.model} ({case.theory.source})"
        parts = exact_populations(case.theory)
        rows.append(
            Row(
                case.label,
                case.place,
                case.name,
                "exact",
                "",
                case.described,
                model,
                case.exact,
                populations=parts,
            )
        )
    return rows


def _entry_row(case: Case, entry: Entry) -> Row:
    reference, figures = _reference(case, entry)
    deviations = {} if figures is None else relative(entry.figures, figures)
    return Row(
        case.label,
        case.place,
        case.name,
        entry.kind,
        entry.note,
        case.described,
        "",
        entry.figures,
        reference if deviations else "",
        deviations,
        more_times=_more_times(entry.result),
        requests=times_of(entry.result),
        machines=machines.figures_of(entry.result),
        limits=cpu_limits.lines_of(entry.result),
        clusters=clusters.figures_of(entry.result),
        links=links.figures_of(entry.result),
        token_servers=token_servers.figures_of(entry.result),
        populations=populations_of(entry.result),
        pages=pages_of(entry.result),
        objectives=lines_of(entry.result),
        failures=failures.lines_of(entry.result),
        checks=check_lines_of(entry.result),
        findings=entry.result.validity,
    )


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
