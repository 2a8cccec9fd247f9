"""The clusters of a result: their servers, their balance, and their caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result, System

HEADINGS = (
    "servers",
    "busiest station",
    "load of each server",
    "imbalance",
    "hit ratio",
    "waiting at the switch",
)
"""The columns after the one that names cluster and dispatch policy."""

WORDS: dict[str, str] = {
    "imbalance": "By how much the load of the busiest server of a cluster is above the mean of "
    "all its servers, at the station that is the busiest.",
    "hit ratio": "The part of the requests with a cacheable response that found it in the "
    "server's cache.",
}
"""The meanings of the table's words."""


SERVERS_MAX = 12
"""With more servers, a table shows half as many of the busiest, and of the least busy."""


@dataclass(frozen=True)
class ServerFigures:
    """One server of a cluster over the measured time."""

    number: int
    """Counted from 0."""

    loads: Mapping[str, float]
    """The fraction of time that each of its stations was busy, by name."""

    requests: int
    hit_ratio: float | None
    by_class: Mapping[str, int]
    """Its requests by the cluster's classes; empty without classes."""


@dataclass(frozen=True)
class ClusterFigures:
    """One cluster over the measured time."""

    name: str
    dispatch: str
    """The dispatch policy, as the system file names it."""

    station: str
    """The station whose servers together were the busiest."""

    loads: Sequence[float]
    """The fraction of time that each server's station of that name was busy."""

    imbalance: float
    hit_ratio: float | None
    """The hit ratio of all servers together, weighted by their requests; None without a cache."""

    waiting_mean: float
    """The mean number of requests that waited at the switch."""

    servers: Sequence[ServerFigures] = ()

    @property
    def servers_table(self) -> Table:
        """A row for each server: loads, requests, hit ratio, and requests by class."""
        shown = sorted(self.servers, key=lambda one: -one.loads[self.station])
        half = SERVERS_MAX // 2
        if len(shown) > SERVERS_MAX:
            shown = shown[:half] + shown[-half:]
        shown = sorted(shown, key=lambda one: one.number)
        stations = [f"{name} load" for name in self.servers[0].loads]
        spare = [one for one in reversed(stations) if one != f"{self.station} load"]
        headings = [*stations, "requests", "hit ratio", *self.servers[0].by_class]
        title = ""
        if len(self.servers) > len(shown):
            title = f"the {half} busiest and the {half} least busy"
        group = Group([_line_of(one) for one in shown], title)
        return Table("servers", "Servers", "server", headings, [group], spare=spare)

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        texts = [
            units.count(len(self.loads)),
            self.station,
            units.listed_loads(self.loads),
            units.percent(self.imbalance),
            units.NOTHING if self.hit_ratio is None else units.percent(self.hit_ratio),
            units.number(self.waiting_mean),
        ]
        return Line(self.name, [Cell(text) for text in texts], self.dispatch)

    @property
    def words(self) -> str:
        """One line, as in 'web, cap over 7 servers: loads 0.70, 0.71 (cpu), imbalance 1.2 %'."""
        loads = f"loads {units.listed_loads(self.loads)} ({self.station})"
        parts = [loads, f"imbalance {units.percent(self.imbalance)}"]
        if self.hit_ratio is not None:
            parts.append(f"hit ratio {units.percent(self.hit_ratio)}")
        return f"{self.name}, {over_servers(self.dispatch, len(self.loads))}: {', '.join(parts)}"


def figures_of(result: Result) -> list[ClusterFigures]:
    """The clusters of a result by name; empty without clusters."""
    found: Mapping[str, Mapping[str, Any]] = result.summary.get("clusters") or {}
    return [_figures(name, table) for name, table in found.items()]


def _figures(name: str, table: Mapping[str, Any]) -> ClusterFigures:
    servers: Sequence[Mapping[str, Any]] = table["servers"]
    stations = servers[0]["load"]
    busiest = max(stations, key=lambda station: sum(one["load"][station] for one in servers))
    return ClusterFigures(
        name=name,
        dispatch=str(table["dispatch"]),
        station=busiest,
        loads=[float(one["load"][busiest]) for one in servers],
        imbalance=float(table["imbalance"]),
        hit_ratio=hit_ratio(servers),
        waiting_mean=float(table["waiting_mean"]),
        servers=[
            ServerFigures(
                number, one["load"], one["requests"], one.get("hit_ratio"), one.get("by_class", {})
            )
            for number, one in enumerate(servers)
        ],
    )


def _line_of(server: ServerFigures) -> Line:
    """A server's row."""
    hits = server.hit_ratio
    texts = [
        *(units.load(one) for one in server.loads.values()),
        units.count(server.requests),
        units.NOTHING if hits is None else units.percent(hits),
        *(units.count(one) for one in server.by_class.values()),
    ]
    return Line(str(server.number), [Cell(text) for text in texts])


def hit_ratio(servers: Sequence[Mapping[str, Any]]) -> float | None:
    """The hit ratio of these servers together, weighted by their requests; None without a cache."""
    held = [one for one in servers if one.get("hit_ratio") is not None]
    requests = sum(one["requests"] for one in held)
    hits = sum(one["hit_ratio"] * one["requests"] for one in held)
    return hits / requests if requests else None


def words_of(system: System) -> list[str]:
    """Each cluster of a system, as in 'cap over 7 servers'."""
    return [over_servers(one.dispatch, one.servers) for one in system.clusters]


def over_servers(dispatch: str, servers: int) -> str:
    """As in 'cap over 7 servers'."""
    return f"{dispatch} over {units.counted(servers, 'server')}"
