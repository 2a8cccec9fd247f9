"""The stations of a system with the demands of each population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinktime.theory._queue import Queue, plain_stations, queue_of
from thinktime.theory._users import Users, merged_shares, users_of
from thinktime.theory.law import FloatArray

if TYPE_CHECKING:
    from thinktime import Distribution, System, Workload
    from thinktime._core import Station


@dataclass(frozen=True)
class StationDemands:
    """A station with the demand of each kind of request."""

    queue: Queue
    """The station with the demand of all kinds together that visit it."""

    demands: Mapping[str, Distribution]
    """By kind; those that do not visit it are left out."""

    def mean_of(self, name: str) -> float:
        """The mean demand of a kind, in seconds; 0 if it does not visit the station."""
        law = self.demands.get(name)
        return 0.0 if law is None else law.mean


def station_demands(system: System, users: Sequence[Users]) -> list[StationDemands] | None:
    """The stations, if the demands of all kinds and the rates of all open populations are known."""
    if any(one.clients is None and not one.rate for one in users):
        return None
    kinds = merged_shares(users)
    found = [_served(station, kinds) for station in _visited(system, kinds)]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _visited(system: System, kinds: Sequence[tuple[str, float]]) -> list[Station]:
    """The stations that any request visits: the others stay empty."""
    return [one for one in plain_stations(system) if _demands(one, [name for name, _ in kinds])]


def _served(station: Station, kinds: list[tuple[str, float]]) -> StationDemands | None:
    demands = _demands(station, [name for name, _ in kinds])
    queue = queue_of(station, [(name, share) for name, share in kinds if name in demands])
    return None if queue is None else StationDemands(queue, demands)


def _demands(station: Station, names: Sequence[str]) -> dict[str, Distribution]:
    """The demands of the kinds that visit the station."""
    demands = {name: station.demand_of(name) for name in names}
    return {name: law for name, law in demands.items() if law is not None}


def demands_of(users: Users, stations: Sequence[StationDemands]) -> FloatArray:
    """The mean demand of a request of these populations, by station."""
    return np.array([_brought(users, one.demands) for one in stations])


def _brought(users: Users, demands: Mapping[str, Distribution]) -> float:
    shares = users.shares.items()
    return sum(share * demands[name].mean for name, share in shares if name in demands)


def offered_load(arriving: Sequence[Users], stations: Sequence[StationDemands]) -> float:
    """The load of the busiest station by the populations that arrive by themselves."""
    servers = np.array([one.queue.servers for one in stations])
    brought = [(one.rate or 0.0) * demands_of(one, stations) for one in arriving]
    return float(np.max(np.sum(brought, axis=0) / servers)) if brought else 0.0


def exact_loads(workload: Workload, system: System) -> dict[str, float] | None:
    """By the station's name, the fraction of time that each of its servers is busy.

    The utilisation law, Σ λ E[S] / servers over all kinds of request, whatever the policy and the
    order in which they come. None if it is not known beforehand: for closed populations, if
    requests are repeated or given up, if a station refuses any, and from a load of 1 on.
    """
    return _loads(users_of(workload), system) if workload.plain else None


def _loads(users: Sequence[Users], system: System) -> dict[str, float] | None:
    if any(one.clients is not None or not one.rate for one in users):
        return None
    names = [name for name, _ in merged_shares(users)]
    loads = {}
    for station in plain_stations(system):
        demands = _demands(station, names)
        work = sum((one.rate or 0.0) * _brought(one, demands) for one in users)
        loads[station.name] = work / station.servers
    return loads if loads and all(load < 1 for load in loads.values()) else None


def loads_in_words(users: Sequence[Users], system: System) -> str:
    """The exact loads, as a sentence that follows the reason why nothing else is exact."""
    loads = _loads(users, system)
    if loads is None:
        return ""
    words = ", ".join(f"{name} {load:.6g}" for name, load in loads.items())
    return f"; exact are the loads: {words}"
