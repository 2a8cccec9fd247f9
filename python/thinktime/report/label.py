"""Words that tell the cases of a report apart."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime.report import machines

if TYPE_CHECKING:
    from thinktime import Result


def labels_of(firsts: Sequence[Result]) -> list[str]:
    """The shortest labels that tell the cases apart."""
    labels = [model_words(result) for result in firsts]
    differences = (
        _policy_words,
        _workload_words,
        _feature_words,
        _system_words,
        _demand_words,
        _rate_words,
    )
    for more in differences:
        twice = {label for label, n in Counter(labels).items() if n > 1}
        for label in twice:
            places = [place for place, other in enumerate(labels) if other == label]
            words = [more(firsts[place]) for place in places]
            if len(set(words)) > 1:
                for place, word in zip(places, words, strict=True):
                    labels[place] = f"{label}, {word}" if word else label
    seen: Counter[str] = Counter()
    for place, label in enumerate(labels):
        seen[label] += 1
        labels[place] = label if seen[label] == 1 else f"{label} ({seen[label]})"
    return labels


def model_words(result: Result) -> str:
    """The system model, as in 'closed, 10 clients'."""
    workload = result.workload
    if workload.clients is not None:
        return f"closed, {workload.clients} client{'s' if workload.clients != 1 else ''}"
    if workload.session_length is not None:
        return f"partly open, {workload.requests_per_session:.3g} requests a session"
    return workload.model


def _policy_words(result: Result) -> str:
    """What serves, in the order of visits, as in 'FCFS → linux-2.6.22 on 2 cores'."""
    if result.system is None:
        return ""
    stations = [station.policy.upper() for station in result.system.stations]
    return " → ".join([*stations, *machines.words_of(result.system)])


def _feature_words(result: Result) -> str:
    """The schedulers' features that differ from the operating systems' own."""
    if result.system is None or not result.system.machines:
        return ""
    tables = tomllib.loads(result.system.to_toml()).get("machine", [])
    return ", ".join(
        f"{key} = {value}"
        for table in tables
        for key, value in _flat(table.get("scheduler", {}), "")
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
    return result.target or "" if result.system is None else result.system.name


def _demand_words(result: Result) -> str:
    stations = [] if result.system is None else result.system.stations
    return " → ".join(f"{station.demand} on {station.servers}" for station in stations)


def _rate_words(result: Result) -> str:
    workload = result.workload
    if workload.request_rate is None:
        return "" if workload.think is None else f"thinking {workload.think}"
    return f"{workload.request_rate:.4g} requests/s"
