"""A learned server for a workload from which somebody took requests out."""

from __future__ import annotations

from typing import Any

from thinktime import _core
from thinktime.inputs.dicts import present_keys
from thinktime.inputs.files import system_of
from thinktime.present import units


def fitted(system: _core.System, workload: _core.Workload) -> tuple[_core.System, list[str]]:
    """The system without the demands of requests that the workload lacks, and a note of them.

    Only a server that was learned from a log is changed: it has a demand for each request of that
    log, and a workload may keep some of its populations. In another system a name that the
    workload lacks is a mistake, which the core refuses.
    """
    known = set(workload.request_names)
    if system.learned is None or not known or system.files:
        return system, []
    tables: dict[str, Any] = {**system.tables}
    left_out: list[str] = []
    for station in tables["station"]:
        demands = station["demand"]
        if isinstance(demands, dict):
            left_out += [name for name in demands if name not in known]
            station["demand"] = {name: one for name, one in demands.items() if name in known}
    left_out += [one["request"] for one in tables["behaviour"] if one["request"] not in known]
    if not left_out:
        return system, []
    tables["behaviour"] = [one for one in tables["behaviour"] if one["request"] in known]
    names = units.listed([f"`{name}`" for name in dict.fromkeys(left_out)])
    note = f"the workload does not ask for {names}: what was learned of it for the server is unused"
    return system_of(present_keys(tables)), [note]
