"""What spoils or limits a result, in words."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.report import units
from thinktime.report.case import Case, Entry

_LATE = 0.1  # the generator spoils a result whose times it makes up such a share of
_SHORTFALL = 0.03  # achieved below offered by this share is said


def sentences(cases: Sequence[Case]) -> list[str]:
    """Doubts about every result, each with its case named."""
    several = sum(len(case.entries) for case in cases) > 1
    found = []
    for case in cases:
        for entry in case.entries:
            name = f"{case.label}, {entry.kind}: " if several else ""
            found += [_sentence(name + doubt) for doubt in _doubts(entry)]
    return found


def _doubts(entry: Entry) -> list[str]:
    found = [_untrusted(entry), _interrupted(entry)]
    if entry.figures.requests:
        found += [_lateness(entry), _errors(entry), _dropped(entry), _shortfall(entry)]
    else:
        found.append("no request ended, so there are no times")
    found += [str(warning) for warning in entry.result.summary.get("warnings") or []]
    return list(dict.fromkeys(doubt for doubt in found if doubt))


def _untrusted(entry: Entry) -> str | None:
    why = entry.result.untrusted
    return f"not to be trusted: {why}" if why else None


def _interrupted(entry: Entry) -> str | None:
    return "it was stopped before its end" if entry.result.interrupted else None


def _lateness(entry: Entry) -> str | None:
    figures = entry.figures
    late = figures.lateness_mean_s, figures.lateness_p99_s
    times = figures.mean_s, figures.times_s.get("p99")
    for name, lateness, time in zip(("mean", "p99"), late, times, strict=True):
        if lateness is not None and time and lateness > _LATE * time:
            return (
                "the load generator itself was late, which spoils this result: its "
                f"{name} lateness of {units.seconds(lateness)} is "
                f"{units.percent(lateness / time)} of the {name} response time"
            )
    return None


def _errors(entry: Entry) -> str | None:
    errors, requests = entry.figures.errors, entry.figures.requests
    if not errors or not requests:
        return None
    kinds = entry.result.summary.get("errors_by_kind") or {}
    listed = ", ".join(f"{units.count(n)} {kind}" for kind, n in kinds.items())
    share = units.percent(errors / requests)
    words = f"{units.count(errors)} of {units.count(requests)} requests failed ({share})"
    return f"{words}: {listed}" if listed else words


def _dropped(entry: Entry) -> str | None:
    dropped = entry.result.summary.get("dropped") or 0
    return f"{units.count(dropped)} wanted requests were never sent" if dropped else None


def _shortfall(entry: Entry) -> str | None:
    offered, throughput = entry.figures.offered_rate, entry.figures.throughput
    if not offered or throughput is None or throughput >= (1 - _SHORTFALL) * offered:
        return None
    return f"{units.rate(offered)} were offered, but only {units.rate(throughput)} completed"


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    return f"{text[0].upper()}{text[1:]}." if text else ""
