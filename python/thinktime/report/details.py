"""The tables below the main one: by request name, of machines, and under processor sharing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinktime.machine.sharing import Comparison, compare
from thinktime.report import by_request, machines, sharing
from thinktime.report.case import Case, Entry


@dataclass(frozen=True)
class Part:
    """The rows of one result in a table: each a name with something below it, and cells."""

    title: str
    place: int
    """The case's number, which stands for its colour."""

    rows: Sequence[tuple[str, str, Sequence[str]]]


@dataclass(frozen=True)
class Table:
    """A table with a heading of its own."""

    name: str
    """For links to it."""

    title: str
    caption: str
    first: str
    """The heading of the first column."""

    headings: Sequence[str]
    parts: Sequence[Part]


@dataclass(frozen=True)
class Shared:
    """One result under its scheduler and under processor sharing."""

    title: str
    place: int
    sentence: str
    note: str
    rows: Sequence[tuple[str, str, Sequence[sharing.Cell]]]
    """Request name, number of requests, and cells."""


def tables(cases: Sequence[Case]) -> list[Table]:
    """The tables that have rows."""
    found = [
        Table(
            "requests",
            "Response times by request name",
            "Median, p95 and p99: half, 95 % and 99 % of the requests of a name take no longer.",
            "request",
            by_request.HEADINGS,
            [part for case in cases for entry in case.entries for part in _requests(case, entry)],
        ),
        Table(
            "machines",
            "Machines",
            "How busy each core was, and what the operating system's scheduler did.",
            "machine",
            machines.HEADINGS,
            [part for case in cases for entry in case.entries for part in _machines(case, entry)],
        ),
    ]
    return [table for table in found if table.parts]


def _requests(case: Case, entry: Entry) -> list[Part]:
    times = by_request.times_of(entry.result)
    if not by_request.worth_showing(times):
        return []
    return [Part(_title(case, entry), case.place, [(one.name, "", one.cells) for one in times])]


def _machines(case: Case, entry: Entry) -> list[Part]:
    found = machines.figures_of(entry.result)
    rows = [(one.name, one.os, one.cells) for one in found]
    return [Part(_title(case, entry), case.place, rows)] if rows else []


def _title(case: Case, entry: Entry) -> str:
    note = f", {entry.note}" if entry.note else ""
    return f"{case.label}: {entry.kind}{note}"


def compared(cases: Sequence[Case]) -> list[Shared]:
    """The first simulation of each case that has a scheduler, beside processor sharing."""
    found = []
    for case in cases:
        entry = case.find("simulated")
        one = None if entry is None else compare(entry.result)
        if one is not None:
            found.append(_shared(case, one))
    return found


def _shared(case: Case, found: Comparison) -> Shared:
    rows = [
        (pair.request, by_request.counted(pair.requests), sharing.cells(pair))
        for pair in found.pairs
    ]
    return Shared(case.label, case.place, sharing.sentence(found), sharing.note(found), rows)
