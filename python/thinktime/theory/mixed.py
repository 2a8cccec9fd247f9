"""Mean-value analysis of several classes: closed ones, open ones, and both together.

Source: Reiser and Lavenberg, 'Mean-value analysis of closed multichain queuing networks', Journal
of the ACM 27 (1980); Bruell and Balbo, 'Computational Algorithms for Closed Queueing Networks'
(1980), for stations with several servers; Lazowska, Zahorjan, Graham and Sevcik, 'Quantitative
System Performance' (1984), chapter 7, for open and closed classes together: open classes take their
part of a station, and closed classes have the rest.

It is exact if the product form holds (Baskett, Chandy, Muntz and Palacios, JACM 22, 1975): every
station is PS, with any demand of every class, or FCFS with one exponential demand for all classes;
open classes arrive as Poisson processes. Think times may have any law. A class has one think time
and one mean demand a station: a request may change its kind from visit to visit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime.theory._checks import count, load_below_one, non_negative, positive
from thinktime.theory._lattice import Lattice, Server
from thinktime.theory.law import FloatArray

_SIZE_MAX = 100_000_000  # about a gigabyte


@dataclass(frozen=True)
class OpenClass:
    """Requests that arrive at ``rate`` > 0 a second and bring E[S] = ``demands[k]`` to station k.

    Demands are in seconds of one server, 0 or above.

    Raises ValueError if a number lies outside its range.
    """

    rate: float
    demands: tuple[float, ...]

    def __post_init__(self) -> None:
        positive("the rate", self.rate)
        _check(self.demands)


@dataclass(frozen=True)
class ClosedClass:
    """``clients`` >= 1 that think for ``think_time`` >= 0 on average before each request.

    A request brings ``demands[k]`` to station k, in seconds of one server, 0 or above.

    Raises ValueError if a number lies outside its range, or all times are 0.
    """

    clients: int
    demands: tuple[float, ...]
    think_time: float = 0.0

    def __post_init__(self) -> None:
        count("clients", self.clients)
        _check(self.demands)
        positive("the think time and all demands together", self.think_time + sum(self.demands))
        non_negative("think_time", self.think_time)


@dataclass(frozen=True, eq=False)
class MixedNetwork:
    """Steady state of a network; rows are for the classes, in the order given: open, closed."""

    throughput: FloatArray
    """Requests per second; shape (classes,)."""

    response_times: FloatArray
    """Mean time of one request at each station, all its visits; shape (classes, stations)."""

    loads: FloatArray
    """Fraction of time that each server of the station is busy; shape (stations,)."""

    @property
    def response_time(self) -> FloatArray:
        """Mean response time of a request, think time excluded; shape (classes,)."""
        return np.asarray(self.response_times.sum(axis=1), dtype=np.float64)

    @property
    def queue_lengths(self) -> FloatArray:
        """Mean number at each station, waiting or served; shape (classes, stations)."""
        return self.throughput[:, np.newaxis] * self.response_times


def mixed_mva(
    open_classes: Sequence[OpenClass],
    closed_classes: Sequence[ClosedClass],
    servers: Sequence[int] = (1,),
) -> MixedNetwork:
    """Solve a network whose station k has ``servers[k]`` servers.

    The time taken grows as `lattice_size`.

    Raises ValueError if there is no class or no station, if a class does not have a demand for each
    station, if open classes bring a load of 1 or more, if the clients are too many, or if closed
    classes meet open ones at a station of more than 256 servers.
    """
    everyone: list[OpenClass | ClosedClass] = [*open_classes, *closed_classes]
    if not everyone or not servers:
        raise ValueError("give at least one class and one station")
    if any(len(one.demands) != len(servers) for one in everyone):
        raise ValueError(f"each class needs {len(servers)} demands, one for each station")
    at = np.array([count("servers", one) for one in servers])
    offered = np.zeros(len(servers))
    for one in open_classes:
        offered += one.rate * np.asarray(one.demands)
    if open_classes and offered.any():
        load_below_one(float((offered / at).max()))
    numbers = [one.clients for one in closed_classes]
    if lattice_size(numbers, servers) > _SIZE_MAX:
        raise ValueError(
            f"{' x '.join(map(str, numbers))} clients at {len(at)} stations are too many"
        )
    stations = [Server.of(int(c), float(a), sum(numbers)) for c, a in zip(at, offered, strict=True)]
    demands = np.array([one.demands for one in closed_classes]).reshape(len(numbers), len(at))
    lattice = Lattice(numbers, [one.think_time for one in closed_classes], demands, stations)
    lattice.solve()
    seen = lattice.time_per_demand()
    open_times = [np.asarray(one.demands) * seen for one in open_classes]
    times = np.vstack([*open_times, *lattice.response_times])
    throughput = np.array([*(one.rate for one in open_classes), *lattice.throughput])
    brought = throughput @ np.array([one.demands for one in everyone])
    return MixedNetwork(throughput, times, brought / at)


def lattice_size(clients: Sequence[int], servers: Sequence[int]) -> int:
    """The count of numbers that `mixed_mva` computes for closed classes of this many clients.

    They are a row for every number of clients from 0 up, class by class, and for every station: Π
    (N_c + 1) x Σ servers, once more for each combination of stations with several servers.
    """
    several = [min(one, sum(clients)) for one in servers]
    rows = math.prod(one + 1 for one in clients)
    return int(rows * sum(several) * 2 ** sum(one > 1 for one in several))


def _check(demands: Sequence[float]) -> None:
    for demand in demands:
        non_negative("each demand", demand)
