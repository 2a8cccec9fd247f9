"""Machines under processor sharing, as stations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime import System
    from thinktime._core_types import MachineTable

_SHARED = "processor-sharing"


def as_station(system: System) -> System | None:
    """The same system with a station in place of its machine; None if that is not possible.

    One machine under processor sharing with a thread for each request is a PS station: n requests
    on c cores each run at the speed min(1, c / n). That holds only for a machine by itself, without
    further services, stations, pools, behaviours or limits.
    """
    if system.stations or len(system.machines) != 1:
        return None
    tables, features = system.tables, system.machines[0].features
    more = ("service", "token_server", "pool", "cluster", "link", "limiter", "behaviour")
    if features["time_sharing"]["discipline"] != _SHARED or any(map(tables.get, more)):
        return None
    machine = tables["machine"][0]
    demand, limits = machine["demand"], (machine["priority"], machine["queue_limit"])
    if demand is None or machine["threads"] != "per-request" or limits != (None, None):
        return None
    try:
        return type(system)(_station(system.name, machine, demand))
    except ValueError:  # the law of a demand from a file is not known
        return None


def _station(
    name: str, machine: MachineTable, demand: float | str | Mapping[str, float | str]
) -> str:
    if isinstance(demand, Mapping):
        pairs = (f"{_text(key)} = {_text(value)}" for key, value in demand.items())
        written = "{" + ", ".join(pairs) + "}"
    else:
        written = _text(demand)
    return (
        f"name = {_text(name)}\n[[station]]\nname = {_text(machine['name'])}\n"
        f'policy = "ps"\nservers = {machine["cores"]}\ndemand = {written}\n'
    )


def _text(value: str | float) -> str:
    """A string or number in TOML."""
    return json.dumps(value, ensure_ascii=False)
