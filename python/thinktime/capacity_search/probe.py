"""One probe: a run at one value, and by how much it meets or misses the objectives."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thinktime import _core, validity
from thinktime.present import units
from thinktime.present.percentile import backed
from thinktime.results import independent
from thinktime.results.finding import Finding
from thinktime.results.result import Result
from thinktime.results.verdict import Met, Objective

_NORMAL_95 = 1.959964
_ERRORS_LIMIT = "1%"
"""The share of requests that may fail if the SLO has no limit for errors."""

_LATE_SHARE = 0.10
_LATE_P99_S = 1e-3
"""Lateness beyond this share of the mean response time, with a 99th percentile beyond this time,
makes the generator a suspect."""

_TIMES = ("mean", "p50", "p90", "p95", "p99", "p99.9")

_UNKNOWN = 0.5
"""The standard error of a margin that is unknown."""

_NOTHING = 3.0
"""The standard error for a run without a request, which says nothing of the server."""


@dataclass(frozen=True)
class Slo:
    """The objectives of all requests; those of pages and parts are in results alone."""

    times_s: Mapping[str, float]
    """Upper limits of response times in seconds by name: `mean`, `p50` to `p99.9`."""

    errors: float
    """The largest share of requests that may fail; 1 % if the workload sets none."""

    given: bool = True
    """Whether the workload has a table `[slo]`."""

    @classmethod
    def of(cls, workload: _core.Workload, *, needed: bool = False) -> Slo:
        """The objectives in the workload's table `[slo]`; of a workload without one, errors alone.

        Raises:
            InputError: if it has none, and they are `needed`, or all its clients wait for answers.
        """
        table = dict(tomllib.loads(workload.to_toml()).get("slo", {}))
        waits = all(one.model == "closed" for one in workload.populations)
        if not table and (needed or waits):
            why = 'has no objectives: give it a table [slo], as in p99 = "250ms"'
            raise _core.InputError(f"the workload `{workload.name}` {why}")
        limits = {name: _limit(one) for name, one in table.items()}
        errors = limits.pop("errors", None) or _ERRORS_LIMIT
        times_s = {
            name: _core.Distribution(text).mean
            for name, text in limits.items()
            if text is not None and name in _TIMES
        }
        return cls(times_s, _share(errors.strip()), bool(table))


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

    @property
    def slo(self) -> Met:
        """The margin, limited by its interval."""
        return objectives_met(self.passed, self.margin, self.error)


def objectives_met(passed: bool, margin: float | None, error: float) -> Met:
    """Whether the objectives are met, by the margin's 95 % interval."""
    if margin is not None and abs(margin) < _NORMAL_95 * error:
        return "cannot tell"
    return "met" if passed else "not met"


def probe_of(value: float, result: Result, slo: Slo, stopped: bool = False) -> Probe:
    """The probe of a result. `stopped` says that the run was ended early as it failed."""
    summary = result.summary
    margins = [*_times(summary, slo), *_errors(summary, slo), *_others(result.objectives)]
    figures = figures_of(summary)
    longest_s = max(slo.times_s.values(), default=0.0)
    unmet = failed_outright(summary) or not_achieved(summary, longest_s)
    if summary["requests"] == 0:
        return Probe(value, False, 0.0, _NOTHING, why=str(unmet), figures=figures)
    if unmet is None and not margins and not slo.times_s:
        return _without_errors(value, slo, figures)
    if unmet is not None or not margins:
        why = unmet or "nothing was measured"
        suspect = _generator_late(result)
        return Probe(value, False, None, generator=suspect, why=why, figures=figures)
    margin, error, why = max(margins)
    if stopped:
        margin = max(margin, 0.0)
        error = max(error, margin / 2)
    passed = margin <= 0 and not stopped
    suspect = not passed and _generator_late(result)
    short = _short(summary, slo)
    return Probe(value, passed, margin, error, stopped, short, suspect, why, figures)


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
        independent.KEY: summary.get(independent.KEY),
        "error_share": summary["errors"] / requests if requests else None,
        "throughput": summary["throughput"],
        "response_mean_s": times["mean"],
        "response_p99_s": times["p99"],
        "lateness_p99_s": summary["lateness_s"]["p99"],
    }


def _times(summary: Mapping[str, Any], slo: Slo) -> list[tuple[float, float, str]]:
    found, many = [], int(summary["requests"] - summary["errors"])
    worth = independent.worth(summary, many)
    for name, limit in slo.times_s.items():
        measured = summary["response_time_s"].get(name)
        if measured is not None and measured > 0:
            found_s, allowed_s = units.times_apart(measured, limit)
            text = f"{name} is {found_s}, the limit is {allowed_s}"
            if not backed(name, worth):
                few = units.counted(many, "request")
                text = f"{name} cannot be told of {few}, the limit is {allowed_s}"
            found.append((math.log(measured / limit), _time_error(summary, name), text))
    return found


def _short(summary: Mapping[str, Any], slo: Slo) -> str:
    """The last percentile that has an objective and no interval; empty if there is none."""
    known = summary.get("response_time_ci95") or {}
    found = [name for name in slo.times_s if name != "mean" and name not in known]
    return found[-1] if found else ""


def _time_error(summary: Mapping[str, Any], name: str) -> float:
    """The standard error of the logarithm of a mean or a percentile."""
    times = summary["response_time_s"]
    mean, half = times["mean"], times["ci95"]
    of_mean = _UNKNOWN if half is None or not mean else half / mean / _NORMAL_95
    if name == "mean":
        return min(of_mean, _UNKNOWN)
    interval = (summary.get("response_time_ci95") or {}).get(name)
    if interval is not None and interval[0] > 0:
        return max(math.log(interval[1] / interval[0]) / (2 * _NORMAL_95), 1e-4)
    # No interval: the mean's interval, and with it the order statistic of an exponential tail.
    beyond = 1 - float(name[1:]) / 100
    count = max(summary["requests"] - summary["errors"], 1)
    of_order = math.sqrt((1 - beyond) / (count * beyond)) / math.log(1 / beyond)
    return math.hypot(of_mean, of_order)


def _errors(summary: Mapping[str, Any], slo: Slo) -> list[tuple[float, float, str]]:
    failed, requests = summary["errors"], summary["requests"]
    if failed == 0:
        return []
    share = failed / requests
    found, allowed = units.percent(share, 3), units.percent(slo.errors, 3)
    text = f"{found} of the requests failed, the limit is {allowed}"
    limit = max(slo.errors, 0.5 / requests)  # if no error is allowed, one is one too many
    return [(math.log(share / limit), 1 / math.sqrt(failed), text)]


def _without_errors(value: float, slo: Slo, figures: Mapping[str, Any]) -> Probe:
    """The margin by errors alone, if no failure decides."""
    why = f"no request failed, the limit is {units.percent(slo.errors, 3)}"
    requests, squared = figures["requests"], _NORMAL_95**2
    if squared / (requests + squared) <= slo.errors:  # the upper end of Wilson's interval
        return Probe(value, True, None, why=why, figures=figures)
    return Probe(value, True, 0.0, _UNKNOWN, why=why, figures=figures)


def _others(objectives: Sequence[Objective]) -> list[tuple[float, float, str]]:
    """The objectives of pages, populations, request names and checks."""
    found = []
    for one in objectives:
        if one.value is None or (one.of is None and one.name in (*_TIMES, "errors")):
            continue
        value, limit, interval = one.value, one.limit, one.interval
        if one.name == "checks":  # the failed share may not exceed the share that need not pass
            value, limit = 1 - value, 1 - limit
            interval = None if interval is None else (1 - interval[1], 1 - interval[0])
        if value <= 0:
            continue
        error = _UNKNOWN
        if interval is not None and interval[0] > 0:
            error = max(math.log(interval[1] / interval[0]) / (2 * _NORMAL_95), 1e-4)
        # If nothing is allowed, twice the limit stands for any value found.
        margin = math.log(value / limit) if limit > 0 else math.log(2)
        found.append((margin, error, one.words))
    return found


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
    is_late = late["mean"] > _LATE_SHARE * mean and late["p99"] > _LATE_P99_S
    return bool(is_late) or (result.untrusted is not None and not result.interrupted)


def _limit(entry: object) -> str | None:
    """The limit in its written form; None if the entry holds the objectives of a part."""
    if isinstance(entry, Mapping):
        return str(entry["limit"]) if "limit" in entry else None
    return str(entry)


def _share(text: str) -> float:
    part, _, whole = text.replace("%", "/100").partition("/")
    return float(part) / float(whole or 1)
