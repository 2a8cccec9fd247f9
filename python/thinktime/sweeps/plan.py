"""The trial of each point of a sweep."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from thinktime import _core
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of
from thinktime.sweeps import keys
from thinktime.sweeps.grid import Point
from thinktime.trials import Trial


def _keys(kind: str) -> tuple[str, ...]:
    return tuple(json.loads(_core.schema(kind))["properties"])


_WORKLOAD = _keys("workload")
_SYSTEM = tuple(key for key in _keys("system") if key not in _WORKLOAD)
"""The first parts of keys of each file."""

_NOT_VARIED = (
    "rows", "leave_rows", "stop_on_slo", "show_errors", "insecure", "on", "on_loss",
)  # fmt: skip
"""Options that make no difference to the numbers of a point."""


_DISPATCH = re.compile(r"(system\.)?cluster\..+\.dispatch")


_CHANGE = re.compile(r"cluster\.[^.]+\.change(\..*)?")


def is_dispatch(key: str) -> bool:
    """Whether a varied key is the dispatch policy of a cluster."""
    return _DISPATCH.fullmatch(key) is not None


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


_OF_KIND: dict[str, Callable[[str], Any]] = {"Whole": _whole, "Number": float}


@dataclass(frozen=True)
class Plan:
    """The trial that each point varies."""

    trial: Trial

    @classmethod
    def of(
        cls,
        workload: GivenWorkload,
        system: GivenSystem | None,
        target: str | None,
        options: Mapping[str, Any],
    ) -> Plan:
        """The plan, checked.

        Raises InputError if a file cannot be read, an option does not suit the simulations or runs
        of the points, or there are a system and a target, or neither.
        """
        if (system is None) == (target is None):
            raise _core.InputError("a sweep needs a system file or a target, and not both")
        modelled = None if system is None else system_of(system)
        plan = cls(Trial(workload_of(workload), modelled, target, options))
        for name in options:
            if name not in plan.kinds:
                known = ", ".join(plan.kinds)
                what = "a run" if target else "a simulation"
                raise _core.InputError(f"`{name}` is no option of {what}: there are {known}")
        return plan

    @property
    def kinds(self) -> dict[str, str]:
        """The types of the options of `simulate`, or of `run` with a target."""
        return {name: kind for name, kind, _ in _core.options(self.trial.kind)}

    def at(self, point: Point) -> Trial:
        """The simulation or run of a point.

        It keeps rows only if dispatch policies are compared, which needs those of all requests, or
        of about a million. Raises InputError if a key or a value is wrong.
        """
        workload, system = self.trial.workload, self.trial.system
        options = dict(self.trial.options)
        if not any(map(is_dispatch, point)):
            options["rows"] = "none"
        for key, value in point.items():
            place, _, rest = key.partition(".")
            if place in ("workload", "system") and rest:
                key, (place, _, _) = rest, rest.partition(".")
            if place in self._varied and not rest:
                options[place] = _option(place, self.kinds[place], value)
            elif place in _WORKLOAD:
                names = [one.name for one in workload.populations]
                workload = workload.with_value(keys.whole(key, names), value)
            elif _CHANGE.fullmatch(key):
                raise _core.InputError(f"`{key}` cannot be varied: changes of servers have no "
                                       "names; sweep a system file for each")  # fmt: skip
            elif place in _SYSTEM and system is not None:
                system = system.with_value(key, value)
            else:
                raise _core.InputError(self._unknown(key))
        return replace(self.trial, workload=workload, system=system, options=options)

    @property
    def _varied(self) -> list[str]:
        # The seed is a key of the workload.
        return [name for name in self.kinds if name not in (*_NOT_VARIED, "seed")]

    def _unknown(self, key: str) -> str:
        places = [*self._varied, *_WORKLOAD, *(_SYSTEM if self.trial.system else ())]
        places = list(dict.fromkeys(places))
        return f"`{key}` cannot be varied: a key begins with one of {', '.join(places)}"


def _option(name: str, kind: str, value: str) -> Any:
    try:
        return _OF_KIND.get(kind, str)(value)
    except (ValueError, OverflowError):
        right = "a whole number, as 5" if kind == "Whole" else "a number, as 0.5"
        raise _core.InputError(f"`{value}` is no value of `{name}`: write {right}") from None
