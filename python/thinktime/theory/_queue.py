"""The stations of a system as `thinktime.theory.match` sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from thinktime.theory._machine import as_station
from thinktime.theory.demand import DemandLaw, Deterministic, Hyperexponential
from thinktime.theory.demand_laws import NumericalDemand
from thinktime.theory.law import FloatArray, Law, check_fraction

if TYPE_CHECKING:
    from thinktime import Distribution, System, Workload
    from thinktime._core import Station


POLICIES = {"fcfs", "lcfs", "siro", "plcfs", "ps", "sjf", "ljf", "psjf", "srpt", "las"}
"""Policies with a known formula. All serve whenever there is work, and lose no time."""

_ATOMS_MAX = 20_000
_PROBABILITY_MIN = 1e-13  # of an atom that is looked for

BY_NAME = {"pesjf", "peljf", "priority"}
"""Policies that serve one kind of request before another."""


@dataclass(frozen=True)
class Queue:
    """One station: its demand, servers and policy."""

    demand: Distribution
    servers: int
    policy: str
    classes: tuple[tuple[float, Distribution], ...] = ()
    """The kinds of request in order of priority: (share of the requests, demand)."""
    preemptive: bool = False

    @cached_property
    def phases(self) -> Hyperexponential | None:
        """The demand, if it is a mixture of exponentials."""
        return mixture(self.demand)

    @property
    def exponential(self) -> bool:
        return self.phases is not None and len(self.phases.rates) == 1

    @property
    def product_form(self) -> bool:
        """Whether the product form holds.

        PS, preemptive LCFS at one server, or demands that are exponential and do not affect the
        order: Kelly, 'Reversibility and Stochastic Networks' (1979), sections 3.1 and 3.3.
        """
        if self.policy == "ps" or (self.policy == "plcfs" and self.servers == 1):
            return True
        return self.policy in ("fcfs", "lcfs", "siro", "plcfs") and self.exponential

    @property
    def demand_per_server(self) -> float:
        return self.demand.mean / self.servers

    @property
    def words(self) -> str:
        """As in 'H2/1 FCFS'."""
        law = "D" if self.constant else "G"
        if self.phases is not None:
            law = "M" if self.exponential else f"H{len(self.phases.rates)}"
        policy = self.policy.upper()
        if self.policy == "priority":
            policy = f"{'preemptive' if self.preemptive else 'non-preemptive'} priority"
        return f"{law}/{self.servers} {policy}"

    @property
    def constant(self) -> bool:
        return self.demand.cv2 < 1e-12

    @property
    def jumps(self) -> bool:
        """Whether the demand has several atoms."""
        if self.phases is not None or self.constant:
            return False
        panels = self.demand_law.panels
        falls = panels.sf[:, 0] - panels.sf[:, -1]
        return bool(np.any(falls[panels.jumps] > 1e-6))

    @cached_property
    def demand_law(self) -> DemandLaw:
        if self.phases is not None:
            return self.phases
        if self.constant:
            return Deterministic(self.demand.mean)
        given = _DistributionLaw(self.demand)
        return NumericalDemand(given, self.demand.second_moment, given.atoms)


def queues(workload: Workload, system: System) -> list[Queue] | None:
    """The stations, if each has a demand of finite mean and a policy that is known here.

    A demand that differs by the request's name is known at a single station only: at several, the
    demands of one request would depend on one another. None if requests have behaviours, or a
    station refuses or drops any. A machine under processor sharing is a station, any other is not.
    """
    stations = plain_stations(system)
    kinds = _shares(workload)
    found = [queue_of(station, kinds, alone=len(stations) == 1) for station in stations]
    known = [queue for queue in found if queue is not None]
    return known if len(known) == len(found) else None


def plain_stations(system: System) -> list[Station]:
    """The stations if the system consists of these only; otherwise none."""
    system = system if system.stations else as_station(system) or system
    return system.stations if system.plain else []


def _shares(workload: Workload) -> list[tuple[str, float]]:
    weights = workload.request_weights
    total = sum(weights)
    pairs = zip(workload.request_names, weights, strict=True)
    return [(name, weight / total) for name, weight in pairs]


def queue_of(station: Station, kinds: list[tuple[str, float]], alone: bool = True) -> Queue | None:
    """As one of `queues`; ``alone`` says that its demand may differ by the request's name."""
    word = station.policy.lower().split("(")[0].strip()
    by_name = word in BY_NAME
    if station.in_turns or not (by_name or station.policy.lower() in POLICIES):
        return None
    demand = station.demand
    if demand is None or by_name:
        named = [(share, station.demand_of(name)) for name, share in kinds]
        demands = [(share, law) for share, law in named if law is not None]
        if not alone or len(demands) < len(kinds):
            return None
        demand = _mixed(demands)
    if not (math.isfinite(demand.mean) and demand.mean > 0):
        return None
    if not by_name:
        return Queue(demand, station.servers, word)
    ranks = _ranks(station, word, kinds, [law.mean for _, law in demands])
    if ranks is None:
        return None
    classes = tuple(
        _class([d for d, r in zip(demands, ranks, strict=True) if r == rank])
        for rank in sorted(set(ranks))
    )
    return Queue(demand, station.servers, word, classes, station.preemptive)


def _ranks(
    station: Station, word: str, kinds: list[tuple[str, float]], means: list[float]
) -> list[float] | None:
    """The demands by kind of request, the smallest first. None if sizes are guessed with errors."""
    if word == "priority":
        return [station.class_of(name) for name, _ in kinds]
    if "error" in station.policy.lower():
        return None
    return means if word == "pesjf" else [-mean for mean in means]


def _class(demands: list[tuple[float, Distribution]]) -> tuple[float, Distribution]:
    return sum(share for share, _ in demands), _mixed(demands)


def _mixed(demands: list[tuple[float, Distribution]]) -> Distribution:
    if len(demands) == 1:
        return demands[0][1]
    total = sum(share for share, _ in demands)
    parts = ", ".join(f"{share / total!r}: {law}" for share, law in demands)
    return type(demands[0][1])(f"mix({parts})")


def in_a_row(stations: Sequence[Queue]) -> str:
    return " → ".join(station.words for station in stations)


def mixture(distribution: Distribution) -> Hyperexponential | None:
    """The distribution as a mixture of exponentials of different means, if it is one."""
    by_mean: dict[float, float] = {}
    for probability, mean in distribution.phases or ():
        if mean <= 0:
            return None
        if probability > 0:
            by_mean[mean] = by_mean.get(mean, 0.0) + probability
    if not by_mean:
        return None
    return Hyperexponential(tuple(by_mean.values()), tuple(1 / mean for mean in by_mean))


@dataclass(frozen=True, eq=False)
class _DistributionLaw(Law):
    """A distribution of the core as a law."""

    distribution: Distribution

    @property
    def mean(self) -> float:
        return self.distribution.mean

    @cached_property
    def atoms(self) -> FloatArray:
        """The values, rising, of a law that consists of atoms; at most `_ATOMS_MAX` of them."""
        if not self.distribution.discrete:
            return np.empty(0)
        law, found = self.distribution, [self.distribution.range[0]]
        while len(found) < _ATOMS_MAX:
            beyond = law.cdf(found[-1]) + _PROBABILITY_MIN
            value = law.quantile(beyond) if beyond < 1 else found[-1]
            if value <= found[-1]:
                break
            found.append(value)
        return np.asarray(found)

    def sf(self, t: ArrayLike) -> FloatArray:
        times = np.asarray(t, dtype=np.float64)
        share = [self.distribution.survival(float(x)) for x in times.flat]
        return np.asarray(share, dtype=np.float64).reshape(times.shape)

    def percentile(self, p: float) -> float:
        return self.distribution.quantile(check_fraction(p))
