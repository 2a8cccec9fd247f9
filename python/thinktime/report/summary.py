"""A result as a report: its objectives and checks are cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.report import Case, Listing, Report, outcome_of
from thinktime.present.table import Group, Table
from thinktime.report import failures, objectives, results
from thinktime.report.case import cases
from thinktime.results.finding import ORDER

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime.results.verdict import Verdict


def report_of(result: Result, verdict: Verdict | None = None) -> Report:
    """The report of a result for a pipeline; `verdict` replaces the result's own."""
    found, judged = verdict or result.verdict, result.objectives
    checks = list(_checks(result))
    figures = results.table(results.rows(cases([result]))).without_empty()
    findings = sorted(result.validity, key=lambda one: ORDER.index(one.verdict))
    return Report(
        result.label,
        result.workload.name,
        found.status,
        found.sentence,
        found.doubt,
        cases=[
            *(Case(objectives.name_of(one), outcome_of(one.verdict), one.words) for one in judged),
            *(Case(f"check {name}", "passed", words) for name, words in checks),
        ],
        parts=[
            objectives.table([Group(objectives.lines_of(result))]),
            figures.turned(),
            *_failures(result),
            Listing("Checks", [f"{name}: {words}" for name, words in checks]),
            Listing("Warnings", list(map(units.sentence, result.summary.get("warnings", [])))),
            Listing(
                "Before you trust these numbers",
                [f"{one.verdict}: {one.words}" for one in findings],
            ),
        ],
        time_s=float(result.summary.get("duration_s") or 0.0),
    )


def _checks(result: Result) -> Iterator[tuple[str, str]]:
    """Checks without an objective of their own: they decide nothing, as in the exit status."""
    judged = {one.of for one in result.objectives if one.name == "checks"}
    for name, count in (result.summary.get("checks") or {}).items():
        if name in judged:
            continue
        whole = count["passed"] + count["failed"]
        words = f"it failed {units.count(count['failed'])} of {units.count(whole)} times"
        if count["failed"] and None not in judged:
            words += "; it has no objective, so it decides nothing"
        yield name, words


def _failures(result: Result) -> list[Table | Listing]:
    """The failures by request; an answer's request may be named some rows above."""
    lines, answers, name = failures.lines_of(result), [], ""
    for line in lines:
        name = line.name or name
        answers += [f"{name}: {line.note}"] if line.note else []
    return [failures.table([Group(lines)]), Listing("First answers", answers)]
