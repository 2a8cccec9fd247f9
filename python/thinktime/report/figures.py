"""The figures of one result or one theory, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.results import independent_requests
from thinktime.results.busiest_demand import busiest_demand_s
from thinktime.theory.solution import Theory

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import Summary

TIMES = ("mean", "p50", "p90", "p99", "p99.9")
"""The response times that are reported and compared, by their name in summary.json."""

_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


@dataclass(frozen=True)
class Figures:
    """A result's figures in a report. None means unknown."""

    times_s: Mapping[str, float]
    """Response times by name, of `TIMES`; unknown ones are left out."""

    ci95_s: float | None
    intervals_s: Mapping[str, tuple[float, float]]
    """The 95 % intervals of percentiles, as far as they are known."""

    load: float | None
    throughput: float | None
    byte_throughput: float | None
    offered_rate: float | None
    requests: int | None
    errors: int | None
    lateness_p99_s: float | None

    @property
    def mean_s(self) -> float | None:
        """The mean response time."""
        return self.times_s.get("mean")


def of_result(result: Result) -> Figures:
    """The figures of a result's summary."""
    summary = result.summary
    times: Mapping[str, Any] = summary.get("response_time_s") or {}
    # A percentile that too few requests bound is left out.
    many = (summary.get("requests") or 0) - (summary.get("errors") or 0)
    late: Mapping[str, Any] = summary.get("lateness_s") or {}
    lateness = late if result.kind == "run" else {}
    return Figures(
        times_s=independent_requests.known(summary, times, TIMES, many),
        ci95_s=times.get("ci95"),
        intervals_s={
            name: (float(ends[0]), float(ends[1]))
            for name, ends in (summary.get("response_time_ci95") or {}).items()
            if ends is not None
        },
        load=_load(result),
        throughput=_throughput(summary),
        byte_throughput=summary.get("byte_throughput"),
        offered_rate=summary.get("offered_rate"),
        requests=summary.get("requests"),
        errors=summary.get("errors"),
        lateness_p99_s=independent_requests.known(summary, lateness, ("p99",), many).get("p99"),
    )


def of_theory(theory: Theory) -> Figures:
    """The figures of an exact solution: percentiles only if its law is known."""
    times = {"mean": theory.mean_s}
    if theory.law is not None:
        times |= {name: theory.law.percentile(p) for name, p in _PERCENTILES.items()}
    return Figures(
        times_s=times,
        ci95_s=None,
        intervals_s={},
        load=theory.load,
        throughput=theory.throughput,
        byte_throughput=None,
        offered_rate=None,
        requests=None,
        errors=None,
        lateness_p99_s=None,
    )


def _throughput(summary: Summary) -> float | None:
    """Successes a second; unknown if the only ones ended after the measured time."""
    rate, ended = summary.get("throughput"), summary.get("requests") or 0
    return None if not rate and ended > (summary.get("errors") or 0) else rate


def _load(result: Result) -> float | None:
    """The load of the busiest station or machine; for a real system by the utilisation law."""
    loads = [station["load"] for station in (result.summary.get("stations") or {}).values()]
    if loads:
        return max(loads)
    demand, throughput = busiest_demand_s(result.system), result.summary.get("throughput")
    return None if demand is None or throughput is None else demand * throughput
