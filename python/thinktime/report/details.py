"""The tables below the main one: verdicts, failures, checks; populations, names, machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

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


def verdicts(cases: Sequence[Case]) -> list[Table]:
    """Whether the numbers are good enough: the objectives, if there are any."""
    found = objectives.table(_groups(cases, lambda entry: objectives.lines_of(entry.result)))
    return [replace(found, caption="")] if found.groups else []


def checks(cases: Sequence[Case]) -> list[Table]:
    """The failures, if any, and whether the numbers are to be trusted."""
    entries = _entries(cases)
    named = [(_title(case, entry), entry.result.validity) for case, entry in entries]
    found = [
        failures.table(_groups(cases, lambda entry: failures.lines_of(entry.result))),
        objectives.checks_table(
            _groups(cases, lambda entry: objectives.check_lines_of(entry.result))
        ),
        validity_table.page_table(named),
    ]
    return [table for table in found if table.lines]


def tables(cases: Sequence[Case]) -> list[Table]:
    """The other tables with rows, first the one of the other systems' figures."""
    found = [
        explanation.table(_groups(cases, lambda entry: explanation.lines_of(entry.result))),
        by_population.table(_with_exact(cases)),
        by_population.page_table(_groups(cases, _pages)),
        by_request.table(_groups(cases, _requests)),
        *_of_the_system(cases),
    ]
    return [*(table for table in found if table.groups), *_compared(cases)]


def _of_the_system(cases: Sequence[Case]) -> list[Table]:
    """The parts of modelled systems."""
    return [
        Table(
            "stations",
            "Stations",
            "station",
            stations.HEADINGS,
            _groups(cases, _stations),
            stations.CAPTION,
            spare=("at most", "demand"),
        ),
        Table(
            "machines",
            "Machines",
            "machine",
            machines.HEADINGS,
            _groups(cases, _machines),
            "The load of each core, and the work of the operating system's scheduler.",
        ),
        *_of_limits(cases),
        Table(
            "clusters",
            "Clusters",
            "cluster",
            clusters.HEADINGS,
            _groups(cases, _clusters),
            "How evenly the dispatch policy spread the work, and what the servers' caches held.",
        ),
        *_of_token_servers(cases),
        Table(
            "links",
            "Links",
            "link",
            links.HEADINGS,
            _groups(cases, _links),
            "The traffic of the links, and the segments that TCP had to send again.",
        ),
    ]


def _of_token_servers(cases: Sequence[Case]) -> list[Table]:
    return [
        Table(
            "token-servers",
            "Servers of tokens",
            "server",
            token_servers.HEADINGS,
            _groups(cases, _token_servers),
            "What their steps worked for, and what their memory held.",
        ),
    ]


def _of_limits(cases: Sequence[Case]) -> list[Table]:
    """The CPU limits of services, and what requests wait for under them."""
    return [
        Table(
            "limits",
            "CPU limits",
            "service",
            cpu_limits.HEADINGS,
            _groups(cases, _limits),
            "Periods in which the service was at work, those in which its CPU time was used up, "
            "and for how long, summed over cores.",
        ),
        Table(
            "waits",
            "Waits by cause",
            "cause",
            cpu_limits.WAIT_HEADINGS,
            _groups(cases, _waits),
            "What requests wait for, as means over all of them. Waits for a thread, and at "
            "stations, are not among these.",
        ),
    ]


def _entries(cases: Sequence[Case]) -> list[tuple[Case, Entry]]:
    return [(case, entry) for case in cases for entry in case.entries]


def _title(case: Case, entry: Entry) -> str:
    return f"{case.label}: {entry.words}"


def _groups(
    cases: Sequence[Case], lines: Callable[[Entry], list[Line]], *, others: bool = False
) -> list[Group]:
    """A group for each result that has such rows; a single one needs no title without others."""
    found = [(case, entry, lines(entry)) for case, entry in _entries(cases)]
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
        if (lines := [one.line for one in by_population.exact_populations(case.theory)])
    ]
    groups = [*_groups(cases, _populations, others=bool(exact)), *exact]
    return [group for case in cases for group in groups if group.place == case.place]


def _populations(entry: Entry) -> list[Line]:
    return [one.line for one in by_population.populations_of(entry.result)]


def _pages(entry: Entry) -> list[Line]:
    return [one.line for one in by_population.pages_of(entry.result)]


def _requests(entry: Entry) -> list[Line]:
    """Those that take the most time of all come first."""
    times = by_request.times_of(entry.result)
    if not by_request.worth_showing(times):
        return []
    return [one.line for one in sorted(times, key=lambda one: -one.whole_s)]


def _clusters(entry: Entry) -> list[Line]:
    return [one.line for one in clusters.figures_of(entry.result)]


def _token_servers(entry: Entry) -> list[Line]:
    return [one.line for one in token_servers.figures_of(entry.result)]


def _links(entry: Entry) -> list[Line]:
    return [one.line for one in links.figures_of(entry.result)]


def _stations(entry: Entry) -> list[Line]:
    return [one.line for one in stations.figures_of(entry.result)]


def _machines(entry: Entry) -> list[Line]:
    return [one.line for one in machines.figures_of(entry.result)]


def _limits(entry: Entry) -> list[Line]:
    return [one.line for one in cpu_limits.services_of(entry.result)]


def _waits(entry: Entry) -> list[Line]:
    return [one.line for one in cpu_limits.waits_of(entry.result)]


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
