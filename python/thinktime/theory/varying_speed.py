"""A station whose speed varies: with the requests there, by failures, by setups.

Symbols: λ the arrival rate, S the service demand, s_n the total speed with n requests present, in
units of one server of speed 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinktime.theory._checks import count, load_below_one, non_negative, positive
from thinktime.theory.demand import Demand, Moments


@dataclass(frozen=True)
class StationAtSpeeds:
    """The steady state of a station with a total speed by the number present."""

    mean_response: float
    """E[T]."""

    throughput: float
    """Requests per unit of time."""

    busy_servers: float
    """The mean number of servers with a request."""


@dataclass(frozen=True)
class Delay:
    """The time from a request that finds the station empty to the begin of service, in moments.

    It is 0 if the station is ready; the moments are over all such requests.
    """

    mean: float
    """E[D] >= 0."""

    second_moment: float
    """E[D²] >= E[D]²."""


def open_at_speeds(
    arrival_rate: float, mean_demand: float, speeds: Sequence[float], servers: int = 1
) -> StationAtSpeeds:
    """The steady state under Poisson arrivals of this rate.

    ``speeds`` holds s_1, s_2, ...; the last one is that with more requests present. P(n) is
    proportional to the product of λ E[S] / s_k for k <= n. That is a birth and death process if
    demands are exponential and do not affect the order; PS and preemptive LCFS have the same for
    any demand (Kelly, 'Reversibility and Stochastic Networks', 1979, section 3.3).

    Raises ValueError if a speed is not above 0, or λ E[S] is not below the last one.
    """
    work = positive("the rate", arrival_rate) * positive("the mean demand", mean_demand)
    speeds = _speeds(speeds)
    ratio = load_below_one(work / speeds[-1])
    servers = count("servers", servers)
    weights = _weights([work] * max(len(speeds), servers), speeds)
    # From the last number on each weight is the one before times the ratio.
    last, head = len(weights) - 1, weights[:-1]
    tail = weights[-1] / (1 - ratio)
    number = sum(n * w for n, w in enumerate(head)) + tail * (last + ratio / (1 - ratio))
    busy = sum(min(n, servers) * w for n, w in enumerate(head)) + servers * tail
    total = sum(head) + tail
    return StationAtSpeeds(number / total / arrival_rate, arrival_rate, busy / total)


def closed_at_speeds(
    clients: int,
    mean_demand: float,
    speeds: Sequence[float],
    think_time: float,
    servers: int = 1,
) -> StationAtSpeeds:
    """The same for ``clients`` that think for ``think_time`` >= 0 on average between requests.

    Thinking is a station of infinitely many servers: with n requests present new ones come at the
    rate (clients - n) / think time.

    Raises ValueError as `open_at_speeds`.
    """
    clients, speeds = count("clients", clients), _speeds(speeds)
    servers = count("servers", servers)
    positive("the mean demand", mean_demand)
    if non_negative("the think time", think_time) == 0:
        throughput = _speed(speeds, clients) / mean_demand
        return StationAtSpeeds(clients / throughput, throughput, min(clients, servers))
    work = [(clients - n) * mean_demand / think_time for n in range(clients)]
    weights = _weights(work, speeds)
    total = sum(weights)
    number = sum(n * w for n, w in enumerate(weights)) / total
    busy = sum(min(n, servers) * w for n, w in enumerate(weights)) / total
    throughput = (clients - number) / think_time
    return StationAtSpeeds(number / throughput, throughput, busy)


def delayed_mean_response(arrival_rate: float, demand: Demand, delay: Delay) -> float:
    """E[T] of M/G/1 in which the first request of each busy period is delayed.

    E[T] = E[S] + λ E[S²] / (2 (1 - ρ)) + (2 E[D] + λ E[D²]) / (2 (1 + λ E[D])): Welch, 'On a
    generalized M/G/1 queuing process in which the first customer of each busy period receives
    exceptional service', Operations Research 12, 1964. It holds for every order of service that
    neither interrupts a request nor uses its demand.

    Raises ValueError if λ E[S] is not above 0 and below 1.
    """
    load = load_below_one(positive("the rate", arrival_rate) * demand.mean)
    waits = arrival_rate * demand.second_moment / (2 * (1 - load))
    first = 2 * delay.mean + arrival_rate * delay.second_moment
    return demand.mean + waits + first / (2 * (1 + arrival_rate * delay.mean))


def delayed_busy_share(arrival_rate: float, mean_demand: float, delay: Delay) -> float:
    """The fraction of time with a request present in the station of `delayed_mean_response`.

    1 - (1 - ρ) / (1 + λ E[D]).
    """
    load = load_below_one(positive("the rate", arrival_rate) * mean_demand)
    return 1 - (1 - load) / (1 + arrival_rate * delay.mean)


def interrupted_demand(demand: Demand, failure_rate: float, repair: Demand) -> Moments:
    """The time from the begin of a service to its end at a station that fails in it.

    Failures come as a Poisson process of the time at work, and service resumes after the repair R:
    E[C] = E[S] (1 + φ E[R]), E[C²] = E[S²] (1 + φ E[R])² + φ E[S] E[R²] for the failure rate φ
    (Avi-Itzhak and Naor, 'Some queuing problems with the service station subject to breakdown',
    Operations Research 11, 1963).
    """
    longer = 1 + positive("the failure rate", failure_rate) * repair.mean
    second = demand.second_moment * longer**2 + failure_rate * demand.mean * repair.second_moment
    return Moments(demand.mean * longer, second)


def repair_delay(
    arrival_rate: float, failure_rate: float, repair: Demand, repair_transform: float
) -> Delay:
    """The delay of the first request of a busy period at a station that fails while it is empty.

    It is up when it becomes empty, and Poisson arrivals find the rest of a repair. Before the next
    request comes q / (1 - q E[e^{-λR}]) repairs begin on average, where q = φ / (φ + λ); each of
    them is met with the moments E[(R - A)⁺] = E[R] - (1 - E[e^{-λR}]) / λ and E[R²] - 2 E[(R - A)⁺]
    / λ of its rest, for an exponential time A of rate λ. ``repair_transform`` is E[e^{-λR}].
    """
    rate = positive("the rate", arrival_rate)
    fails = failure_rate / (failure_rate + rate)
    begun = fails / (1 - fails * repair_transform)
    met = 1 - repair_transform
    mean = repair.mean - met / rate
    second = repair.second_moment - 2 * mean / rate
    return Delay(begun * mean, begun * second)


def _speeds(speeds: Sequence[float]) -> list[float]:
    if not speeds:
        raise ValueError("give at least one speed")
    return [positive("a speed", one) for one in speeds]


def _speed(speeds: Sequence[float], number: int) -> float:
    return speeds[min(number, len(speeds)) - 1]


def _weights(work: Sequence[float], speeds: Sequence[float]) -> list[float]:
    """P(n) for n = 0, 1, ... up to a factor, so that the largest is 1."""
    weights = [1.0]
    for number, one in enumerate(work, 1):
        weights.append(weights[-1] * one / _speed(speeds, number))
        if weights[-1] > 1e200:
            weights = [weight * 1e-200 for weight in weights]
    most = max(weights)
    return [weight / most for weight in weights]
