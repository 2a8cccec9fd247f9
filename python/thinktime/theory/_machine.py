"""Machines under processor sharing, as stations."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thinktime import System

_SHARED = "processor-sharing"
_KNOWN = {"name", "cores", "os", "threads", "demand"}
_WITHOUT_EFFECT = {"scheduler", "context_switch"}  # under processor sharing


def as_station(system: System) -> System | None:
    """The same system with a station in place of its machine; None if that is not possible.

    One machine under processor sharing with a thread for each request is a PS station: n requests
    on c cores each run at the speed min(1, c / n). That holds only for a machine by itself, without
    further services, stations, pools, behaviours or limits.
    """
    if system.stations or len(system.machines) != 1:
        return None
    features = json.loads(system.machines[0].features_json)
    tables = tomllib.loads(system.to_toml())
    if features["time_sharing"]["discipline"] != _SHARED or tables.keys() - {"name", "machine"}:
        return None
    machine: Mapping[str, Any] = tables["machine"][0]
    if machine.get("threads", "per-request") != "per-request":
        return None
    if "demand" not in machine or machine.keys() - _WITHOUT_EFFECT - _KNOWN:
        return None
    try:
        return type(system)(_station(system.name, machine))
    except ValueError:  # the law of a demand from a file is not known
        return None


def _station(name: str, machine: Mapping[str, Any]) -> str:
    demand = machine["demand"]
    written = _text(demand)
    if isinstance(demand, Mapping):
        pairs = (f"{_text(key)} = {_text(value)}" for key, value in demand.items())
        written = "{" + ", ".join(pairs) + "}"
    return (
        f"name = {_text(name)}\n[[station]]\nname = {_text(machine['name'])}\n"
        f'policy = "ps"\nservers = {machine.get("cores", 1)}\ndemand = {written}\n'
    )


def _text(value: str | float) -> str:
    """A string or number in TOML."""
    return json.dumps(value, ensure_ascii=False)
