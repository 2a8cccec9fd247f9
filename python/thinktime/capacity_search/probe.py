"""One probe: a run at one value, and by how much it meets or misses the objectives."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thinktime import validity
from thinktime.present import units
from thinktime.results import independent_requests
from thinktime.results.finding import Finding
from thinktime.results.objective_words import LEAST
from thinktime.results.result import Result
from thinktime.results.verdict import Met, Objective

_NORMAL_95 = 1.959964
_LATE_SHARE = 0.10
_LATE_P99_S = 1e-3
"""Lateness beyond this share of the mean response time, with a 99th percentile beyond this time,
makes the generator a suspect."""

_UNKNOWN = 0.5
"""The standard error of a margin that is unknown."""

_NOTHING = 3.0
"""The standard error for a run without a request, which says nothing of the server."""


@dataclass(frozen=True)
class Probe:
    """The outcome of a run at one value."""

    value: float
    """The rate a second, or the number of clients."""

    passed: bool
    """Whether all objectives were met."""

    margin: float | None
    """The logarithm of measured over allowed for the worst objective: below 0 if it is met. None if
    no figure shows by how much the run failed."""

    error: float = 0.0
    """The standard error of the margin."""

    stopped: bool = False
    """Whether the run was ended early because it was certain to fail. The margin is then that of a
    part that was chosen for being bad, and its error allows for that."""

    short: str = ""
    """The percentile that has an objective and that the run has too few requests to bound. The run
    is then not certain to pass, however low the percentile is: in 30 of 100 runs none of 119
    requests is above the true p99."""

    generator: bool = False
    """Whether the run failed and the generator itself may be the cause."""

    why: str = ""
    """The worst objective, or the failure, in words."""

    figures: Mapping[str, Any] = field(default_factory=dict)
    """More figures, for tables."""

    validity: Sequence[Finding] = ()
    """The checks' verdicts on the run."""

    untrusted: str | None = None
    """Why the run is not to be trusted; None if it is."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Probe:
        """A probe from its fields as JSON has them."""
        return cls(**{**row, "validity": tuple(map(Finding.of, row["validity"]))})

    @property
    def slo(self) -> Met:
        """Whether the objectives are met, by the margin's 95 % interval and enough requests."""
        unclear = self.margin is not None and abs(self.margin) < _NORMAL_95 * self.error
        if unclear or (self.passed and self.short):
            return "cannot tell"
        return "met" if self.passed else "not met"


def probe_of(value: float, result: Result, stopped: bool = False) -> Probe:
    """The probe of a result, by its objectives.

    `stopped` says that the run was ended early as it failed.
    """
    summary, judged = result.summary, result.objectives
    margins, figures = _margins(summary, judged), figures_of(summary)
    longest_s = max((one.limit for one in judged if _is_time(one)), default=0.0)
    unmet = failed_outright(summary) or not_achieved(summary, longest_s) or _endless(judged)
    if summary["requests"] == 0:
        return Probe(value, False, 0.0, _NOTHING, why=str(unmet), figures=figures)
    known = [one for one in judged if one.value is not None]
    if unmet is None and known and not margins:  # nothing failed, and no time is an objective
        sure = all(one.verdict == "met" for one in known)
        margin, error = (None, 0.0) if sure else (0.0, _UNKNOWN)
        return Probe(value, True, margin, error, why=known[0].words, figures=figures)
    if unmet is not None or not margins:
        why = unmet or "nothing was measured"
        suspect = _generator_late(result)
        return Probe(value, False, None, generator=suspect, why=why, figures=figures)
    worst, error, why = max(margins)
    if stopped:
        worst = max(worst, 0.0)
        error = max(error, worst / 2)
    passed = worst <= 0 and not stopped
    suspect = not passed and _generator_late(result)
    unbounded = [one.name for one in judged if _is_percentile(one) and one.interval is None]
    short = unbounded[-1] if unbounded else ""
    return Probe(value, passed, worst, error, stopped, short, suspect, why, figures)


def with_checks(probe: Probe, result: Result) -> Probe:
    """A probe with the checks' verdicts on its run.

    The checks run after the verdict of the probe: beyond its capacity a server is not steady, which
    is no reason to suspect the generator.
    """
    validity.note(result, of_point=True)
    return replace(probe, validity=tuple(result.validity), untrusted=result.untrusted)


def figures_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a summary for tables. Times are in seconds."""
    times, requests = summary["response_time_s"], summary["requests"]
    return {
        "requests": requests,
        independent_requests.KEY: summary.get(independent_requests.KEY),
        "error_share": summary["errors"] / requests if requests else None,
        "throughput": summary["throughput"],
        "response_mean_s": times["mean"],
        "response_p99_s": times["p99"],
        "lateness_p99_s": summary["lateness_s"]["p99"],
    }


def _is_time(one: Objective) -> bool:
    """Whether an objective is about the response times of all requests."""
    return (
        one.of is None and (one.name == "mean" or one.name.startswith("p")) and "_" not in one.name
    )


def _is_percentile(one: Objective) -> bool:
    return _is_time(one) and one.name != "mean"


def _endless(objectives: Sequence[Objective]) -> str | None:
    """The objective that is surely missed without a figure, as too many requests failed."""
    missed = (one.words for one in objectives if one.value is None and one.verdict == "not met")
    return next(missed, None)


def _margins(
    summary: Mapping[str, Any], objectives: Sequence[Objective]
) -> list[tuple[float, float, str]]:
    """The margin of each objective whose figure is above 0, its standard error, and its words."""
    found = []
    for one in objectives:
        if one.value is None:
            continue
        value, limit, interval = one.value, one.limit, one.interval
        if one.name in LEAST:  # the share that fails may not exceed the share that may fail
            value, limit = 1 - value, 1 - limit
            interval = None if interval is None else (1 - interval[1], 1 - interval[0])
        if value <= 0:
            continue
        error = _UNKNOWN
        if interval is not None and interval[0] > 0:
            error = max(math.log(interval[1] / interval[0]) / (2 * _NORMAL_95), 1e-4)
        elif _is_percentile(one):
            error = _percentile_error(summary, one.name)
        # If nothing is allowed, twice the limit stands for any value found.
        margin = math.log(value / limit) if limit > 0 else math.log(2)
        found.append((margin, error, one.words))
    return found


def _percentile_error(summary: Mapping[str, Any], name: str) -> float:
    """The standard error of the logarithm of a percentile without an interval.

    It is that of the mean, and with it that of the order statistic of an exponential tail.
    """
    mean, half = (summary["response_time_s"][one] for one in ("mean", "ci95"))
    of_mean = _UNKNOWN if half is None or not mean else half / mean / _NORMAL_95
    beyond = 1 - float(name[1:]) / 100
    count = max(summary["requests"] - summary["errors"], 1)
    return math.hypot(of_mean, math.sqrt((1 - beyond) / (count * beyond)) / math.log(1 / beyond))


def failed_outright(summary: Mapping[str, Any]) -> str | None:
    """Why a run fails whatever its times are; None if it does not."""
    if summary["requests"] == 0:
        return "no request was over"
    if summary["errors"] == summary["requests"]:
        return "every request failed"
    return f"{summary['dropped']} requests were never sent" if summary["dropped"] else None


def not_achieved(summary: Mapping[str, Any], time_s: float) -> str | None:
    """Whether fewer requests were completed than came, in words.

    Chance explains some of the difference, and so does the time in the system of `time_s` seconds.
    """
    if summary["model"] == "closed":
        return None
    came, seconds = summary["requests"], summary["duration_s"]
    missing = came - summary["errors"] - summary["throughput"] * seconds
    under_way = summary["offered_rate"] * time_s
    if missing <= under_way + 4 * math.sqrt(came):
        return None
    offered, achieved = summary["offered_rate"], summary["throughput"]
    return f"the rate was not achieved: {units.rate(achieved)} of {units.rate(offered)}"


def _generator_late(result: Result) -> bool:
    summary = result.summary
    if summary["kind"] != "run" or summary["errors"] == summary["requests"]:
        return False
    late, mean = summary["lateness_s"], summary["response_time_s"]["mean"]
    if late["mean"] is None or not mean:
        return result.untrusted is not None
    is_late = late["mean"] > _LATE_SHARE * mean and (late["p99"] or 0.0) > _LATE_P99_S
    return bool(is_late) or (result.untrusted is not None and not result.interrupted)
