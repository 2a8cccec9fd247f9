"""The demand of the busiest station of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime import System


def busiest_demand_s(system: System | None) -> float | None:
    """The mean demand of the busiest station, in seconds of each of its servers.

    None if a station's demand has no one law or its speed varies, or beside machines, clusters and
    servers of tokens, which may be busier.
    """
    if system is None or not system.stations or system.machines or system.clusters:
        return None
    if system.tables["token_server"]:
        return None
    demands = []
    for station in system.stations:
        if station.demand is None or not station.steady:
            return None
        demands.append(station.demand.mean / station.servers)
    return max(demands)
