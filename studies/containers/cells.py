"""The cells of the study: what a container may use, and who else is on its node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CORES = 2
DEMAND_S = 0.02
RATE = 25
"""Requests a second: half a core of work."""

BURNER_S = 1
"""A neighbour's demand, which begins anew as soon as it is done."""


@dataclass(frozen=True)
class Cell:
    """A container on a node of two cores."""

    limit: float | None = None
    """The CPU limit, in cores."""
    period_ms: int = 100
    burst_ms: int = 0
    threads: str = "per-request"
    """`per-request`, or the size of a pool."""
    neighbours: int = 0
    """Threads of others that never rest."""

    @property
    def name(self) -> str:
        """The cell in words."""
        words = "no limit" if self.limit is None else f"{self.limit:g} in {self.period_ms} ms"
        if self.burst_ms:
            words += f", burst {self.burst_ms} ms"
        if self.threads != "per-request":
            words += f", threads {self.threads}"
        return words + (f", neighbours {self.neighbours}" if self.neighbours else "")

    @property
    def limits(self) -> dict[str, str]:
        """The keys of the limit, as machines and services have them."""
        if self.limit is None:
            return {}
        quota_us = round(1e3 * self.limit * self.period_ms)
        period, burst = f"{self.period_ms}ms", f"{self.burst_ms}ms"
        return {"quota": f"{quota_us}us", "period": period, "burst": burst}

    @property
    def server(self) -> dict[str, Any]:
        """The threads of the container, and their work."""
        threads: int | str = int(self.threads) if self.threads.isdigit() else self.threads
        return {"threads": threads, "demand": f"exp({DEMAND_S}s)"} | self.limits


def cells(*, short: bool = False) -> Iterator[Cell]:
    """All cells in their order, or two of them."""
    if short:
        yield from (Cell(), Cell(limit=0.7))
        return
    yield Cell()
    for limit in (2.0, 1.0, 0.7, 0.55):
        yield Cell(limit)
    for limit in (1.0, 0.7, 0.55):
        yield Cell(limit, period_ms=10)
    for limit in (0.7, 0.55):
        yield Cell(limit, burst_ms=round(100 * limit))
    for threads in (1, 4, 16):
        yield Cell(0.7, threads=str(threads))
    yield Cell(1.0, threads="1")
    for limit_or_none in (None, 1.0, 0.7):
        yield Cell(limit_or_none, neighbours=2)


def served(cell: Cell) -> dict[str, Any]:
    """The system that `thinktime serve --burn` is given: neighbours are others' work."""
    return {"name": "container", "machine": [node() | cell.server]}


def node(scheduling: dict[str, Any] | None = None) -> dict[str, Any]:
    """The machine, whose scheduler may have settings of its own."""
    machine: dict[str, Any] = {"name": "node", "cores": CORES, "os": "linux-eevdf"}
    return machine | ({"scheduler": {"time_sharing": scheduling}} if scheduling else {})


def simulated(cell: Cell, scheduling: dict[str, Any]) -> dict[str, Any]:
    """The model of a cell: neighbours are a service whose threads always have work."""
    services = {"ask": {"name": "container"} | cell.server}
    if cell.neighbours:
        services["burn"] = {"name": "neighbours", "demand": f"const({BURNER_S}s)"}
    return {
        "name": "container",
        "machine": [node(scheduling)],
        "service": [{"machine": "node"} | service for service in services.values()],
        "behaviour": [
            {"request": request, "steps": [{"use": service["name"]}]}
            for request, service in services.items()
        ],
    }


def users(seed: int) -> dict[str, Any]:
    """Requests that come by themselves."""
    arrivals = {"model": "open", "rate": f"{RATE}/s"}
    return {"name": "users", "seed": seed, "arrivals": arrivals, "request": [{"name": "ask"}]}


def users_and_neighbours(seed: int, neighbours: int) -> dict[str, Any]:
    """The same, and as many threads of others that begin anew as soon as they are done."""
    people = users(seed)
    if neighbours == 0:
        return people
    head = {"name": people.pop("name"), "seed": people.pop("seed")}
    burning = {
        "name": "neighbours",
        "arrivals": {"model": "closed", "clients": neighbours},
        "session": {"think": "const(0s)"},
        "request": [{"name": "burn"}],
    }
    return head | {"population": [{"name": "users"} | people, burning]}
