"""What the tour found, in sentences: measured beside simulated, learned beside true, policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thinktime import Result, Workload
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn.outcome import Learned

ALIKE = 0.1
"""Measured and simulated times of pages agree within this share."""

_FIGURES = ("mean", "p90")


def sentences(measured: Result, simulated: Result) -> Iterator[str]:
    """The times of pages, measured and simulated, and why they differ if they do."""
    apart = {}
    for name in _FIGURES:
        real, model = _page_s(measured, name), _page_s(simulated, name)
        apart[name] = real / model - 1
        yield (
            f"pages, {name}: measured {units.seconds(real)}, simulated {units.seconds(model)} "
            f"({units.deviation(apart[name])})"
        )
    if all(abs(one) <= ALIKE for one in apart.values()):
        yield f"measured and simulated pages agree within {ALIKE:.0%}"
        return
    yield f"measured and simulated pages differ by more than {ALIKE:.0%}: {_why(measured)}"


def _why(measured: Result) -> str:
    """The likeliest reason for which a run differs from its model."""
    summary = measured.summary
    if measured.untrusted is not None:
        return measured.untrusted
    if summary["errors"]:
        return (
            f"{units.counted(summary['errors'], 'request')} failed, and the model has no failures"
        )
    late = summary["lateness_s"]["p99"]
    return (
        f"the machine had other work, or the model lacks something: requests were up to "
        f"{units.seconds(late)} late (p99)"
    )


def _page_s(result: Result, name: str) -> float:
    times: Any = result.summary.get("page_response_time_s") or result.summary["response_time_s"]
    return float(times[name])


def learned(true: Workload, found: Learned) -> Iterator[str]:
    """The workload in the file, and as it was learned from the log."""
    figures = found.to_dict()
    rate, pages = figures["session_rate"], figures["pages_per_session"]["mean"]
    length = true.session_length
    yield (
        f"learned from the switch's log: {figures['recommended_model']}, "
        f"{units.rate(rate)} sessions (the file: {units.rate(true.session_rate)}), "
        f"{units.number(pages)} pages a session"
        + (f" ({units.number(length.mean)})" if length is not None else "")
    )


def policies(results: Sequence[Result]) -> str:
    """The mean time of pages under each policy, best first."""
    ranked = sorted(results, key=lambda one: _page_s(one, "mean"))
    told = [f"{one.label}, {units.seconds(_page_s(one, 'mean'))}" for one in ranked]
    return f"pages, mean: {'; '.join(told)}"
