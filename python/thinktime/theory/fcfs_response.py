"""The response time of a request that waits for the ones before it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from thinktime.numerics import gammaln, xlogy
from thinktime.theory.demand import Hyperexponential
from thinktime.theory.law import FloatArray, Law

_NEGLIGIBLE = 1e-16


@dataclass(frozen=True, eq=False)
class FcfsResponse(Law):
    """Response time at one FCFS server, given the law of the state that the request finds.

    ``start[j, k]`` is the probability that, when the request arrives, a demand in phase k is
    being served and j whole demands follow it, the request's own the last; with j = 0 the one
    being served is its own. Shape (places, phases), summing to 1.

    The law is of phase type. `sf` uniformises: in a Poisson process of jumps at the largest
    rate Λ, P(T > t) = Σ_i P(i jumps by t) P(not done after i jumps), a sum of positive terms
    with an absolute error near 1e-14 (Jensen 1953; Stewart, 'Probability, Markov Chains,
    Queues, and Simulation', 2009, section 10.7). Its time grows as Λ t x places,
    until t is so large that the probability is 0 to that error.
    """

    demand: Hyperexponential
    start: FloatArray
    _jumps: _UniformisedChain = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_jumps", _UniformisedChain(self.demand, self.start))

    @property
    def mean(self) -> float:
        in_service = self.start.sum(axis=0) @ (1 / np.asarray(self.demand.rates))
        behind = self.start.sum(axis=1) @ np.arange(len(self.start))
        return float(in_service + behind * self.demand.mean)

    @property
    def jumps_of_a_phase(self) -> float:
        """The number of jumps that `sf` must follow for a time as long as the longest phase."""
        return max(self.demand.rates) / min(self.demand.rates)

    def sf(self, t: ArrayLike) -> FloatArray:
        times = np.maximum(np.asarray(t, dtype=np.float64), 0.0)
        survival = [self._sf_at(float(time)) for time in times.flat]
        return np.asarray(survival, dtype=np.float64).reshape(times.shape)

    def _sf_at(self, t: float) -> float:
        expected = self._jumps.rate * t
        spread = 8 * math.sqrt(expected) + 40  # the number exceeds it with probability 1e-15
        first, last = max(0, math.floor(expected - spread)), math.ceil(expected + spread)
        number = np.arange(first, last + 1, dtype=np.float64)
        weights = np.exp(xlogy(number, expected) - gammaln(number + 1) - expected)
        alive = self._jumps.alive(first, last + 1)
        return min(1.0, float(weights[: len(alive)] @ alive / weights.sum()))


class _UniformisedChain:
    """The uniformised chain of `FcfsResponse`, computed as far as needed so far."""

    def __init__(self, demand: Hyperexponential, start: FloatArray) -> None:
        self.rate = max(demand.rates)
        self._next_phase = np.asarray(demand.probabilities)
        self._done = np.asarray(demand.rates) / self.rate
        self._state = np.array(start, dtype=np.float64)
        self._alive = [1.0]

    def alive(self, first: int, end: int) -> FloatArray:
        """P(not done after i jumps) for i = first .. end - 1, cut off once it is negligible."""
        while len(self._alive) < end and self._alive[-1] > _NEGLIGIBLE:
            self._jump()
        return np.asarray(self._alive[first:end])

    def _jump(self) -> None:
        completed = self._state @ self._done
        self._state *= 1 - self._done
        self._state[:-1] += np.multiply.outer(completed[1:], self._next_phase)
        self._alive.append(float(self._state.sum()))
