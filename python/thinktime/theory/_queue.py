"""The stations of a system as `thinktime.theory.match` sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from thinktime.theory.demand import DemandLaw, Deterministic, Hyperexponential
from thinktime.theory.demand_laws import NumericalDemand
from thinktime.theory.law import FloatArray, Law, check_fraction

if TYPE_CHECKING:
    from thinktime import Distribution, System


POLICIES = {"fcfs", "lcfs", "plcfs", "ps", "sjf", "ljf", "psjf", "srpt", "las"}
"""Those of which anything is known. All serve whenever there is work, and lose no time."""


@dataclass(frozen=True)
class Queue:
    """One station: its demand, servers and policy."""

    demand: Distribution
    servers: int
    policy: str

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

        PS, preemptive LCFS at one server, or demands that are exponential and not looked at:
        Kelly, 'Reversibility and Stochastic Networks' (1979), sections 3.1 and 3.3.
        """
        if self.policy == "ps" or (self.policy == "plcfs" and self.servers == 1):
            return True
        return self.policy in ("fcfs", "lcfs", "plcfs") and self.exponential

    @property
    def demand_per_server(self) -> float:
        return self.demand.mean / self.servers

    @property
    def words(self) -> str:
        """As in 'H2/1 FCFS'."""
        law = "D" if self.constant else "G"
        if self.phases is not None:
            law = "M" if self.exponential else f"H{len(self.phases.rates)}"
        return f"{law}/{self.servers} {self.policy.upper()}"

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
        return bool(np.any(falls[panels.narrow] > 1e-6))

    @cached_property
    def demand_law(self) -> DemandLaw:
        if self.phases is not None:
            return self.phases
        if self.constant:
            return Deterministic(self.demand.mean)
        return NumericalDemand(_Given(self.demand), self.demand.second_moment)


def queues(system: System) -> list[Queue] | None:
    """The stations, if each has one demand of finite mean and a policy that is known here.

    None where requests have behaviours, or a station refuses or drops any.
    """
    if not system.plain:
        return None
    stations = []
    for station in system.stations:
        demand = station.demand
        if demand is None or not (math.isfinite(demand.mean) and demand.mean > 0):
            return None
        policy = station.policy.lower()
        if policy not in POLICIES:
            return None
        stations.append(Queue(demand, station.servers, policy))
    return stations


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


@dataclass(frozen=True)
class _Given(Law):
    """A distribution of the core as a law."""

    distribution: Distribution

    @property
    def mean(self) -> float:
        return self.distribution.mean

    def sf(self, t: ArrayLike) -> FloatArray:
        times = np.asarray(t, dtype=np.float64)
        share = [1.0 - self.distribution.cdf(float(x)) for x in times.flat]
        return np.asarray(share, dtype=np.float64).reshape(times.shape)

    def percentile(self, p: float) -> float:
        return self.distribution.quantile(check_fraction(p))
