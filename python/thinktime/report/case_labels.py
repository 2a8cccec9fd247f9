"""Words that distinguish the cases of a report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.diagrams.parts import servers_of
from thinktime.present import units
from thinktime.report import clusters, machines, token_servers

if TYPE_CHECKING:
    from thinktime import Result


def labels_of(firsts: Sequence[Result]) -> list[tuple[str, str]]:
    """The shortest labels that distinguish the cases, and the distinguishing part of each."""
    models = [model_words(result) for result in firsts]
    apart = [""] * len(firsts)
    labels = list(models)
    for more in _DIFFERENCES:
        for places in _alike(labels):
            words = [more(firsts[place]) for place in places]
            if len(set(words)) > 1:
                for place, word in zip(places, words, strict=True):
                    apart[place] = ", ".join(part for part in (apart[place], word) if part)
                    known = (part for part in (models[place], apart[place]) if part)
                    labels[place] = ", ".join(known)
    for places in _alike(labels):
        for number, place in enumerate(places[1:], start=2):
            labels[place] = f"{labels[place]} ({number})"
    return list(zip(labels, apart, strict=True))


def named(firsts: Sequence[Result]) -> list[tuple[str, str, str]]:
    """The label of each case, its distinguishing part, and the made label if a user gave another.

    Labels that users gave name the cases of a page with several, unless two of them are the same.
    """
    made = labels_of(firsts)
    given = [
        found.text if (found := result.labelled) is not None and found.given else ""
        for result in firsts
    ]
    others = [label for text, (label, _) in zip(given, made, strict=True) if not text]
    texts = [text for text in given if text]
    if len(firsts) < 2 or len({*texts, *others}) < len(firsts):
        return [(*one, "") for one in made]
    return [
        (text, "", one[0]) if text else (*one, "") for text, one in zip(given, made, strict=True)
    ]


def _alike(labels: Sequence[str]) -> list[list[int]]:
    """The places of labels that occur more than once."""
    twice = [label for label, n in Counter(labels).items() if n > 1]
    return [[place for place, other in enumerate(labels) if other == one] for one in twice]


def model_words(result: Result) -> str:
    """The system model, as in 'closed, 10 clients' or 'mixed, 3 populations'."""
    workload = result.workload
    number = len(workload.populations)
    if number > 1:
        return f"{workload.model.replace('-', ' ')}, {units.counted(number, 'population')}"
    if workload.clients is not None:
        return f"closed, {units.counted(workload.clients, 'client')}"
    if workload.session_length is not None:
        return f"partly open, {_session_words(workload.requests_per_session)}"
    return workload.model.replace("-", " ")


def _session_words(requests: float) -> str:
    """The length of sessions; a script shows its own only when it runs."""
    if not math.isfinite(requests):
        return "sessions by a script"
    return f"{units.number(requests).removesuffix('.00')} requests a session"


def _policy_words(result: Result) -> str:
    """The serving parts, in the order of visits, as in 'FCFS → linux-2.6.22 on 2 cores'."""
    if result.system is None:
        return ""
    stations = [station.policy.upper() for station in result.system.stations]
    others = [*machines.words_of(result.system), *token_servers.words_of(result.system)]
    others += clusters.words_of(result.system)
    return " → ".join([*stations, *others])


def _feature_words(result: Result) -> str:
    """The schedulers' features that differ from the operating systems' own."""
    if result.system is None or not result.system.machines:
        return ""
    return ", ".join(
        f"{key} = {value}"
        for table in result.system.tables["machine"]
        for key, value in _flat(table["scheduler"] or {}, "")
    )


def _flat(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    """The values of nested tables, each with its whole key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _workload_words(result: Result) -> str:
    return result.workload.name


def _system_words(result: Result) -> str:
    if result.system is not None:
        return result.system.name
    return _core.without_secrets(result.target or "")


def _demand_words(result: Result) -> str:
    if result.system is None:
        return ""
    tables = result.system.tables["station"]
    return " → ".join(
        f"{_law_words(station.demand)} on {servers_of(table)[1]}"
        for station, table in zip(result.system.stations, tables, strict=True)
    )


def _law_words(demand: object) -> str:
    """A station's demand; none if each name of a request has its own."""
    return "demands by name" if demand is None else units.law(str(demand))


def _rate_words(result: Result) -> str:
    workload = result.workload
    if workload.request_rate is None:
        return "" if workload.think is None else f"thinking {units.law(str(workload.think))}"
    return units.amount(workload.request_rate, "requests/s")


def _directory_words(result: Result) -> str:
    return "" if result.path is None else result.path.name


def _seed_words(result: Result) -> str:
    return f"seed {result.summary.get('seed')}"


_DIFFERENCES = (
    _policy_words,
    _workload_words,
    _feature_words,
    _system_words,
    _demand_words,
    _rate_words,
    _directory_words,
    _seed_words,
)
"""Candidates for a distinction between two cases, the plainest first."""
