"""The CPU limits of services, and what requests wait for: a core, the limit, a place in a pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import LimitFigures

HEADINGS = ("periods", "throttled", "share", "throttled time")
"""The columns after the one that names the service."""

_MATTERS = 0.1
"""If throttling is less of the mean response time, nobody is advised to change a limit."""

_CAPTION = (
    "Periods in which the service was at work, those in which its CPU time was used up, "
    "and for how long, summed over cores."
)
_WAITS_CAPTION = (
    "What requests wait for, as means over all of them. Waits for a thread, and at "
    "stations, are not among these."
)
WORDS: dict[str, str] = {
    "CPU limit": "The CPU time that the threads of a service may use in each period.",
    "throttled": "The threads of a service stand still on a core, because the CPU time of the "
    "period is used up.",
}
"""The meanings of the tables' words."""


class LimitedService(NamedTuple):
    """A service with a CPU limit over the measured time."""

    name: str
    machine: str
    figures: LimitFigures

    @property
    def share(self) -> float:
        """The fraction of periods that were throttled; 0 without periods."""
        periods = self.figures["periods"]
        return self.figures["throttled_periods"] / periods if periods else 0.0

    @property
    def words(self) -> str:
        """One line, as in 'shop: throttled in 12 of 90 periods (13 %), for 1.2 s ...'."""
        return (
            f"{self.name}: throttled in {units.count(self.figures['throttled_periods'])} of "
            f"{units.counted(self.figures['periods'], 'period')} ({units.percent(self.share)}), "
            f"for {units.seconds(self.figures['throttled_s'])} over all cores"
        )


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' services with CPU limits."""
    return Table("limits", "CPU limits", "service", HEADINGS, groups, _CAPTION)


def lines_of(result: Result) -> list[Line]:
    """The row of each service with a CPU limit, under `HEADINGS`."""
    return [_line(one) for one in services_of(result)]


def _line(one: LimitedService) -> Line:
    texts = [
        units.count(one.figures["periods"]),
        units.count(one.figures["throttled_periods"]),
        units.percent(one.share),
        units.seconds(one.figures["throttled_s"]),
    ]
    return Line(one.name, [Cell(text) for text in texts], f"on {one.machine}")


def waits_table(groups: Sequence[Group]) -> Table:
    """The table of what the requests of some results wait for."""
    return Table(
        "waits", "Waits by cause", "cause", ("mean wait of a request",), groups, _WAITS_CAPTION
    )


def wait_lines_of(result: Result) -> list[Line]:
    """The row of each cause of waits."""
    return [Line(cause, [Cell(units.seconds(mean_s))]) for cause, mean_s in waits_of(result)]


def services_of(result: Result) -> list[LimitedService]:
    """The services that have a CPU limit, by machine and name; empty without any."""
    return [
        LimitedService(service, machine, figures)
        for machine, found in (result.summary.get("machines") or {}).items()
        for service, figures in (found.get("limits") or {}).items()
    ]


def waits_of(result: Result) -> list[tuple[str, float]]:
    """The causes of waits, as in 'for a core of node', with means in seconds; else none.

    Only of a result that has CPU limits. By Little's law each is the mean number that wait, over
    the rate of requests. Waits for a thread of a pool of threads, and at stations, are not among
    them.
    """
    requests = int(result.summary.get("requests") or 0)
    if not services_of(result) or requests == 0:
        return []
    return list(_waits(result, requests))


def _waits(result: Result, requests: int) -> Iterator[tuple[str, float]]:
    summary = result.summary
    of_each_s = float(summary.get("duration_s") or 0.0) / requests
    for machine, found in (summary.get("machines") or {}).items():
        yield f"for a core of {machine}", float(found["run_queue_mean"]) * of_each_s
    for service in services_of(result):
        yield f"throttled in {service.name}", service.figures["waited_s"] / requests
    pools = [] if result.system is None else result.system.tables["pool"]
    for pool in pools:
        figures = summary["pools"].get(pool["name"])
        if figures is not None:
            waiting = figures["queue_length_mean"] - figures["load"] * pool["size"]
            yield f"for a place in {pool['name']}", max(0.0, waiting) * of_each_s


def sentences(result: Result) -> list[str]:
    """A line for each service with a CPU limit, one of the waits by cause, and advice."""
    lines = [one.words for one in services_of(result)]
    waits = [f"{cause} {units.seconds(mean_s)}" for cause, mean_s in waits_of(result)]
    if waits:
        lines.append(f"mean waits of a request: {', '.join(waits)}")
    return [*lines, *_advice(result)]


def _advice(result: Result) -> Iterator[str]:
    """What to vary, if throttling makes up a good part of the mean response time."""
    requests = int(result.summary.get("requests") or 0)
    mean_s = (result.summary.get("response_time_s") or {}).get("mean")
    services = services_of(result)
    if not services or not requests or not mean_s:
        return
    worst = max(services, key=lambda one: one.figures["waited_s"])
    share = worst.figures["waited_s"] / requests / mean_s
    if share >= _MATTERS:
        yield (
            f"throttling in {worst.name} is {units.percent(share)} of the mean response time; what "
            f"another limit gives: thinktime sweep WORKLOAD SYSTEM --vary {_key(result, worst)}=..."
        )


def _key(result: Result, service: LimitedService) -> str:
    """The key of a service's limit, as in `service.shop.cpu_limit`."""
    kind: Literal["machine", "service"] = (
        "machine" if service.name == service.machine else "service"
    )
    tables = [] if result.system is None else result.system.tables[kind]
    has_quota = any(one["name"] == service.name and one["quota"] is not None for one in tables)
    return f"{kind}.{service.name}.{'quota' if has_quota else 'cpu_limit'}"
