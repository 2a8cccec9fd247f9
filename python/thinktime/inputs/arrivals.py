"""Arrival options of `run`, which replace the workload's own values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinktime import _core

KEYS = {"rate": "arrivals.rate", "clients": "arrivals.clients", "think": "session.think"}
"""The options, and the keys of workload files whose values they replace."""


def with_arrivals(workload: _core.Workload, given: Mapping[str, Any]) -> _core.Workload:
    """The workload with the given values of `KEYS`; other names in `given` are ignored.

    Raises:
        InputError: A value is wrong, or does not go with the workload.
    """
    values = {name: given[name] for name in KEYS if given.get(name) is not None}
    names = [one.name for one in workload.populations]
    if values and len(names) > 1:
        name, key = next((name, KEYS[name]) for name in values)
        raise _core.InputError(
            f"`{name}` is for a workload of one population, and this one has {', '.join(names)}: "
            f"name the population, as population.{names[0]}.{key}, in the file or by `sweep --vary`"
        )
    for name, value in values.items():
        workload = _replaced(workload, name, str(value))
    return workload


def _replaced(workload: _core.Workload, name: str, text: str) -> _core.Workload:
    key = KEYS[name]
    try:
        return workload.with_value(key, text)
    except _core.InputError as error:
        why = str(error).removeprefix(f"{key} = {text}: ").removeprefix(f"{key}: ")
        raise _core.InputError(f"{name} = {text}: {why}") from None
