"""Where the numbers come from: what a reader needs to judge and to repeat them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime.report import machines, units
from thinktime.report.case import Case, Entry

KINDS: dict[str, str] = {
    "measured": "A real run over the network: requests were sent to a real server, and timed.",
    "simulated, same sample path": "A simulation of the very requests of the real run: the same "
    "sessions, think times and service demands. The two should agree request by request, chance "
    "left out, so that a difference is the doing of the real system or of the generator.",
    "simulated, long": "A simulation long enough for chance to matter little: it shows what a "
    "short run only samples.",
    "simulated": "A simulation of the modelled system on a virtual clock.",
    "exact": "Computed from a formula that holds exactly in the long run; no chance is involved.",
}

WORDS: dict[str, str] = {
    "response time": "From when the workload wanted a request sent, its scheduled time, to its "
    "completion. All times in the table and the charts are response times.",
    "service time": "From when a request was actually sent to its completion.",
    "lateness": "Sent minus scheduled: what the load generator itself adds. A result whose "
    "lateness is not small beside its response times says little of the server.",
    "load": "The fraction of time that a server of the busiest station is busy, or a core of the "
    "busiest machine.",
    "± ": "The half-width of a 95 % confidence interval of the mean, which allows for "
    "autocorrelation.",
}


@dataclass(frozen=True)
class Source:
    """One result's origin."""

    title: str
    facts: list[tuple[str, str]]
    text: str
    """Workload and system: the whole run.toml."""


def kinds(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """What the kinds of numbers in these cases are."""
    used = {f"{e.kind}, {e.note}" if e.note else e.kind for case in cases for e in case.entries}
    used |= {"exact" for case in cases if case.theory is not None}
    return [(kind, words) for kind, words in KINDS.items() if kind in used]


def words(cases: Sequence[Case]) -> dict[str, str]:
    """What the words of the page mean, as far as they occur on it."""
    used = any(entry.result.summary.get("machines") for case in cases for entry in case.entries)
    return WORDS | (machines.WORDS if used else {})


def sources(cases: Sequence[Case]) -> list[Source]:
    """The origin of every result."""
    return [_source(case, entry) for case in cases for entry in case.entries]


def _source(case: Case, entry: Entry) -> Source:
    result, summary = entry.result, entry.result.summary
    tables = _tables(result.run_toml)
    note = f", {entry.note}" if entry.note else ""
    facts = [
        ("directory", str(result.path or "")),
        ("target", result.target or ""),
        ("seed", str(summary.get("seed", ""))),
        ("requests", units.count(summary.get("requests"))),
        ("measured for", units.seconds(summary.get("duration_s"))),
        ("after a warm-up of", units.seconds(summary.get("warmup_s") or None)),
        *((key, _value(tables[key])) for key in ("version", "host", "clock") if key in tables),
    ]
    known = [(name, value) for name, value in facts if value not in ("", units.NOTHING)]
    return Source(f"{case.label}: {entry.kind}{note}", known, result.run_toml)


def _tables(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items())
    return str(value)
