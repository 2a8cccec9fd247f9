"""The tables below the main one: verdicts, failures, checks; populations, names, machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thinktime.machine.processor_sharing import Comparison, compare
from thinktime.present.table import Group, Line, Table
from thinktime.report import (
    by_population,
    by_request,
    clusters,
    cpu_limits,
    explanation,
    failures,
    links,
    machines,
    objectives,
    sharing,
    stations,
    token_servers,
    validity_table,
)
from thinktime.report.case import Case, Entry

if TYPE_CHECKING:
    from thinktime import Result

LinesOf = Callable[["Result"], list[Line]]
"""The rows of a result in one table."""


def verdicts(cases: Sequence[Case]) -> list[Table]:
    """Whether the numbers are good enough: the objectives, if there are any."""
    found = objectives.table(_groups(cases, objectives.lines_of))
    return [replace(found, caption="")] if found.groups else []


def checks(cases: Sequence[Case]) -> list[Table]:
    """The failures, if any, and whether the numbers are to be trusted."""
    entries = _entries(cases)
    named = [(_title(case, entry), entry.result.validity) for case, entry in entries]
    found = [
        failures.table(_groups(cases, failures.lines_of)),
        objectives.checks_table(_groups(cases, objectives.check_lines_of)),
        validity_table.page_table(named),
    ]
    return [table for table in found if table.lines]


def tables(cases: Sequence[Case]) -> list[Table]:
    """The other tables with rows, first the one of the other systems' figures."""
    found = [
        explanation.table(_groups(cases, explanation.lines_of)),
        by_population.table(_with_exact(cases)),
        by_population.page_table(_groups(cases, by_population.page_lines_of)),
        by_request.table(_groups(cases, by_request.ranked_lines_of)),
        *(table(_groups(cases, lines_of)) for table, lines_of in _OF_THE_SYSTEM),
    ]
    return [*(table for table in found if table.groups), *_compared(cases)]


_OF_THE_SYSTEM: tuple[tuple[Callable[[Sequence[Group]], Table], LinesOf], ...] = (
    (stations.table, stations.lines_of),
    (machines.table, machines.lines_of),
    (cpu_limits.table, cpu_limits.lines_of),
    (cpu_limits.waits_table, cpu_limits.wait_lines_of),
    (clusters.table, clusters.lines_of),
    (token_servers.table, token_servers.lines_of),
    (links.table, links.lines_of),
)
"""The parts of modelled systems."""


def _entries(cases: Sequence[Case]) -> list[tuple[Case, Entry]]:
    return [(case, entry) for case in cases for entry in case.entries]


def _title(case: Case, entry: Entry) -> str:
    return f"{case.label}: {entry.words}"


def _groups(cases: Sequence[Case], lines_of: LinesOf, *, others: bool = False) -> list[Group]:
    """A group for each result that has such rows; a single one needs no title without others."""
    found = [(case, entry, lines_of(entry.result)) for case, entry in _entries(cases)]
    several = others or len(found) > 1
    return [
        Group(some, _title(case, entry) if several else "", place=case.place)
        for case, entry, some in found
        if some
    ]


def _with_exact(cases: Sequence[Case]) -> list[Group]:
    """The populations of each case, and below them their exact figures."""
    exact = [
        Group(lines, f"{case.label}: exact", place=case.place)
        for case in cases
        if (lines := by_population.exact_lines(case.theory))
    ]
    groups = [*_groups(cases, by_population.lines_of, others=bool(exact)), *exact]
    return [group for case in cases for group in groups if group.place == case.place]


def _compared(cases: Sequence[Case]) -> list[Table]:
    """The first simulation of each case that has a scheduler, beside processor sharing."""
    found = []
    for case in cases:
        entry = case.find("simulated")
        one = None if entry is None else compare(entry.result)
        if one is not None:
            found.append((case, one))
    several = len(found) > 1
    return [
        _shared(case, one, first=n == 0, several=several) for n, (case, one) in enumerate(found)
    ]


def _shared(case: Case, found: Comparison, *, first: bool, several: bool) -> Table:
    lines = sharing.lines(found)
    title = "Would processor sharing have been good enough?" if first else ""
    sentence = sharing.sentence(found)
    return Table(
        "sharing",
        title,
        "request",
        sharing.HEADINGS,
        [Group(lines, case.label if several else "", place=case.place)] if lines else [],
        f"{case.label}: {sentence}" if several else sentence,
        sharing.note(found) if lines else "",
        folded=True,
    )
