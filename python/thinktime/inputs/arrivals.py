"""Options that change a workload's arrivals, the same for every command that takes a workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thinktime import _core
from thinktime.inputs.arguments import check_number

KEYS = {"rate": "arrivals.rate", "clients": "arrivals.clients", "think": "session.think"}
"""The options, and the keys of workload files whose values they replace."""

OPTIONS = ("scale", *KEYS)
"""The options whose effect a result's workload has."""

ByPopulation = Mapping[str, Any] | Sequence[str]
"""Values by the names of populations, as a dict or as texts `NAME=VALUE`."""


def with_arrivals(workload: _core.Workload, given: Mapping[str, Any]) -> _core.Workload:
    """The workload, scaled by `scale`, then with the given values of `KEYS`.

    Other names in `given` are ignored.

    Raises:
        InputError: A value is wrong, or does not go with the workload.
    """
    if given.get("scale") is not None:
        scale = float(given["scale"])
        check_number("scale", scale)
        workload = workload.scaled(scale)
    for name in KEYS:
        replaced = set()
        for text in _texts(given.get(name)):
            population, value = _named(workload, name, text)
            if population in replaced:
                of = f" of `{population}`" if population else ""
                raise _core.InputError(f"{name} = {text}: there is another value{of}: give one")
            replaced.add(population)
            workload = _replaced(workload, name, population, value)
    return workload


def noted(given: Any) -> Any:
    """The values of an option as a result notes them: one alone, several as a list of texts."""
    if isinstance(given, Mapping | list | tuple):
        several = _texts(given)
        return several[0] if len(several) == 1 else several
    return given


def _texts(given: Any) -> list[str]:
    """The values of an option, each `VALUE` or `NAME=VALUE`; none for None."""
    if isinstance(given, Mapping):
        return [f"{name}={value}" for name, value in given.items()]
    if isinstance(given, list | tuple):
        return [str(one) for one in given]
    return [] if given is None else [str(given)]


def _named(workload: _core.Workload, name: str, text: str) -> tuple[str, str]:
    """The population that a text of an option names, and its value."""
    names = [one.name for one in workload.populations]
    for one in filter(None, names):
        if text.startswith(f"{one}="):
            return one, text.removeprefix(f"{one}=")
    before, equals, value = text.partition("=")
    if equals and "(" not in before:  # a law has its own, as in h2(7s, cv2=4)
        known = f"there are {', '.join(names)}" if names[0] else f"give the value alone, {value}"
        raise _core.InputError(f"{name} = {text}: no population is named `{before}`: {known}")
    if len(names) > 1:
        raise _core.InputError(
            f"{name} = {text}: the workload has the populations {', '.join(names)}: name one, as "
            f"in {names[0]}={text}, or multiply the rates and clients of all by `scale`"
        )
    return names[0], text


def _replaced(workload: _core.Workload, name: str, population: str, value: str) -> _core.Workload:
    key = f"population.{population}.{KEYS[name]}" if population else KEYS[name]
    try:
        return workload.with_value(key, value)
    except _core.InputError as error:
        why = str(error).removeprefix(f"{key} = {value}: ").removeprefix(f"{key}: ")
        of = f"{population}=" if population else ""
        raise _core.InputError(f"{name} = {of}{value}: {why}") from None
