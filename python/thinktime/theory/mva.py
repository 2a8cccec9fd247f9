"""Mean-value analysis of closed networks with a product form.

Source: Reiser and Lavenberg, 'Mean-value analysis of closed multichain queuing networks',
Journal of the ACM 27 (1980); for stations with several servers Reiser, 'Mean-value analysis
and convolution method for queue-dependent servers in closed queueing networks', Performance
Evaluation 1 (1981), whose form for P(station empty) keeps its digits at a high load.

It is exact if every station is FCFS with an exponential demand, or PS with any demand (one server).
The think time may have any law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thinktime.theory._checks import count, non_negative, positive
from thinktime.theory.law import FloatArray


@dataclass(frozen=True)
class Station:
    """A station as a closed network sees it.

    ``mean_demand`` > 0: the demand that one request brings in all its visits together, in
    seconds of one server. ``servers`` >= 1.

    Raises ValueError if one lies outside its range.
    """

    mean_demand: float
    servers: int = 1

    def __post_init__(self) -> None:
        positive("mean_demand", self.mean_demand)
        count("servers", self.servers)


@dataclass(frozen=True, eq=False)
class ClosedNetwork:
    """Steady state of a closed network for every number of clients up to N, with K stations.

    Row n - 1 of each array is for n clients; the last row, [-1], is for N.
    """

    throughput: FloatArray
    """Requests per second; shape (N,)."""

    response_times: FloatArray
    """Mean time of one request at each station, all its visits; shape (N, K)."""

    queue_lengths: FloatArray
    """Mean number at each station, waiting or served; shape (N, K)."""

    loads: FloatArray
    """Fraction of time that each server of the station is busy; shape (N, K)."""

    @property
    def response_time(self) -> FloatArray:
        """Mean response time of a request, think time excluded; shape (N,)."""
        return np.asarray(self.response_times.sum(axis=1), dtype=np.float64)


def mva(clients: int, stations: Sequence[Station], think_time: float = 0.0) -> ClosedNetwork:
    """Solve a closed network for 1 to ``clients`` clients with mean ``think_time`` >= 0.

    The time taken grows as clients x stations; each station with several servers multiplies
    it by their number and once more by the number of such stations, for its network without
    that station is solved too.

    Raises ValueError if clients < 1, think_time < 0 or there is no station.
    """
    count("clients", clients)
    non_negative("think_time", think_time)
    if not stations:
        raise ValueError("give at least one station")
    rows = list(_populations(clients, tuple(stations), think_time))
    throughput = np.array([x for x, _ in rows])
    response_times = np.array([times for _, times in rows])
    demand_per_server = np.array([s.mean_demand / s.servers for s in stations])
    return ClosedNetwork(
        throughput=throughput,
        response_times=response_times,
        queue_lengths=throughput[:, np.newaxis] * response_times,
        loads=np.outer(throughput, demand_per_server),
    )


def _populations(
    clients: int, stations: tuple[Station, ...], think_time: float
) -> Iterator[tuple[float, list[float]]]:
    """Throughput and the response time at each station, for 1, 2, ... ``clients`` clients."""
    solvers = [_Solver(clients, stations, k, think_time) for k in range(len(stations))]
    for n in range(1, clients + 1):
        times = [solver.response_time() for solver in solvers]
        cycle = think_time + sum(times)
        throughput = n / cycle if cycle > 0 else np.inf
        for solver, time in zip(solvers, times, strict=True):
            solver.add_client(n, throughput, time)
        yield throughput, times


class _Solver:
    """One station's part of the recursion, at the population reached so far."""

    def __init__(
        self, clients: int, stations: tuple[Station, ...], index: int, think_time: float
    ) -> None:
        station = stations[index]
        self._servers = min(station.servers, clients)
        self._demand = station.mean_demand
        self._queue_length = 0.0
        self._empty_to_full = np.zeros(self._servers - 1)  # P(j here), j = 0 .. servers - 2
        self._without: list[float] = []  # throughput of the network without this station
        if self._servers > 1:
            self._empty_to_full[0] = 1.0
            others = stations[:index] + stations[index + 1 :]
            self._without = [x for x, _ in _populations(clients, others, think_time)]

    def response_time(self) -> float:
        """The time of one more client, which sees this population by the arrival theorem."""
        idle = np.arange(self._servers - 1, 0, -1) @ self._empty_to_full
        return float(self._demand * (1 + self._queue_length + idle) / self._servers)

    def add_client(self, n: int, throughput: float, response_time: float) -> None:
        self._queue_length = throughput * response_time
        if self._servers == 1:
            return
        p = self._empty_to_full
        j = np.arange(1, len(p))
        p[1:] = throughput * self._demand / j * p[:-1]
        p[0] *= throughput / self._without[n - 1]
