"""The state so far, as a page: with the same tables and charts as those at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from thinktime.monitor import points, simulation_checks
from thinktime.monitor.buckets import bounds_of, tail_of
from thinktime.monitor.checks import Cores, evidence, findings
from thinktime.monitor.frames import Message, RepeatedRuns, WatchedRun
from thinktime.monitor.history import History, Instant
from thinktime.monitor.objectives import ObjectiveState, judged, state_of
from thinktime.monitor.tiles import last_p99, tiles_of
from thinktime.operations.run_progress import Moment, PopulationMoment
from thinktime.present import percentile, units
from thinktime.present.chart import Chart, sections
from thinktime.present.page import Headline, Page, Tile
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import validity_table
from thinktime.report.case import Case, Entry
from thinktime.report.charts import heat, in_system, tail, throughput
from thinktime.report.objectives import name_of
from thinktime.theory.law import FloatArray
from thinktime.validity import Finding

if TYPE_CHECKING:
    import polars as pl

    from thinktime import Result

WORDS = {
    "response time": "From when the workload wanted a request sent, its scheduled time, to its "
    "completion. Percentiles cover what was measured so far after the warm-up.",
    "lateness": "Sent minus scheduled: the delay that the load generator itself adds.",
    "offered": "Requests begun; those done are the ones that succeeded.",
}

_SO_FAR = "The checks so far; the report at the end has more of them."


@dataclass
class _PartialResult:
    """The result in progress, as far as charts read it."""

    kind: str
    series: pl.DataFrame | None
    summary: dict[str, Any]
    moment: Moment | None = None
    requests: None = None
    rows_complete: bool = False

    def survival(self) -> tuple[FloatArray, FloatArray]:
        """As in a result, by upper bounds of buckets: response times, and the share above."""
        return tail_of(() if self.moment is None else self.moment.response_buckets)


@dataclass
class Subject:
    """The watched command, and all messages about it."""

    run: WatchedRun
    history: History = field(default_factory=History)
    moment: Moment | None = None
    last: Message | None = None
    """The last message that is not a moment."""

    cores: Cores = field(default_factory=lambda: Cores(None))
    """The command's use of its cores."""

    validity: list[Finding] = field(default_factory=list)
    """The checks' findings about a run so far."""

    objectives: list[ObjectiveState] = field(default_factory=list)
    """The workload's objectives, as far as they are known."""

    several: RepeatedRuns | None = None
    """Its place among several runs; None for a single one."""

    def take(self, message: Message) -> None:
        """Record a message."""
        kind, thing = message
        if kind == "moment":
            self.moment, most = thing
            self.history.take(_instant(thing[0], most))
            used = self.cores.look(thing[0].time_s)
            seen = evidence(self.history, thing[0], used, self.run)
            self.validity = findings(seen)
            self.objectives = judged(thing[0], seen.summary)
        elif kind == "progress":
            done, time_s, in_system, most, mean = thing
            self.history.take(Instant(time_s, done, done, in_system, most, mean=mean))
            self.validity = simulation_checks.findings(self.history, self.run)
            self.last = message
        elif kind == "several":
            # Another run: the data so far is that of the one before.
            self.several, self.history, self.moment = thing, History(), None
            self.validity, self.objectives = [], []
        else:
            self.last = message

    @property
    def share(self) -> float | None:
        """The finished share, up to 1; None if unknown."""
        if self.last is not None and self.last[0] == "reading":
            return float(self.last[1][1]) or None
        if self.last is not None and self.last[0] == "swept":
            _, done, whole = self.last[1]
            return float(done / whole) if whole else None
        if self.several is not None:
            over = self.several.number - 1 + (self._share_of_run() or 0.0)
            return over / self.several.whole
        return self._share_of_run()

    def _share_of_run(self) -> float | None:
        if not self.history.instants:
            return None
        last = self.history.instants[-1]
        parts = ((last.over, self.run.requests), (last.time_s, self.run.end_s))
        shares = [part / whole for part, whole in parts if whole]
        return min(max(shares), 1.0) if shares else None

    def page(self) -> Page:
        """All of it as a page."""
        if self.last is not None and self.last[0] in ("swept", "capacity"):
            return points.page_of(self.run, self.last)
        if self.last is not None and self.last[0] == "reading":
            return points.page_of_reading(self.run, *self.last[1])
        if self.last is not None and self.last[0] == "read":
            return points.page_of_read(self.run, self.last[1])
        of_all = [] if self.several is None else _several(self.several)
        if not self.history.instants:
            return Page(self.run.title, Headline(f"{self._which()}Nothing is known yet."), of_all)
        tables = _tables(self.moment, self.validity, self.objectives)
        said = f"{self._which()}{self._headline()}"
        return Page(
            self.run.title,
            Headline(said, state=state_of(self.objectives), figure=self._figure()),
            of_all,
            sections(CHARTS, self),
            words={name: WORDS[name] for name in (WORDS if self.moment else ("offered",))},
            tiles=self._tiles(),
            details=tables,
        )

    @property
    def case(self) -> Case:
        """The data of the charts."""
        kind = "run" if self.moment is not None else "simulate"
        summary = {"warmup_s": 0.0, "duration_s": self.history.end_s}
        known = cast("Result", _PartialResult(kind, self.history.series(), summary, self.moment))
        return Case(self.run.workload or self.run.command, "", 0, [Entry(known, "")], None)

    def _which(self) -> str:
        """Its place among several runs."""
        several = self.several
        return "" if several is None else f"Run {several.number} of {several.whole}. "

    def _headline(self) -> str:
        last = self.history.instants[-1]
        so_far = f"{units.seconds(last.time_s, 2)}: {units.counted(last.over, 'request')} ended"
        if self.moment is None:
            return f"{so_far}, {units.count(last.in_system)} in the system."
        return f"{so_far}."

    def _figure(self) -> str:
        """For the tab: the p99 of the last seconds, and how much of the run is over."""
        shown = "" if self.moment is None else last_p99(self.history)
        p99 = f"p99 {shown}" if shown not in ("", units.NOTHING) else ""
        over = "" if self.share is None else f"{100 * self.share:.0f} %"
        return ", ".join(filter(None, [p99, over]))

    def _tiles(self) -> list[Tile]:
        if self.moment is None:
            return []
        return tiles_of(self.run, self.history, self.moment, self.objectives)


def _instant(moment: Moment, most: int) -> Instant:
    return Instant(
        moment.time_s, moment.requests, moment.succeeded, moment.in_flight, most,
        tuple(moment.response_buckets), moment.response_sum_s,
    )  # fmt: skip


def _tables(
    moment: Moment | None, validity: Sequence[Finding], objectives: Sequence[ObjectiveState]
) -> list[Table]:
    """For a simulation, which sends no moments, only the checks."""
    made = validity_table.table([Group([validity_table.line_of(one) for one in validity])])
    checks = replace(made, caption=_SO_FAR)
    found = [checks]
    if moment is not None:
        parts = [_objectives(objectives), _populations(moment), _errors(moment)]
        found = [_numbers(moment), checks, *parts]
    return [table for table in found if table.lines]


def _numbers(moment: Moment) -> Table:
    failed = moment.requests - moment.succeeded
    cells = [
        Cell(units.count(moment.requests)),
        Cell(units.count(failed), strong="text" if failed else ""),
        Cell(units.count(moment.in_flight)),
        *_times(moment, moment.measured),
        percentile.cell("p99", moment.lateness_p99_s, moment.measured),
    ]
    headings = ("over", "failed", "in flight", "p50", "p99", "lateness p99")
    return Table("now", "So far", "requests", headings, [Group([Line("all", cells)])])


def _times(seen: Moment | PopulationMoment, many: float) -> list[Cell]:
    found = (("p50", seen.response_p50_s), ("p99", seen.response_p99_s))
    return [percentile.cell(name, time, many) for name, time in found]


def _objectives(objectives: Sequence[ObjectiveState]) -> Table:
    lines = []
    for one in objectives:
        text = units.percent if one.objective.name == "errors" else units.seconds
        found = units.NOTHING if one.value is None else text(one.value)
        cells = [Cell(found), Cell(f"{text(one.objective.limit)} or less"), Cell(one.state)]
        lines.append(Line(name_of(one.objective), cells))
    caption = "The findings so far; the end decides."
    return Table("objectives", "Objectives", "objective", ("found", "limit", "so far"),
                 [Group(lines)], caption)  # fmt: skip


def _populations(moment: Moment) -> Table:
    lines = []
    for name, own in moment.populations.items():
        counts = (own.requests, own.requests - own.succeeded)
        times = _times(own, moment.measured_of(name))
        lines.append(Line(name, [*(Cell(units.count(one)) for one in counts), *times]))
    headings = ("over", "failed", "p50", "p99")
    return Table("populations", "Populations", "population", headings, [Group(lines)])


def _errors(moment: Moment) -> Table:
    kinds = sorted(moment.errors.items(), key=lambda item: -item[1])
    lines = [Line(kind, [Cell(units.count(count))]) for kind, count in kinds]
    return Table("errors", "What went wrong", "failed attempts", ("attempts",), [Group(lines)])


def _several(several: RepeatedRuns) -> list[Table]:
    """The finished runs, and whether they agree."""
    from thinktime.report.repeated_runs import agreement_table

    found = [] if several.table is None else [several.table]
    return [*found, *([] if several.agreement is None else [agreement_table(several.agreement)])]


def _of_cases(chart: Chart[Sequence[Case]]) -> Chart[Subject]:
    """A chart of the report, drawn from the data so far."""
    return Chart(
        chart.name, chart.title, chart.caption, lambda subject: chart.draw([subject.case]),
        needed=False,
    )  # fmt: skip


def _heat(subject: Subject) -> Any:
    found = subject.history.bucket_counts()
    if found is None:
        return None
    places, counts = found
    whole = list(range(places[0], places[-1] + 1))
    full = counts[:, :1].repeat(len(whole), axis=1) * 0.0
    full[:, [place - places[0] for place in places]] = counts
    history = subject.history
    made = heat.of_buckets(history.interval_s, bounds_of(whole), full)
    return heat.drawing([(subject.case, "measured", made)], history.end_s)


CHARTS: list[Chart[Subject]] = [
    Chart("heat", heat.CHART.title, heat.CHART.caption, _heat, needed=False),
    _of_cases(throughput.CHART),
    _of_cases(tail.CHART),
    _of_cases(in_system.CHART),
]
"""The charts, in the order of the page."""
