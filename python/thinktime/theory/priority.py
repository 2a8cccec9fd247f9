"""M/G/1 with several classes of requests, some of which have priority over others.

Source: Cobham, 'Priority assignment in waiting line problems' (Operations Research 2, 1954);
Kleinrock, 'Queueing Systems', volume 2 (1976), chapter 3; Harchol-Balter, 'Performance Modeling
and Design of Computer Systems' (2013), chapters 31 and 32.

Each class arrives as a Poisson process of its own rate λ_i and brings demands S_i; inside a class
it is first come, first served. ρ_i = λ_i E[S_i], and σ_k is the sum of ρ_i over the classes that go
before class k or with it. Every function raises ValueError if there is no class, and, naming the
load, if all classes together bring a load of 1 or more. Under preemption lower classes do not
affect a high one and may be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.theory._checks import load_below_one, positive
from thinktime.theory.demand import Demand
from thinktime.theory.law import FloatArray
from thinktime.theory.open_queue import ps_mean_response


@dataclass(frozen=True)
class PriorityClass:
    """Requests that arrive as a Poisson process of ``rate`` > 0 a second and bring ``demand``.

    Raises ValueError if the rate is not above 0.
    """

    rate: float
    demand: Demand

    def __post_init__(self) -> None:
        positive("the rate", self.rate)

    @property
    def load(self) -> float:
        """ρ_i = λ_i E[S_i]."""
        return self.rate * self.demand.mean


@dataclass(frozen=True, eq=False)
class PriorityTimes:
    """Mean times of each class, in the order in which the classes were given, and overall."""

    response_times: FloatArray
    """E[T_k], seconds, shape (classes,)."""

    waiting_times: FloatArray
    """E[T_k] - E[S_k]: the time without service, interruptions included."""

    mean_response: float
    """E[T] of a request of any class: classes weigh by their rates."""


def preemptive_priority(classes: Sequence[PriorityClass]) -> PriorityTimes:
    """Preemptive-resume priority: ``classes`` from the highest to the lowest.

    E[T_k] = E[S_k] / (1 - σ_{k-1}) + Σ_{i<=k} λ_i E[S_i²] / (2 (1 - σ_{k-1}) (1 - σ_k)).
    """
    return _preemptive(classes, np.arange(len(classes)))


def non_preemptive_priority(classes: Sequence[PriorityClass]) -> PriorityTimes:
    """Priority without preemption: ``classes`` from the highest to the lowest.

    E[W_k] = Σ_i λ_i E[S_i²] / (2 (1 - σ_{k-1}) (1 - σ_k)), the sum over all classes.
    """
    rates, means, squares = _arrays(classes)
    until = np.cumsum(rates * means)
    before = np.concatenate(([0.0], until[:-1]))
    waits = rates @ squares / (2 * (1 - before) * (1 - until))
    return _times(rates, means, waits + means)


def pesjf(classes: Sequence[PriorityClass]) -> PriorityTimes:
    """Preemptive expected shortest job first: the class of smaller mean demand goes first.

    ``classes`` in any order; those of equal mean rank as one. See `preemptive_priority`.
    """
    return _preemptive(classes, _levels(classes))


def peljf(classes: Sequence[PriorityClass]) -> PriorityTimes:
    """Preemptive expected longest job first: the class of larger mean demand goes first.

    ``classes`` in any order; those of equal mean rank as one. See `preemptive_priority`.
    """
    return _preemptive(classes, -_levels(classes))


def highest_class_ps_response(highest: PriorityClass) -> float:
    """E[T_1] = E[S_1] / (1 - ρ_1), seconds, if the highest class is served by PS.

    Preemption hides all other classes from it, as round robin among real-time processes does
    (SCHED_RR of Linux). The times of the lower classes have no simple closed form.

    Raises ValueError if the class by itself brings a load of 1 or more.
    """
    return ps_mean_response(highest.rate, highest.demand.mean)


def conserved_waiting(classes: Sequence[PriorityClass]) -> float:
    """Kleinrock's conservation law: Σ ρ_i E[W_i] = ρ Σ_i λ_i E[S_i²] / (2 (1 - ρ)), in seconds.

    It is the same for every order without preemption in which the server never idles while requests
    wait, and that does not use the demands themselves: other classes pay for the gain of one.
    """
    rates, means, squares = _arrays(classes)
    load = rates @ means
    return float(load * (rates @ squares) / (2 * (1 - load)))


def _preemptive(classes: Sequence[PriorityClass], levels: NDArray[np.int64]) -> PriorityTimes:
    rates, means, squares = _arrays(classes)
    before, until = levels < levels[:, np.newaxis], levels <= levels[:, np.newaxis]
    idle_before, idle = (1 - those @ (rates * means) for those in (before, until))
    waits = until @ (rates * squares) / (2 * idle_before * idle)
    return _times(rates, means, means / idle_before + waits)


def _levels(classes: Sequence[PriorityClass]) -> NDArray[np.int64]:
    means = np.array([each.demand.mean for each in classes])
    return np.searchsorted(np.unique(means), means).astype(np.int64)


def _arrays(classes: Sequence[PriorityClass]) -> tuple[FloatArray, FloatArray, FloatArray]:
    if len(classes) == 0:
        raise ValueError("give at least one class")
    load_below_one(sum(each.load for each in classes))
    rows = [(each.rate, each.demand.mean, each.demand.second_moment) for each in classes]
    rates, means, squares = np.array(rows, dtype=np.float64).T
    return rates, means, squares


def _times(rates: FloatArray, means: FloatArray, responses: FloatArray) -> PriorityTimes:
    overall = float(rates @ responses / rates.sum())
    return PriorityTimes(responses, responses - means, overall)
