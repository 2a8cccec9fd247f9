"""One point of a sweep: its workload and system, and the doing of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thinktime import _core
from thinktime.operations import run, simulate
from thinktime.result import Result
from thinktime.sweep.grid import Point

_WORKLOAD = ("name", "seed", "arrivals", "session", "clients", "request", "slo")
_SYSTEM = ("station", "machine", "service", "pool", "behaviour")
_OPTIONS: dict[str, Callable[[str], Any]] = {
    "load": float,
    "requests": lambda text: int(float(text)),
    "duration": str,
    "warmup": str,
    "replications": lambda text: int(float(text)),
    "precision": str,
}


@dataclass(frozen=True)
class Plan:
    """What is the same at all points."""

    workload: _core.Workload
    system: _core.System | None
    target: str | None = None
    """The url of a real system, instead of a modelled one."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `simulate` or `run`."""

    def at(self, point: Point) -> Task:
        """What is to be done at a point.

        Raises InputError where a key or a value is wrong.
        """
        workload, system, options = self.workload, self.system, dict(self.options)
        for key, value in point.items():
            place, _, rest = key.partition(".")
            if place in ("workload", "system") and rest:
                key, (place, _, _) = rest, rest.partition(".")
            if place in _OPTIONS and not rest:
                options[place] = _option(place, value)
            elif place in _WORKLOAD:
                workload = workload.with_value(key, value)
            elif place in _SYSTEM and system is not None:
                system = system.with_value(key, value)
            else:
                raise _core.InputError(self._unknown(key))
        return Task(workload, system, self.target, options)

    def _unknown(self, key: str) -> str:
        places = [*_OPTIONS, *_WORKLOAD, *(_SYSTEM if self.system is not None else ())]
        return f"`{key}` is no key that can be varied: it begins with one of {', '.join(places)}"


def _option(name: str, value: str) -> Any:
    try:
        return _OPTIONS[name](value)
    except ValueError:
        raise _core.InputError(f"`{value}` is no value of `{name}`") from None


@dataclass(frozen=True)
class Task:
    """One simulation or run."""

    workload: _core.Workload
    system: _core.System | None
    target: str | None
    options: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """Names all that the result depends on."""
        system = None if self.system is None else self.system.to_toml()
        given = [self.workload.to_toml(), system, self.target, dict(self.options)]
        text = json.dumps([_core.__version__, *given], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def do(self, progress: Callable[[int, float, int], None]) -> Result:
        """Do it. What `progress` raises ends it."""
        if self.target is not None:
            return run(self.workload, self.target, progress=progress, rows="none", **self.options)
        assert self.system is not None
        return simulate(self.workload, self.system, progress=progress, rows="none", **self.options)
