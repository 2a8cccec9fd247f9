"""The workloads and the systems of results as diagrams: users, and the parts that serve them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thinktime import _core
from thinktime.diagrams import DIAGRAMS_MAX, server, users
from thinktime.diagrams.population import Population, populations_of
from thinktime.present import units
from thinktime.present.page import Diagram, Section
from thinktime.report.case import Case

CAPTION = (
    "From top to bottom: the arrivals of sessions, their requests, and their return to ask again; "
    "and the path of requests through the system. An open box is a queue, a circle its servers; a "
    "divided circle serves all at once."
)


def sections(cases: Sequence[Case]) -> list[Section]:
    """The diagrams of some results; common parts are drawn once."""
    asks, answers = list(_users(cases)), list(_servers(cases))
    if not asks and not answers:
        return []
    caption = CAPTION
    for found, what in ((asks, "populations"), (answers, "pictures of systems")):
        if len(found) > DIAGRAMS_MAX:
            caption += f" Of {units.count(len(found))} {what} the first {DIAGRAMS_MAX} are drawn."
    shown = [*asks[:DIAGRAMS_MAX], *answers[:DIAGRAMS_MAX]]
    return [Section("diagrams", "The workload and the system", caption, None, shown)]


def _users(cases: Sequence[Case]) -> Iterator[Diagram]:
    drawn: list[Population] = []
    for case in cases:
        known = populations_of(case.entries[0].result.workload)
        for one in known:
            if one not in drawn:
                drawn.append(one)
                yield users.diagram_of(one, _title(case, one, several=len(cases) > 1))


def _title(case: Case, one: Population, *, several: bool) -> str:
    model = one.model.replace("-", " ")
    own = f"{one.name}: {model}" if one.name else case.label
    return f"{case.label}: {own}" if several and one.name else own


def _servers(cases: Sequence[Case]) -> Iterator[Diagram]:
    """Modelled systems, and the targets of unknown systems."""
    drawn: set[str] = set()
    for result in (entry.result for case in cases for entry in case.entries):
        if result.system is not None:
            text = result.system.to_toml()
            if text not in drawn:
                drawn.add(text)
                yield from server.diagrams_of(result.system, result.system.name)
        elif result.target:
            target = _core.without_secrets(result.target)
            if target not in drawn:
                drawn.add(target)
                yield server.target_of(target)
