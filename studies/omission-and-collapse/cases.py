"""The simulated systems, workloads, and readings of "retry after 15 ms"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import thinktime as tt

HERE = Path(__file__).resolve().parent
LOAD = 0.8

Changes = tuple[tuple[str, str], ...]

READINGS: dict[str, Changes] = {
    "A": (("request.get.retry.when", "late"),),
    "B": (),
    "C": (("request.get.cancel", "queued"),),
    "D": (("request.get.cancel", "always"),),
}
"""Each as a change of workload-retry.toml.

A: the client waits for its response and sends a new request if that took more than 15 ms.
B: the client sends again after 15 ms; the server serves the first attempt too.
C: as B, but the first attempt is taken back if it still waits.
D: as B, but the first attempt is taken back even out of service.
"""


@cache
def system(service: str) -> tt.System:
    """`exponential`, `bimodal` or `constants`, as its file says."""
    return tt.System.load(HERE / f"system-{service}.toml")


@cache
def _workload(kind: str) -> tt.Workload:
    return tt.Workload.load(HERE / f"workload-{kind}.toml")


def open_workload(service: str) -> tt.Workload:
    """Requests that arrive by themselves, at the article's load."""
    return _workload("open").at_load(system(service), LOAD)


def closed_workload(clients: int, think_s: float) -> tt.Workload:
    """Clients that wait for their responses, and think for an exponential time between."""
    changed = _workload("closed").with_value("arrivals.clients", str(clients))
    return changed.with_value("session.think", f"exp({think_s * 1e9:.3f}ns)")


@dataclass(frozen=True)
class Case:
    """Clients that try again, and their server."""

    reading: str = "B"
    retries: int | None = None
    """The largest number of retries; None for no limit."""

    load: float = LOAD
    timeout_ms: float = 15.0
    service: str = "bimodal"
    more: Changes = ()
    """Further changes of the workload."""

    server: Changes = ()
    """Changes of the system."""

    work_s: float = 1.0
    """From this much unfinished work on the system counts as collapsed ..."""

    pending: int | None = None
    """... or, if given, from this number of unfinished requests on."""

    either: bool = False
    """Whether both count."""

    def build(self) -> tuple[tt.Workload, tt.System]:
        """The workload and the system."""
        workload, served = _workload("retry"), system(self.service)
        attempts = "unlimited" if self.retries is None else str(self.retries + 1)
        changes = (
            ("request.get.timeout", f"{self.timeout_ms}ms"),
            ("request.get.retry.attempts", attempts),
            *READINGS[self.reading],
            *self.more,
        )
        for key, value in changes:
            workload = workload.with_value(key, value)
        for key, value in self.server:
            served = served.with_value(f"station.server.{key}", value)
        return workload.at_load(served, self.load), served

    @property
    def mean_demand_s(self) -> float:
        """E[S]."""
        demand = system(self.service).stations[0].demand
        assert demand is not None
        return demand.mean
