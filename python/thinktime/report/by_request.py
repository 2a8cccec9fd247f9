"""Response times by request name, in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.results import independent_requests

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import Summary

HEADINGS = ("requests", "errors", "mean", "median", "p95", "p99")
"""The columns after the request's name."""

_TIMES = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class RequestTimes:
    """A result's figures for all requests of one name."""

    name: str
    requests: int
    """How many ended, those that failed for good included."""

    failed: int
    times_s: Mapping[str, float]
    """Response times in seconds: mean, p50, p95 and p99, if enough requests back them."""

    ci95_s: float | None
    """The half-width of the mean's 95 % confidence interval, in seconds."""

    @property
    def whole_s(self) -> float:
        """The time that those that succeeded took together, in seconds."""
        return (self.requests - self.failed) * self.times_s.get("mean", 0.0)

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        mean = units.mean(self.times_s.get("mean"), self.ci95_s)
        rest = [units.seconds(self.times_s.get(name)) for name in _TIMES[1:]]
        share = units.percent(self.failed / self.requests) if self.failed else ""
        failed = Cell(units.count(self.failed), share)
        times = [Cell(text) for text in (mean, *rest)]
        return Line(self.name, [Cell(units.count(self.requests)), failed, *times])


def times_of(result: Result) -> list[RequestTimes]:
    """The times of each request name, in the workload's order; names without requests are left out.

    Empty if the result does not tell names apart.
    """
    found: Mapping[str, Mapping[str, Any]] = result.summary.get("by_request") or {}
    order = {name: place for place, name in enumerate(result.workload.request_names)}
    names = sorted(found, key=lambda name: order.get(name, len(order)))
    times = [_times(name, found[name], result.summary) for name in names]
    return [one for one in times if one.requests]


def _times(name: str, figures: Mapping[str, Any], summary: Summary) -> RequestTimes:
    """A summary counts those of a name that succeeded and those that failed apart."""
    times = figures.get("response_time_s") or {}
    succeeded, failed = int(figures.get("requests") or 0), int(figures.get("errors") or 0)
    known = independent_requests.known(summary, times, _TIMES, succeeded)
    return RequestTimes(name, succeeded + failed, failed, known, times.get("ci95"))


def worth_showing(found: Sequence[RequestTimes]) -> bool:
    """Whether the names add to the row of all requests."""
    return len(found) > 1


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' times by request name."""
    return Table(
        "requests",
        "Response times by request name",
        "request",
        HEADINGS,
        groups,
        "Median, p95 and p99: half, 95 % and 99 % of the requests of a name that succeed take no "
        "longer.",
        spare=("p99", "median"),
    )
