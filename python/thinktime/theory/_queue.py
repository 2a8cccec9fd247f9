"""The stations of a system as `thinktime.theory.match` sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from thinktime.theory.demand import Hyperexponential
from thinktime.theory.law import FloatArray, Law, check_fraction

if TYPE_CHECKING:
    from thinktime import Distribution, System


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
        return self.policy == "ps" or (self.policy == "fcfs" and self.exponential)

    @property
    def demand_per_server(self) -> float:
        return self.demand.mean / self.servers

    @property
    def words(self) -> str:
        """As in 'H2/1 FCFS'."""
        law = "D" if self.demand.cv2 < 1e-12 else "G"
        if self.phases is not None:
            law = "M" if self.exponential else f"H{len(self.phases.rates)}"
        return f"{law}/{self.servers} {self.policy.upper()}"

    @property
    def demand_law(self) -> Law:
        return self.phases or _Given(self.demand)


def queues(system: System) -> list[Queue] | None:
    """The stations, if all have one demand for all requests, with a mean to count on."""
    stations = []
    for station in system.stations:
        demand = station.demand
        if demand is None or not (math.isfinite(demand.mean) and demand.mean > 0):
            return None
        stations.append(Queue(demand, station.servers, station.policy.lower()))
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
