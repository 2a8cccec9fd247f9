"""Words that tell the cases of a report apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime import Result


def labels_of(firsts: Sequence[Result]) -> list[str]:
    """The shortest labels that tell the cases apart."""
    labels = [model_words(result) for result in firsts]
    for more in (_policy_words, _workload_words, _system_words, _demand_words, _rate_words):
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
    stations = [] if result.system is None else result.system.stations
    return " → ".join(station.policy.upper() for station in stations)


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
