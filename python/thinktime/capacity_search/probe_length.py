"""The length of the probes of a real server: chosen before the first one, and said."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from thinktime import _core
from thinktime.operations import Time, seconds
from thinktime.present import units
from thinktime.present.percentile import NEEDED

SHORTEST_S = 10.0
_TIMES = ("mean", "p50", "p90", "p95", "p99", "p99.9")
_WARM_UP = 0.1
"""The share of a probe that is its warm-up by default."""

_SPARE = 4
"""Successive requests of a busy server are alike, and a probe at a quarter of the workload's rate
still needs as many."""


@dataclass(frozen=True)
class Length:
    """The length of each probe, and what it is for."""

    duration_s: float
    needed: int
    """The requests that bound the objectives; 0 if any number does."""

    expected: float
    """The requests after the warm-up at the workload's own rate, as far as it is known."""

    name: str
    """The objective that needs most requests."""

    @classmethod
    def of(cls, workload: _core.Workload, duration: Time | None = None) -> Length:
        """The given length, or else one that suffices for the objectives of the workload.

        Raises:
            InputError: The workload has no objectives, or the duration is wrong.
        """
        limits_s = time_limits(workload)
        needs = {name: NEEDED[name] for name in limits_s if name in NEEDED}
        name = max(needs, key=lambda one: needs[one], default="")
        needed, rate = (
            _SPARE * needs.get(name, 0),
            _rate(workload, max(limits_s.values(), default=0.0)),
        )
        length_s = SHORTEST_S if duration is None else seconds(duration)
        if duration is None and needed and rate:
            length_s = max(SHORTEST_S, math.ceil(needed / rate / (1 - _WARM_UP)))
        return cls(length_s, needed, rate * length_s * (1 - _WARM_UP), name)

    @property
    def warmup_s(self) -> float:
        """The warm-up of a probe by default."""
        return _WARM_UP * self.duration_s

    @property
    def drain_s(self) -> float:
        """The longest wait after a probe: at twice its capacity a server is busy for long."""
        return max(self.duration_s, SHORTEST_S)

    def words(self, probes_max: int) -> str:
        """How long the search will take at most, and whether a probe is long enough."""
        most_s = probes_max * (self.duration_s + self.drain_s)
        told = (
            f"at most {probes_max} probes of {units.seconds(self.duration_s)}, each with a wait of "
            f"up to {units.seconds(self.drain_s)} for the last responses: "
            f"{units.seconds(most_s)} at most"
        )
        if not self.needed or not self.expected:
            return told
        told += (
            f"; at the workload's own rate a probe has about {units.count(round(self.expected))} "
            f"requests, and {self.name} needs {units.count(NEEDED[self.name])}, several times as "
            "many if the server is busy"
        )
        if self.expected >= self.needed * 0.99:
            return told
        enough_s = math.ceil(self.duration_s * self.needed / self.expected)
        return f"{told}: --duration {enough_s}s would be {_SPARE} times as many"


def slo_of(workload: _core.Workload, *, needed: bool = True) -> dict[str, str]:
    """The limits of all requests in the workload's table `[slo]`, by name.

    A real server seems to keep up with more than it can for a while, and clients who wait for
    answers never overload a server: both need objectives.

    Raises:
        InputError: The workload has no objectives, and they are `needed` or all its clients wait.
    """
    table = workload.tables["slo"] or {}
    stay = all(one.model == "closed" for one in workload.populations)
    if not table and (needed or stay):
        why = (
            "clients that wait for their responses overload no server"
            if stay
            else "a short probe of a real server seems to keep up with more than it can"
        )
        right = 'give it a table [slo], as in p99 = "250ms"'
        text = f"the workload `{workload.name}` has no objectives: {right}; without it {why}"
        raise _core.InputError(text)
    whole = {n: one if isinstance(one, Mapping) else {"limit": one} for n, one in table.items()}
    return {name: str(one["limit"]) for name, one in whole.items() if "limit" in one}


def time_limits(workload: _core.Workload) -> dict[str, float]:
    """The largest response times in seconds, `mean` or a percentile, of all requests.

    Raises:
        InputError: The workload has no objectives.
    """
    times = {name: text for name, text in slo_of(workload).items() if name in _TIMES}
    return {name: seconds(text) for name, text in times.items()}


def _rate(workload: _core.Workload, longest_s: float) -> float:
    """Requests a second at the workload's own rate, at least; 0 if unknown.

    Clients of a closed population are taken to wait as long as the largest objective allows.
    """
    found = 0.0
    for one in workload.populations:
        if one.request_rate is not None:
            found += one.request_rate
        elif one.clients is not None:
            cycle_s = longest_s + (0.0 if one.think is None else one.think.mean)
            found += one.clients / cycle_s if cycle_s > 0 else 0.0
    return found
