"""The clusters of a result: their servers, their balance, and their caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result, System
    from thinktime._core_types import ClusterFigures, ServerFigures

HEADINGS = (
    "servers",
    "busiest station",
    "load of each server",
    "imbalance",
    "hit ratio",
    "waiting at the switch",
)
"""The columns after the one that names cluster and dispatch policy."""

_CAPTION = "How evenly the dispatch policy spread the work, and what the servers' caches held."
WORDS: dict[str, str] = {
    "imbalance": "By how much the load of the busiest server of a cluster is above the mean of "
    "all its servers, at the station that is the busiest.",
    "hit ratio": "The part of the requests with a cacheable response that found it in the "
    "server's cache.",
}
"""The meanings of the table's words."""


SERVERS_MAX = 12
"""With more servers, a table shows half as many of the busiest, and of the least busy."""


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' clusters."""
    return Table("clusters", "Clusters", "cluster", HEADINGS, groups, _CAPTION)


def lines_of(result: Result) -> list[Line]:
    """The row of each cluster under `HEADINGS`; empty without clusters."""
    return [_line(*one) for one in (result.summary.get("clusters") or {}).items()]


def _line(name: str, cluster: ClusterFigures) -> Line:
    servers, busiest = cluster["servers"], _busiest(cluster)
    texts = [
        units.count(len(servers)),
        busiest,
        units.listed_loads([one["load"][busiest] for one in servers]),
        units.percent(cluster["imbalance"]),
        _percent(hit_ratio(servers)),
        units.number(cluster["waiting_mean"]),
    ]
    return Line(name, [Cell(text) for text in texts], cluster["dispatch"])


def sentences(result: Result) -> Iterator[tuple[str, Table]]:
    """Each cluster, as in 'web, cap over 7 servers: loads 0.70, 0.71 (cpu), imbalance 1.2 %'.

    Beside it the table of its servers.
    """
    for name, cluster in (result.summary.get("clusters") or {}).items():
        yield _sentence(name, cluster), _servers_table(cluster)


def _sentence(name: str, cluster: ClusterFigures) -> str:
    servers, busiest = cluster["servers"], _busiest(cluster)
    loads = units.listed_loads([one["load"][busiest] for one in servers])
    parts = [f"loads {loads} ({busiest})", f"imbalance {units.percent(cluster['imbalance'])}"]
    hits = hit_ratio(servers)
    if hits is not None:
        parts.append(f"hit ratio {units.percent(hits)}")
    return f"{name}, {over_servers(cluster['dispatch'], len(servers))}: {', '.join(parts)}"


def _busiest(cluster: ClusterFigures) -> str:
    """The station whose servers together were the busiest."""
    servers = cluster["servers"]
    return max(servers[0]["load"], key=lambda station: sum(one["load"][station] for one in servers))


def _servers_table(cluster: ClusterFigures) -> Table:
    """A row for each server: loads, requests, hit ratio, and requests by class."""
    servers, busiest, half = cluster["servers"], _busiest(cluster), SERVERS_MAX // 2
    shown = sorted(enumerate(servers), key=lambda one: -one[1]["load"][busiest])
    title = ""
    if len(shown) > SERVERS_MAX:
        shown = shown[:half] + shown[-half:]
        title = f"the {half} busiest and the {half} least busy"
    stations = [f"{name} load" for name in servers[0]["load"]]
    spare = [one for one in reversed(stations) if one != f"{busiest} load"]
    headings = [*stations, "requests", "hit ratio", *servers[0].get("by_class", {})]
    rows = [_server_line(*one) for one in sorted(shown, key=lambda one: one[0])]
    return Table("servers", "Servers", "server", headings, [Group(rows, title)], spare=spare)


def _server_line(number: int, server: ServerFigures) -> Line:
    texts = [
        *map(units.load, server["load"].values()),
        units.count(server["requests"]),
        _percent(server.get("hit_ratio")),
        *map(units.count, server.get("by_class", {}).values()),
    ]
    return Line(str(number), [Cell(text) for text in texts])


def _percent(share: float | None) -> str:
    return units.NOTHING if share is None else units.percent(share)


def hit_ratio(servers: Sequence[ServerFigures]) -> float | None:
    """The hit ratio of these servers together, weighted by their requests; None without a cache."""
    held = [(hit, one["requests"]) for one in servers if (hit := one.get("hit_ratio")) is not None]
    requests = sum(many for _, many in held)
    hits = sum(hit * many for hit, many in held)
    return hits / requests if requests else None


def words_of(system: System) -> list[str]:
    """Each cluster of a system, as in 'cap over 7 servers'."""
    return [over_servers(one.dispatch, one.servers) for one in system.clusters]


def over_servers(dispatch: str, servers: int) -> str:
    """As in 'cap over 7 servers'."""
    return f"{dispatch} over {units.counted(servers, 'server')}"
