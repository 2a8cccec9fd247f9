"""Operational laws and bounds: they hold for any law of demand and any arrivals.

Source: Denning and Buzen, 'The operational analysis of queueing network models' (1978);
Lazowska, Zahorjan, Graham and Sevcik, 'Quantitative System Performance' (1984), chapters 3
and 5; Harchol-Balter, 'Performance Modeling and Design of Computer Systems' (2013),
chapters 6 and 7.

Symbols: X throughput, D_k the demand that one request brings to station k in all its visits,
D = Σ D_k, Z mean think time, N clients. Every station here has one server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinktime.theory._checks import count, load_below_one, non_negative, positive


def little(throughput: float, time_in_system: float) -> float:
    """Little's law, L = X E[T]: the mean number inside a boundary, of any kind of system.

    Raises ValueError if an argument is negative.
    """
    return non_negative("throughput", throughput) * non_negative("time", time_in_system)


def load_at(rate: float, mean_demand: float, servers: int = 1) -> float:
    """The utilisation law, load = rate E[S] / servers; above 1 the rate cannot be served.

    Raises ValueError if rate < 0, mean_demand <= 0 or servers < 1.
    """
    demand = positive("mean_demand", mean_demand)
    return non_negative("rate", rate) * demand / count("servers", servers)


def rate_for_load(load: float, mean_demand: float, servers: int = 1) -> float:
    """The rate of requests that gives 0 < load < 1: the utilisation law turned round.

    Raises ValueError if the load lies outside, mean_demand <= 0 or servers < 1.
    """
    demand = positive("mean_demand", mean_demand)
    return load_below_one(load) * count("servers", servers) / demand


def interactive_response_time(clients: int, throughput: float, think_time: float) -> float:
    """The interactive response time law of a closed system, E[T] = N / X - E[Z].

    Raises ValueError if clients < 1, throughput <= 0 or think_time < 0, or if the three contradict
    each other: the throughput exceeds N / E[Z].
    """
    cycle = count("clients", clients) / positive("throughput", throughput)
    if cycle < non_negative("think_time", think_time):
        who = "1 client that thinks" if clients == 1 else f"{clients} clients that think"
        raise ValueError(
            f"{who} for {think_time} cannot reach a throughput of "
            f"{throughput}; at most {clients / think_time}"
        )
    return cycle - think_time


@dataclass(frozen=True)
class Bounds:
    """Bounds on the throughput and the mean response time of a closed system."""

    throughput_min: float
    throughput_max: float
    response_time_min: float
    response_time_max: float


def asymptotic_bounds(clients: int, demands: Sequence[float], think_time: float = 0.0) -> Bounds:
    """Bounds that hold for every closed system: N / (N D + Z) <= X <= min(1 / D_max, N / (D + Z)).

    ``demands`` holds D_k > 0 for each station. The response times follow by the interactive
    response time law.

    Raises ValueError if an argument lies outside its range.
    """
    total, largest = _total_and_largest(demands)
    n, z = count("clients", clients), non_negative("think_time", think_time)
    return _bounds(n, z, n / (n * total + z), min(1 / largest, n / (total + z)))


def balanced_job_bounds(clients: int, demands: Sequence[float], think_time: float = 0.0) -> Bounds:
    """Bounds for networks with a product form, tighter than the asymptotic ones.

    They compare the network with networks whose stations all have the same demand: X >= N / (D + Z
    + (N - 1) D_max / (1 + Z / (N D))) and X <= min(1 / D_max, N / (D + Z + (N - 1) (D / K) / (1 + Z
    / D))), for K stations.

    Raises ValueError if an argument lies outside its range.
    """
    total, largest = _total_and_largest(demands)
    n, z = count("clients", clients), non_negative("think_time", think_time)
    mean = total / len(demands)
    slowest = n / (total + z + (n - 1) * largest / (1 + z / (n * total)))
    fastest = n / (total + z + (n - 1) * mean / (1 + z / total))
    return _bounds(n, z, slowest, min(1 / largest, fastest))


def knee(demands: Sequence[float], think_time: float = 0.0) -> float:
    """N* = (D + Z) / D_max: with more clients than this, some must queue.

    Raises ValueError if an argument lies outside its range.
    """
    total, largest = _total_and_largest(demands)
    return (total + non_negative("think_time", think_time)) / largest


def _total_and_largest(demands: Sequence[float]) -> tuple[float, float]:
    if len(demands) == 0:
        raise ValueError("give the demand of at least one station")
    checked = [positive("each demand", demand) for demand in demands]
    return sum(checked), max(checked)


def _bounds(clients: int, think_time: float, slowest: float, fastest: float) -> Bounds:
    return Bounds(
        throughput_min=slowest,
        throughput_max=fastest,
        response_time_min=clients / fastest - think_time,
        response_time_max=clients / slowest - think_time,
    )
