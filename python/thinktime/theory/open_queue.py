"""One station under open (Poisson) or partly open arrivals.

Source: Kleinrock, 'Queueing Systems', volume 1 (1975), chapters 3 and 5; Harchol-Balter,
'Performance Modeling and Design of Computer Systems' (2013), chapters 13, 14, 22, 23 and 26.

Symbols: λ arrival rate, S service demand, c servers, ρ = λ E[S] / c load, W wait in the queue, T =
W + S response time. Every function raises ValueError, naming the load, if ρ >= 1: the queue then
grows without bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.numerics import exprel
from thinktime.theory._checks import count, load_below_one, non_negative, positive, probability
from thinktime.theory.demand import Demand, DemandLaw, Hyperexponential
from thinktime.theory.law import FloatArray, Law
from thinktime.theory.operational import load_at


@dataclass(frozen=True)
class Waiting(Law):
    """A request waits with ``probability``, and then for a time of the law ``delayed``."""

    probability: float
    delayed: Hyperexponential

    @property
    def mean(self) -> float:
        return self.probability * self.delayed.mean

    def sf(self, t: ArrayLike) -> FloatArray:
        waits = self.probability * self.delayed.sf(t)
        return np.where(np.asarray(t) < 0, 1.0, waits)


@dataclass(frozen=True)
class MmcResponse(Law):
    """The response time of M/M/c; see `mmc_response`, which checks the arguments."""

    arrival_rate: float
    mean_demand: float
    servers: int

    @property
    def mean(self) -> float:
        return self.mean_demand + self._waiting.mean

    def sf(self, t: ArrayLike) -> FloatArray:
        # With u = t / E[S] and d = c - 1 - λ E[S], (1 - e^{-u d}) / d is u exprel(-u d), which
        # holds at d = 0 too. For d < 0 its growth is taken into the exponential before it.
        u = np.maximum(np.asarray(t, dtype=np.float64), 0.0) / self.mean_demand
        d = self.servers - 1 - self.arrival_rate * self.mean_demand
        queued = u * np.exp(-u * min(1.0, 1.0 + d)) * exprel(-u * abs(d))
        return np.asarray(np.exp(-u) + self._waiting.probability * queued, dtype=np.float64)

    @property
    def _waiting(self) -> Waiting:
        return mmc_waiting(self.arrival_rate, self.mean_demand, self.servers)


def mm1_response(arrival_rate: float, mean_demand: float) -> Hyperexponential:
    """Response time of M/M/1 under FCFS: exponential with the rate 1 / E[S] - λ.

    The mean, E[S] / (1 - ρ), is that of PS and preemptive LCFS as well.
    """
    load = _stable_load(arrival_rate, mean_demand)
    return Hyperexponential.exponential(mean_demand / (1 - load))


def erlang_b(servers: int, work: float) -> float:
    """Probability that all ``servers`` are busy if no request may wait (M/G/c/c).

    ``work`` = λ E[S] >= 0 is the load of all servers together, in erlangs, and may exceed
    ``servers``. Recursion B_0 = 1, B_k = a B_{k-1} / (k + a B_{k-1}).
    """
    non_negative("work", work)
    blocked = 1.0
    for k in range(1, count("servers", servers) + 1):
        blocked = work * blocked / (k + work * blocked)
    return blocked


def erlang_c(servers: int, work: float) -> float:
    """Probability that a request must wait in M/M/c, for ``work`` = λ E[S] < servers."""
    load = load_below_one(positive("work", work) / count("servers", servers))
    blocked = erlang_b(servers, work)
    return blocked / (1 - load * (1 - blocked))


def mmc_waiting(arrival_rate: float, mean_demand: float, servers: int) -> Waiting:
    """Wait in M/M/c under FCFS: P(W > t) = C e^{-(c / E[S] - λ) t}, C of Erlang's formula."""
    load = _stable_load(arrival_rate, mean_demand, servers)
    delayed = Hyperexponential.exponential(mean_demand / (servers * (1 - load)))
    return Waiting(erlang_c(servers, arrival_rate * mean_demand), delayed)


def mmc_response(arrival_rate: float, mean_demand: float, servers: int) -> MmcResponse:
    """Response time of M/M/c under FCFS.

    With μ = 1 / E[S] and d = c - 1 - λ E[S]:
    P(T > t) = e^{-μ t} (1 + C (1 - e^{-μ t d}) / d), where the fraction is μ t at d = 0.
    """
    _stable_load(arrival_rate, mean_demand, servers)
    return MmcResponse(arrival_rate, mean_demand, servers)


def mh1_response(arrival_rate: float, demand: Hyperexponential) -> Hyperexponential:
    """Response time of M/H_k/1 under FCFS: again a mixture of as many exponentials.

    The transform (1 - ρ) s B*(s) / (s - λ + λ B*(s)) has its poles at -a_i, the roots of
    λ Σ_k p_k / (rate_k - a) = 1. These are the eigenvalues of diag(rate) - λ v vᵀ with
    v_k = sqrt(p_k); with its unit eigenvectors u_i,
    P(T > t) = Σ_i (1 - ρ) (1 + λ / a_i) (v·u_i)² e^{-a_i t}.
    """
    load, rates, shares = _poles(arrival_rate, demand)
    return _mixture((1 - load) * (1 + arrival_rate / rates) * shares, rates)


def mh1_waiting(arrival_rate: float, demand: Hyperexponential) -> Waiting:
    """Wait in M/H_k/1 under FCFS: P(W > t) = Σ_i (1 - ρ) (λ / a_i) (v·u_i)² e^{-a_i t}.

    The symbols are those of `mh1_response`. A request waits with probability ρ.
    """
    load, rates, shares = _poles(arrival_rate, demand)
    return Waiting(load, _mixture(shares / rates, rates))


def mg1_mean_waiting(arrival_rate: float, demand: Demand) -> float:
    """Pollaczek-Khinchine: E[W] = λ E[S²] / (2 (1 - ρ)) for M/G/1 under FCFS.

    It is the mean of every policy without preemption that does not use the demand.
    """
    load = _stable_load(arrival_rate, demand.mean)
    return arrival_rate * demand.second_moment / (2 * (1 - load))


def mg1_mean_response(arrival_rate: float, demand: Demand) -> float:
    """E[T] = E[W] + E[S] for M/G/1 under FCFS; see `mg1_mean_waiting`."""
    return mg1_mean_waiting(arrival_rate, demand) + demand.mean


def mg1_waiting_variance(arrival_rate: float, demand: DemandLaw) -> float:
    """Var W = E[W]² + λ E[S³] / (3 (1 - ρ)) for M/G/1 under FCFS, in seconds squared."""
    load = _stable_load(arrival_rate, demand.mean)
    third = arrival_rate * demand.third_moment / (3 * (1 - load))
    return mg1_mean_waiting(arrival_rate, demand) ** 2 + third


def ps_mean_response(arrival_rate: float, mean_demand: float) -> float:
    """E[T] = E[S] / (1 - ρ) for M/G/1 under PS, whatever the law of the demand."""
    return mean_demand / (1 - _stable_load(arrival_rate, mean_demand))


def ps_conditional_response(arrival_rate: float, mean_demand: float, demand: float) -> float:
    """E[T | S = demand] = demand / (1 - ρ) for M/G/1 under PS: all are slowed alike."""
    return non_negative("demand", demand) / (1 - _stable_load(arrival_rate, mean_demand))


def partly_open_mean_response(
    session_rate: float, stay_probability: float, mean_demand: float
) -> float:
    """E[T] = E[S] / (1 - ρ) with ρ = session_rate E[S] / (1 - stay_probability).

    Sessions arrive as a Poisson process; after each response the session stays with 0 <=
    stay_probability < 1, thinks and sends its next request, or leaves: it makes 1 / (1 -
    stay_probability) requests on average.

    The network has a product form (Baskett, Chandy, Muntz and Palacios 1975) under FCFS with
    an exponential demand, and under PS with any demand. The result then holds for *every*
    stay probability and *every* law of think time, 0 included: it is that of an open system
    of the same load. The demands of a session must be independent.
    """
    stay = probability("stay_probability", stay_probability)
    return ps_mean_response(session_rate / (1 - stay), mean_demand)


def partly_open_mean_sessions(
    session_rate: float, stay_probability: float, mean_demand: float, think_time: float
) -> float:
    """Mean number of sessions present, at the station or thinking, by Little's law.

    ρ / (1 - ρ) + session_rate E[Z] stay_probability / (1 - stay_probability), under the
    conditions of `partly_open_mean_response`; ``think_time`` = E[Z] >= 0.
    """
    response = partly_open_mean_response(session_rate, stay_probability, mean_demand)
    requests = 1 / (1 - stay_probability)
    thinking = (requests - 1) * non_negative("think_time", think_time)
    return session_rate * (requests * response + thinking)


def _stable_load(arrival_rate: float, mean_demand: float, servers: int = 1) -> float:
    return load_below_one(load_at(positive("the rate", arrival_rate), mean_demand, servers))


def _poles(arrival_rate: float, demand: Hyperexponential) -> tuple[float, FloatArray, FloatArray]:
    """The load, the a_i and the (v·u_i)² of `mh1_response`."""
    load = _stable_load(arrival_rate, demand.mean)
    v = np.sqrt(np.asarray(demand.probabilities))
    rates, vectors = np.linalg.eigh(np.diag(demand.rates) - arrival_rate * np.outer(v, v))
    return load, rates, (v @ vectors) ** 2


def _mixture(weights: FloatArray, rates: FloatArray) -> Hyperexponential:
    scaled = weights / weights.sum()  # they sum to 1 but for rounding
    return Hyperexponential(tuple(scaled.tolist()), tuple(rates.tolist()))
