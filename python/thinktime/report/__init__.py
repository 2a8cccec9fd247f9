"""Results side by side: measured, simulated and exact, as a page and as a table.

`report` makes one HTML page that works offline. `rows` and `render` make the same table for a
terminal:

    from thinktime.report import report, rows
    from thinktime.report.terminal import render
    rich.print(render(rows(results)))

All pages are made of `page.Page`, including those of learn, sweep and capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.inputs.arguments import checked

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime.present.page import Headline
    from thinktime.present.report import Report
    from thinktime.report.results import Row
    from thinktime.results.verdict import Verdict

# Tables and charts are imported on use, so that other commands start sooner.


@checked
def report(
    results: Result | Sequence[Result],
    path: str | Path = "report.html",
    title: str | None = None,
) -> Path:
    """Write one page that compares results: verdict, tables, charts, and their origin.

    The page loads nothing: scripts, styles and data are in it. The same results give the same
    page, byte for byte.

    Args:
        results: One result or several; those of one workload on one system stand side by side.
        path: The file to write; its folder is made if it is missing.
        title: The page's title, instead of one made from the compared results.

    Returns:
        The path of the page.

    Raises:
        InputError: There are no results, or an argument is not one.
        OSError: The page cannot be written.
    """
    from thinktime.report import results_page

    found = results if isinstance(results, Sequence) else [results]
    return results_page.write(found, Path(path), title)


def report_of(result: Result, verdict: Verdict | None = None) -> Report:
    """The report of one result for a pipeline; `verdict` replaces the result's own."""
    from thinktime.report import summary

    return summary.report_of(result, verdict)


def rows(results: Sequence[Result]) -> list[Row]:
    """The table of some results, each with its theory below it."""
    from thinktime.report.case import cases
    from thinktime.report.results import rows as rows_of

    return rows_of(cases(results))


def headline_of(results: Sequence[Result]) -> Headline:
    """The statements of some results, in words."""
    from thinktime.report.case import cases
    from thinktime.report.findings import headline_of as headline_of_cases

    return headline_of_cases(cases(results))


def processor_sharing(result: Result) -> str | None:
    """Whether processor sharing would have been good enough, in a sentence.

    It simulates up to 200,000 requests again. None if there is no scheduler to compare with.
    """
    from thinktime.report import sharing

    return sharing.sentence_of(result)


__all__ = ["headline_of", "processor_sharing", "report", "report_of", "rows"]
