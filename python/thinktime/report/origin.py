"""The origin of the numbers: the facts that a reader needs to judge and to repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.present import units
from thinktime.present.page import Source
from thinktime.report import (
    clusters,
    cpu_limits,
    links,
    machines,
    objectives,
    server_time,
    streams,
    token_servers,
)  # fmt: skip
from thinktime.report.case import Case, Entry
from thinktime.results import origin_line
from thinktime.results.link import words_of

if TYPE_CHECKING:
    from thinktime import Result

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
    "lateness": "Sent minus scheduled: the time that the load generator itself adds. If it is not "
    "small beside the response times, the result says little of the server.",
    "load": "The fraction of time that a server of the busiest station is busy, or a core of the "
    "busiest machine.",
    "±": "The half-width of a 95 % confidence interval of the mean, which allows for "
    "autocorrelation.",
}

_OF_PAGES: dict[str, str] = {
    "page": "A request, its base, with the objects that clients request as soon as it has come. "
    "Its response time runs from when the base was wanted to the end of the last object.",
}

_OF_RUN = ("version", "started", "host", "clock")
"""The keys of the table `[run]` in a result's run.toml that describe the method, in this order."""


def words(cases: Sequence[Case]) -> dict[str, str]:
    """The meanings of the page's words that occur on it: kinds of numbers first."""
    used = {entry.words for case in cases for entry in case.entries}
    used |= {"exact" for case in cases if case.theory is not None}
    found = {kind: meaning for kind, meaning in KINDS.items() if kind in used}
    scheduled = any(e.result.summary.get("machines") for case in cases for e in case.entries)
    paged = any(e.result.summary.get("pages") for case in cases for e in case.entries)
    dispatched = any(e.result.summary.get("clusters") for case in cases for e in case.entries)
    linked = any(e.result.summary.get("links") for case in cases for e in case.entries)
    more = (_OF_PAGES if paged else {}) | (machines.WORDS if scheduled else {})
    limited = any(cpu_limits.services_of(e.result) for case in cases for e in case.entries)
    more |= cpu_limits.WORDS if limited else {}
    more |= (clusters.WORDS if dispatched else {}) | (links.WORDS if linked else {})
    batched = any(e.result.summary.get("token_servers") for case in cases for e in case.entries)
    more |= token_servers.WORDS if batched else {}
    timed = any(e.result.summary.get("server_timed") for case in cases for e in case.entries)
    more |= server_time.WORDS if timed else {}
    streamed = any("events" in e.result.summary for case in cases for e in case.entries)
    more |= streams.WORDS if streamed else {}
    judged = any(e.result.objectives for case in cases for e in case.entries)
    return found | WORDS | more | (objectives.WORDS if judged else {})


def line(results: Sequence[Result]) -> str:
    """What was done, against what, when, how long, and by which version."""
    versions = [str(one.run.get("version", _core.__version__)) for one in results]
    parts = [
        units.listed([_counted(kind, results) for kind in _KINDS if _number(kind, results)]),
        origin_line.places(origin_line.against(one.target, one.system) for one in results),
        moments_of(results),
        *(_extent(results[0]) if len(results) == 1 else ()),
    ]
    return origin_line.joined(parts, versions)


_KINDS = {"run": "run", "simulate": "simulation"}
"""The kinds of results, each with its noun."""


def _number(kind: str, results: Sequence[Result]) -> int:
    return sum(one.kind == kind for one in results)


def _counted(kind: str, results: Sequence[Result]) -> str:
    noun = _KINDS[kind]
    return noun if len(results) == 1 else units.counted(_number(kind, results), noun)


def _extent(result: Result) -> Iterator[str]:
    """How long it was, and how much was asked for."""
    asked, lasted = result.summary.get("offered_rate"), result.summary.get("duration_s")
    several = (result.summary.get("requests") or 0) > 1
    if lasted is not None:
        yield units.seconds(lasted)
    if asked is not None and several:  # one request has no rate
        yield f"{units.rate(asked)} offered"


def moments_of(results: Sequence[Result]) -> str:
    """When the results were made: the first, and the last if that was at another minute."""
    return origin_line.moments(str(one.run.get("started", "")) for one in results)


def sources(cases: Sequence[Case]) -> list[Source]:
    """The origin of every result."""
    return [_source(case, entry) for case in cases for entry in case.entries]


def _source(case: Case, entry: Entry) -> Source:
    result, summary = entry.result, entry.result.summary
    facts = [
        ("directory", str(result.path or "")),
        ("target", _core.without_secrets(result.target or "")),
        ("over a link", words_of(summary)),
        ("seed", str(summary.get("seed", ""))),
        ("requests", units.count(summary.get("requests"))),
        ("measured for", units.seconds(summary.get("duration_s"))),
        ("after a warm-up of", units.seconds(summary.get("warmup_s") or None)),
        *((key, _value(result.run[key])) for key in _OF_RUN if key in result.run),
        *_of_made(result),
    ]
    known = [(name, value) for name, value in facts if value not in ("", units.NOTHING)]
    return Source(f"{case.label}: {entry.words}", known, result.run_toml)


def _of_made(result: Result) -> Iterator[tuple[str, str]]:
    """The command, its repetition, the files that it named, and a simulation's host."""
    made = result.made
    if made is not None and made.command_line is not None:
        yield "command", made.command_line
    if result.path is not None:
        needed = ["WORKLOAD"] if result.secrets else []
        again = ["thinktime", result.kind, *needed, "--again", str(result.path)]
        yield "to do it again", shlex.join(again)
    if made is None:
        return
    for one in made.files:
        yield one.use, f"{one.name}, {units.size(one.bytes)}, SHA-256 {one.sha256}"
    if made.host and result.kind == "simulate":  # for a run it is in run.toml
        yield "host", _value(made.host)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items())
    return str(value)
