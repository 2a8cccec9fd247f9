"""The report: some results as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.report import details, how, page, results
from thinktime.report.case import Case
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS
from thinktime.report.charts.chart import sections
from thinktime.report.findings import verdict
from thinktime.report.page import Page
from thinktime.report.table import Table

if TYPE_CHECKING:
    from thinktime import Result


def write(found: Sequence[Result], path: Path, title: str | None = None) -> Path:
    """Write the report of some results to ``path`` and return it."""
    if not found:
        raise ValueError("give at least one result to report on")
    return page.write(page_of(found, title), path)


def page_of(found: Sequence[Result], title: str | None = None) -> Page:
    """The report of some results. The same results give the same page, byte for byte."""
    cases = cases_of(found)
    return Page(
        title or _title(cases),
        verdict(cases),
        [results.table(results.rows(cases)), *_differences(found), *details.tables(cases)],
        sections(CHARTS, cases),
        how.words(cases),
        how.sources(cases),
    )


def _differences(found: Sequence[Result]) -> list[Table]:
    """How much the second of two runs of one workload differs from the first, with intervals."""
    if len(found) != 2 or {one.kind for one in found} != {"run"}:
        return []
    if found[0].workload.name != found[1].workload.name:
        return []
    from thinktime.comparison import compare
    from thinktime.comparison.table import table

    return [table([compare(*found)])]


def _title(cases: Sequence[Case]) -> str:
    """The workloads by name, or what the page is."""
    names = list(dict.fromkeys(case.name for case in cases if case.name))
    return " · ".join(names) if 1 <= len(names) <= 3 else "Thinktime report"
