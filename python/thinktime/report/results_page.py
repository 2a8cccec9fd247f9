"""The report: some results as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime._core import InputError
from thinktime.present import page, units
from thinktime.present.chart import sections
from thinktime.present.page import Headline, Page, Section
from thinktime.present.table import Table
from thinktime.report import (
    case_diagrams,
    details,
    origin,
    repeated_runs,
    results,
)
from thinktime.report.case import Case, Entry
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS
from thinktime.report.findings import headline_of
from thinktime.results import independent_requests
from thinktime.results.finding import DOUBTFUL, Finding
from thinktime.results.verdict import verdict_of
from thinktime.validity.percentiles import times_longer

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime.comparison import Comparison


_OPEN = ("tail", "first_events", "heat")
"""The charts that every reader sees."""

_ROWS_MAX = 8
"""A longer table of times leaves no room on the first screen for a picture below it."""

_FIRST = ("p50", "p90", "p99", "p99.9", "errors", "throughput")
"""The columns that a telephone shows without scrolling."""


def write(found: Sequence[Result], path: Path, title: str | None = None) -> Path:
    """Write the report of some results to ``path`` and return it."""
    if not found:
        raise InputError("give at least one result to report on")
    return page.write(page_of(found, title), path)


def page_of(
    found: Sequence[Result], title: str | None = None, agreement: Finding | None = None
) -> Page:
    """The report of some results. The same results give the same page, byte for byte.

    `agreement` is that of runs made together; by default the noted one.
    """
    agreement = agreement or repeated_runs.agreement_noted(found)
    together = [] if agreement is None else _together(found, agreement)
    cases = cases_of(found)
    compared = _compared(found)
    changes, differences = _changes(compared)
    times = _times(cases)
    return Page(
        title or _title(cases),
        _doubted(_headline(cases, compared), agreement),
        [times, *together, *differences],
        [*changes, *_sections(cases, first=not changes and len(times.lines) > _ROWS_MAX)],
        origin.words(cases),
        origin.sources(cases),
        details=[*details.verdicts(cases), *details.checks(cases), *details.tables(cases)],
    )


def _times(cases: Sequence[Case]) -> Table:
    """The response times: what a reader asks for first is first, percentiles as in all tables."""
    return results.table(results.rows(cases)).beginning_with(*_FIRST)


def _sections(cases: Sequence[Case], *, first: bool) -> list[Section]:
    """The tail, above all tables if it is `first`, and the heat map; others as closed titles."""
    drawn = [*sections(CHARTS, cases), *case_diagrams.sections(cases)]
    return [
        replace(one, folded=one.name not in _OPEN, first=first and one.name == "tail")
        for one in drawn
    ]


def _together(found: Sequence[Result], agreement: Finding) -> list[Table]:
    """Each of several runs, all of them, and whether they agree."""
    return [repeated_runs.table(found), repeated_runs.agreement_table(agreement)]


def _doubted(headline: Headline, agreement: Finding | None) -> Headline:
    """A disagreement of runs is serious: it stands above all tables."""
    if agreement is None or agreement.verdict != DOUBTFUL:
        return headline
    return replace(headline, doubts=[units.sentence(agreement.words), *headline.doubts])


def _compared(found: Sequence[Result]) -> Comparison | None:
    """The difference of the second of two results from the first, with intervals.

    They are runs or simulations of one workload by name and system model.
    """
    if len(found) != 2:
        return None
    if len({(one.workload.name, one.workload.model) for one in found}) > 1:
        return None
    from thinktime.comparison import compare

    return compare(*found)


def _changes(compared: Comparison | None) -> tuple[list[Section], list[Table]]:
    """The changes as a chart, which is the answer, and as a table."""
    if compared is None:
        return [], []
    from thinktime.comparison.chart import CHART
    from thinktime.comparison.table import table

    drawn = [replace(one, first=True) for one in sections([CHART], compared)]
    return drawn, [table([compared])]


def _headline(cases: Sequence[Case], compared: Comparison | None) -> Headline:
    """For two results of one workload, the finding of `compare`: one page makes one statement."""
    results = [entry.result for case in cases for entry in case.entries]
    found = replace(
        headline_of(cases), about=origin.line(results), moment=origin.moments_of(results)
    )
    if compared is not None:
        what = f"{compared.after.label}, compared with {compared.before.label}."
        return replace(found, sentence=compared.verdict, findings=[what, *found.findings])
    entries = [entry for case in cases for entry in case.entries]
    return _judged(found, entries[0]) if len(entries) == 1 else found


def _judged(found: Headline, entry: Entry) -> Headline:
    """The verdict on a result's objectives, if it has any, or why it is not to be trusted."""
    judged, p99_s = verdict_of(entry.result), entry.figures.times_s.get("p99")
    found = replace(found, figure="" if p99_s is None else f"p99 {units.seconds(p99_s)}")
    if judged.status == "done":
        said = [units.sentence(judged.sentence)] if judged.sentence else []
        return replace(found, findings=[*said, *_unknown_p99(entry), *found.findings])
    besides = [units.sentence(judged.besides)] if judged.besides else []
    # The headline has the doubt already.
    doubts = [one for one in found.doubts if one != units.sentence(judged.doubt)]
    return replace(
        found,
        sentence=units.sentence(judged.reason),
        findings=[*besides, found.sentence, *found.findings],
        doubts=doubts,
        state=judged.status,
    )


def _unknown_p99(entry: Entry) -> list[str]:
    """Why the tables have no p99, and what it needs; empty if they have one."""
    summary = entry.result.summary
    worth = independent_requests.worth(
        summary, (summary.get("requests") or 0) - (summary.get("errors") or 0)
    )
    if "p99" in entry.figures.times_s or not worth:
        return []
    return [f"p99 is not known: a run about {times_longer(worth)} times as long would tell."]


def _title(cases: Sequence[Case]) -> str:
    """The workloads by name, or the kind of page."""
    names = list(dict.fromkeys(case.name for case in cases if case.name))
    return " · ".join(names) if 1 <= len(names) <= 3 else "Thinktime report"
