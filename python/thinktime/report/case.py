"""Results sorted into cases: those of one workload on one system, and the theory beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from thinktime.report import figures
from thinktime.report.case_labels import named
from thinktime.report.figures import Figures
from thinktime.results.busiest_demand import busiest_demand_s
from thinktime.theory.match import theory_for
from thinktime.theory.solution import Theory

if TYPE_CHECKING:
    from thinktime import Distribution, Result, Workload
    from thinktime.report.attempts import Rows

Kind = Literal["measured", "simulated", "exact"]
Note = Literal["", "same sample path", "long"]

_LONG = 3  # a simulation is long if it has this many times the requests of another result
_SAME = 0.01  # rates and think times found for a load may differ by this much


@dataclass(frozen=True)
class Entry:
    """One result and its part in its case."""

    result: Result
    note: Note

    @property
    def kind(self) -> Kind:
        """The method behind the numbers."""
        return "measured" if self.result.kind == "run" else "simulated"

    @property
    def words(self) -> str:
        """The method behind the numbers, as in 'simulated, same sample path'."""
        return f"{self.kind}, {self.note}" if self.note else self.kind

    @property
    def modelled(self) -> bool:
        """Whether its system is known to be the case's: not for a run without the demands."""
        return self.result.system is not None

    @cached_property
    def figures(self) -> Figures:
        """The result's figures."""
        return figures.of_result(self.result)

    @cached_property
    def rows(self) -> Rows | None:
        """The result's rows, for charts; None if none were kept."""
        from thinktime.report.attempts import rows_of

        return rows_of(self.result)


@dataclass(frozen=True)
class Case:
    """One workload on one system: measured, simulated and exact."""

    label: str
    """As in 'closed, 10 clients'; no two cases of a report have the same."""

    difference: str
    """The part of the label after the system model, which distinguishes it from other cases."""

    place: int
    """Its number in the report, from 0; cases of one place have one colour."""

    entries: Sequence[Entry]
    theory: Theory | None

    described: str = ""
    """The label that was made of workload and system, if a user's stands in its place."""

    @cached_property
    def exact(self) -> Figures | None:
        """The figures of the theory."""
        return None if self.theory is None else figures.of_theory(self.theory)

    @property
    def model(self) -> str:
        """The system model: open, closed or partly-open; mixed if populations differ."""
        return self.entries[0].result.workload.model

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.entries[0].result.workload.name

    @property
    def load(self) -> float | None:
        """The load in the long run, if known."""
        if self.theory is not None:
            return self.theory.load
        for entry in self.entries:
            workload = entry.result.workload
            demand = busiest_demand_s(entry.result.system)
            if workload.request_rate is not None and demand is not None:
                return workload.request_rate * demand
        largest = max(self.entries, key=lambda entry: entry.figures.requests or 0)
        return largest.figures.load

    def find(self, kind: Kind, note: Note | None = None) -> Entry | None:
        """The first entry of a kind, with a note if one is given."""
        found = (e for e in self.entries if e.kind == kind and note in (None, e.note))
        return next(found, None)


def cases(results: Sequence[Result]) -> list[Case]:
    """Sorts results into cases, in the given order."""
    groups: list[list[Result]] = []
    # An unknown real system joins the model that was made of it.
    for result in sorted(results, key=lambda result: result.system is None):
        group = next((group for group in groups if _same_case(result, group[0])), None)
        if group is None:
            groups.append([result])
        else:
            group.append(result)
    order = {id(result): place for place, result in enumerate(results)}
    groups = [part for group in groups for part in _apart(group, order)]
    groups.sort(key=lambda group: min(order[id(result)] for result in group))
    labels = named([group[0] for group in groups])
    pairs = zip(labels, groups, strict=True)
    return [_case(*label, place, group) for place, (label, group) in enumerate(pairs)]


def _apart(group: list[Result], order: Mapping[int, int]) -> list[list[Result]]:
    """A group with several real runs as one group each: they were made to be compared.

    A simulation joins the run that it repeats, else one of its seed, else the first one.
    """
    group = sorted(group, key=lambda result: order[id(result)])
    runs = [result for result in group if result.kind == "run"]
    if len(runs) < 2:
        return [group]
    parts = [[run] for run in runs]
    for result in group:
        if result.kind != "run":
            seed = result.summary.get("seed")
            alike = [(p[0].summary.get("seed") == seed, p[0].system is not None) for p in parts]
            parts[alike.index(max(alike))].append(result)
    return parts


def _case(label: str, difference: str, described: str, place: int, group: list[Result]) -> Case:
    theory = None
    for result in group:
        if theory is None and result.system is not None:
            theory = theory_for(result.workload, result.system)
    entries = [Entry(result, _note(result, group)) for result in group]
    entries.sort(key=lambda entry: (entry.kind, entry.note == "long"))
    return Case(label, difference, place, entries, theory, described)


def _note(result: Result, group: list[Result]) -> Note:
    """Whether a simulation repeats a measured sample path, or is much longer than the rest."""
    requests = result.summary.get("requests") or 0
    if result.kind == "run":
        return ""
    for other in group:
        if other is result:
            continue
        size = other.summary.get("requests") or 0
        measured_on_it = other.kind == "run" and other.system is not None
        same_seed = other.summary.get("seed") == result.summary.get("seed")
        if measured_on_it and same_seed and abs(size - requests) <= 0.2 * size:
            return "same sample path"
    sizes = [other.summary.get("requests") or 0 for other in group if other is not result]
    return "long" if sizes and requests >= _LONG * max(min(sizes), 1) else ""


def _same_case(a: Result, b: Result) -> bool:
    """Whether workload and system are the same except for the seed, as far as known."""
    if a.system is not None and b.system is not None and _stations(a) != _stations(b):
        return False
    return (
        _shape(a.workload) == _shape(b.workload)
        and _close(a.workload.request_rate, b.workload.request_rate)
        and _close(_mean(a.workload.think), _mean(b.workload.think))
        and all(
            _close(x.session_rate, y.session_rate) and _close(_mean(x.think), _mean(y.think))
            for x, y in zip(a.workload.populations, b.workload.populations, strict=True)
        )
    )


def _shape(workload: Workload) -> object:
    """All of the workload except its seed and the values that a search for the load sets."""
    whole = workload.tables
    whole["seed"] = 0
    for table in whole["population"]:
        table["arrivals"]["rate"] = None
        table["session"]["think"] = str(table["session"]["think"]).partition("(")[0]
    return whole


def _stations(result: Result) -> object:
    return None if result.system is None else result.system.tables


def _mean(law: Distribution | None) -> float | None:
    return None if law is None else law.mean


def _close(a: float | None, b: float | None) -> bool:
    """Equal except for the values that a search for the load leaves open."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= _SAME * max(abs(a), abs(b))
