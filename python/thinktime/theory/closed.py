"""One station in a closed system: N clients that think, send a request and await its response.

Source: Kleinrock, 'Queueing Systems', volume 1 (1975), section 3.8 (M/M/1//N); Stewart,
'Probability, Markov Chains, Queues, and Simulation' (2009), chapters 9 and 10, for Markov
chains with phases; Schroeder, Wierman and Harchol-Balter, 'Open versus closed: a cautionary
tale' (NSDI 2006), for comparing systems at the same load.

Think times are exponential with mean Z; under PS, and for an exponential demand, the means
hold for every law of think time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thinktime.numerics import brentq, gammaln
from thinktime.theory._checks import count, load_below_one, non_negative, positive
from thinktime.theory.demand import Demand, Hyperexponential
from thinktime.theory.fcfs_response import FcfsResponse
from thinktime.theory.law import FloatArray
from thinktime.theory.mva import Station, mva


@dataclass(frozen=True, eq=False)
class ClosedStation:
    """Steady state of one closed FCFS station."""

    throughput: float
    """Requests per second."""

    load: float
    """Fraction of time that the server is busy."""

    queue_length: float
    """Mean number at the station, waiting or served."""

    response_time: FcfsResponse
    """The exact law of the response time: mean, sf, percentile."""


def mm1n(clients: int, mean_demand: float, think_time: float) -> FloatArray:
    """State of M/M/1//N: the probability of n clients at the station, shape (clients + 1,).

    π_n / π_0 = N! / (N - n)! (E[S] / E[Z])^n, for think_time > 0. The load is 1 - π_0. It
    holds for FCFS with an exponential demand and for PS with any demand.

    Raises ValueError if an argument lies outside its range.
    """
    count("clients", clients)
    ratio = positive("mean_demand", mean_demand) / positive("think_time", think_time)
    n = np.arange(clients + 1)
    log_weights = n * np.log(ratio) - gammaln(clients - n + 1)
    return _normalised(log_weights)


def saturated_mean_response(clients: int, mean_demand: float) -> float:
    """E[T] = N E[S] of one server without think times, whatever the law of the demand.

    All N clients are always at the server, which thus completes X = 1 / E[S] requests a second, so
    that Little's law gives E[T] = N / X. It holds for every policy that never idles while there is
    work and finishes every request: FCFS and PS, but not LCFS, under which some are never served.
    It is the argument for principle (v) of Schroeder, Wierman and Harchol-Balter (2006): without
    think times scheduling does not change the mean.

    Raises ValueError if clients < 1 or mean_demand <= 0.
    """
    return count("clients", clients) * positive("mean_demand", mean_demand)


def closed_fcfs(clients: int, demand: Hyperexponential, think_time: float) -> ClosedStation:
    """One FCFS server with a hyperexponential demand and exponential think times.

    Solves the Markov chain on (number at the station, phase in service) exactly, in time
    that grows as the number of clients. With one client the response time is the demand.
    ``think_time`` >= 0 is the mean.

    Raises ValueError if clients < 1 or think_time < 0.
    """
    count("clients", clients)
    if non_negative("think_time", think_time) == 0:
        # A client whose request completes sends the next one at once, as its demand starts afresh.
        found = np.zeros((clients, len(demand.rates)))
        found[-1] = demand.probabilities
        return ClosedStation(1 / demand.mean, 1.0, float(clients), FcfsResponse(demand, found))
    states = _state_probabilities(clients, demand, think_time)
    at_station = states.sum(axis=1)
    load = float(at_station[1:].sum())
    # An arrival happens in state n at the rate (N - n) / Z, and never in state N.
    found = (clients - np.arange(clients))[:, np.newaxis] * states[:-1]
    return ClosedStation(
        throughput=load / demand.mean,
        load=load,
        queue_length=float(np.arange(clients + 1) @ at_station),
        response_time=FcfsResponse(demand, found / found.sum()),
    )


def think_time_for_load(
    clients: int, demand: Demand, load: float, policy: Literal["fcfs", "ps"] = "fcfs"
) -> float:
    """The mean think time at which ``clients`` clients bring the server to 0 < ``load`` < 1.

    Under FCFS the demand must be `Hyperexponential` (one phase: exponential); under PS only
    its mean matters. The relative error is about 1e-12 of clients x E[S] / load.

    Raises ValueError if clients < 1, the load lies outside, the policy is unknown, or the policy
    cannot be solved for the demand.
    """
    count("clients", clients)
    load_below_one(load)
    load_of = _load_by_think_time(clients, demand, policy)
    # The response takes E[S] at least, so that N E[S] / load = Z + E[T] bounds Z.
    most = demand.mean * (clients / load - 1) * (1 + 1e-9)
    solved = brentq(lambda z: load_of(z) - load, 0.0, most, xtol=1e-13 * most, rtol=1e-13)
    return float(solved)


def _load_by_think_time(clients: int, demand: Demand, policy: str) -> Callable[[float], float]:
    if policy == "ps":
        station = Station(demand.mean)
        return lambda z: float(mva(clients, [station], z).loads[-1, 0])
    if policy != "fcfs":
        raise ValueError(f"the policy must be 'fcfs' or 'ps'; it is {policy!r}")
    if isinstance(demand, Hyperexponential):
        law = demand
        return lambda z: closed_fcfs(clients, law, z).load
    raise ValueError(f"under FCFS the demand must be Hyperexponential; it is {demand!r}")


def _state_probabilities(clients: int, demand: Hyperexponential, think_time: float) -> FloatArray:
    """P(n at the station, phase k in service), shape (clients + 1, phases).

    Row 0, an idle server, is spread over the phases as the next demand will be.

    As many requests enter as leave state n, so that the balance of (n, k) becomes
    (λ_n + rate_k) π_n,k = λ_{n-1} π_{n-1},k + p_k λ_n Σ_l π_n,l with λ_n = (N - n) / Z.
    Each row thus follows from the one before by adding and dividing positive numbers only.
    The rows are kept as shape and logarithm of the sum, as they can span any magnitude.
    """
    p, rates = np.asarray(demand.probabilities), np.asarray(demand.rates)
    shapes, log_weights = np.empty((clients + 1, len(p))), np.zeros(clients + 1)
    shapes[0] = p
    for n in range(1, clients + 1):
        enter, leave = (clients - n + 1) / think_time, (clients - n) / think_time
        into = enter * shapes[n - 1] / (leave + rates)
        weight = into.sum() / (p @ (rates / (leave + rates)))
        shapes[n] = (into + p * leave * weight / (leave + rates)) / weight
        log_weights[n] = log_weights[n - 1] + np.log(weight)
    return shapes * _normalised(log_weights)[:, np.newaxis]


def _normalised(log_weights: FloatArray) -> FloatArray:
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)
