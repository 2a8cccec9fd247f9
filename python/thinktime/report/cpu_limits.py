"""The CPU limits of services, and what requests wait for: a core, the limit, a place in a pool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from thinktime.present import units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result

HEADINGS = ("periods", "throttled", "share", "throttled time")
"""The columns after the one that names the service."""

_MATTERS = 0.1
"""If throttling is less of the mean response time, nobody is advised to change a limit."""

WAIT_HEADINGS = ("mean wait of a request",)
"""The columns after the one that names the cause."""

WORDS: dict[str, str] = {
    "CPU limit": "The CPU time that the threads of a service may use in each period.",
    "throttled": "The threads of a service stand still on a core, because the CPU time of the "
    "period is used up.",
}
"""The meanings of the tables' words."""


@dataclass(frozen=True)
class LimitedService:
    """A service with a CPU limit over the measured time."""

    name: str
    machine: str
    periods: int
    """Periods in which its threads were at work."""

    throttled_periods: int
    throttled_s: float
    """Summed over cores."""

    waited_s: float
    """Summed over threads."""

    @property
    def share(self) -> float:
        """The fraction of periods that were throttled; 0 without periods."""
        return self.throttled_periods / self.periods if self.periods else 0.0

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        texts = [
            units.count(self.periods),
            units.count(self.throttled_periods),
            units.percent(self.share),
            units.seconds(self.throttled_s),
        ]
        return Line(self.name, [Cell(text) for text in texts], f"on {self.machine}")

    @property
    def words(self) -> str:
        """One line, as in 'shop: throttled in 12 of 90 periods (13 %), for 1.2 s ...'."""
        return (
            f"{self.name}: throttled in {units.count(self.throttled_periods)} of "
            f"{units.counted(self.periods, 'period')} ({units.percent(self.share)}), for "
            f"{units.seconds(self.throttled_s)} over all cores"
        )


@dataclass(frozen=True)
class Wait:
    """The mean wait of all requests for one thing."""

    cause: str
    """As in 'for a core of node'."""

    mean_s: float

    @property
    def line(self) -> Line:
        """The row under `WAIT_HEADINGS`."""
        return Line(self.cause, [Cell(units.seconds(self.mean_s))])


def services_of(result: Result) -> list[LimitedService]:
    """The services that have a CPU limit, by machine and name; empty without any."""
    machines = result.summary.get("machines") or {}
    return [
        LimitedService(
            service,
            machine,
            figures["periods"],
            figures["throttled_periods"],
            figures["throttled_s"],
            figures["waited_s"],
        )
        for machine, table in machines.items()
        for service, figures in (table.get("limits") or {}).items()
    ]


def waits_of(result: Result) -> list[Wait]:
    """The mean waits by cause, of a result that has CPU limits; else none.

    By Little's law each is the mean number that wait, over the rate of requests. Waits for a
    thread of a pool of threads, and at stations, are not among them.
    """
    requests = int(result.summary.get("requests") or 0)
    if not services_of(result) or requests == 0:
        return []
    return list(_waits(result, requests))


def _waits(result: Result, requests: int) -> Iterator[Wait]:
    summary = result.summary
    of_each_s = float(summary.get("duration_s") or 0.0) / requests
    for machine, table in (summary.get("machines") or {}).items():
        yield Wait(f"for a core of {machine}", float(table["run_queue_mean"]) * of_each_s)
    for service in services_of(result):
        yield Wait(f"throttled in {service.name}", service.waited_s / requests)
    pools = [] if result.system is None else result.system.tables["pool"]
    for pool in pools:
        figures = summary["pools"].get(pool["name"])
        if figures is not None:
            waiting = figures["queue_length_mean"] - figures["load"] * pool["size"]
            yield Wait(f"for a place in {pool['name']}", max(0.0, waiting) * of_each_s)


def lines_of(result: Result) -> list[str]:
    """A line for each service with a CPU limit, one of the waits by cause, and advice."""
    lines = [one.words for one in services_of(result)]
    waits = [f"{one.cause} {units.seconds(one.mean_s)}" for one in waits_of(result)]
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
    worst = max(services, key=lambda one: one.waited_s)
    share = worst.waited_s / requests / mean_s
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
