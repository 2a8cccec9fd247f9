"""What the tour found, in sentences: measured beside simulated, learned beside true, policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime import Result, Workload
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn.outcome import Learned

ALIKE = 0.1
"""Measured and simulated times of pages agree within this share."""

_FIGURES = ("mean", "p90")


def sentences(results: Sequence[Result]) -> Iterator[str]:
    """The times of pages, measured and simulated, and why they differ if they do.

    `results` are the measured one, if there is one, and the simulation of the same requests.
    """
    *known, simulated = results
    if known:
        yield _compared(known[0], simulated)
    if (theory := simulated.theory) is not None:
        yield f"exact, mean of all requests: {units.seconds(theory.mean_s)} ({theory.model})"
    elif simulated.no_theory is not None:
        yield f"there is no exact value: {simulated.no_theory}"


def _compared(measured: Result, simulated: Result) -> str:
    apart, told = [], []
    for name in _FIGURES:
        real, model = _page_s(measured, name), _page_s(simulated, name)
        if real is None or model is None:
            return f"no page was measured: {_why(measured)}"
        apart.append(real / model - 1)
        told.append(
            f"{name} {units.seconds(real)} measured, {units.seconds(model)} simulated "
            f"({units.deviation(apart[-1])})"
        )
    figures = "; ".join(told)
    if all(abs(one) <= ALIKE for one in apart):
        return f"Measured and simulated pages agree within {units.percent(ALIKE)}: {figures}"
    return (
        f"Measured and simulated pages differ by more than {units.percent(ALIKE)}: {figures}: "
        + _why(measured)
    )


def _why(measured: Result) -> str:
    """The likeliest reason for which a run differs from its model."""
    summary = measured.summary
    if measured.untrusted is not None:
        return measured.untrusted
    if summary["errors"]:
        return (
            f"{units.counted(summary['errors'], 'request')} failed, and the model has no failures"
        )
    checks: Any = summary.get("validity") or ()
    doubtful = [one["found"] for one in checks if one["verdict"] == "doubtful"]
    if doubtful:
        return f"the generator: {'; '.join(doubtful)}"
    late = summary["lateness_s"].get("p99")
    return (
        f"the model lacks something, or the machine had other work; requests were up to "
        f"{units.seconds(late)} late (p99)"
    )


def _page_s(result: Result, name: str) -> float | None:
    times: Mapping[str, Any] = result.summary.get("page_response_time_s") or {}
    found: float | None = times.get(name)
    return found


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


def policies(found: Mapping[str, Result]) -> str:
    """The mean time of pages under each policy, the shortest first."""
    means = {name: _page_s(one, "mean") or 0.0 for name, one in found.items()}
    ranked = sorted(means.items(), key=lambda one: one[1])
    told = [f"{name} {units.seconds(mean)}" for name, mean in ranked]
    return f"pages under other policies, mean: {', '.join(told)}"
