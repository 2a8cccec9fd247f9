"""The recursion of mean-value analysis over all numbers of clients, class by class.

At a station that serves j requests at the rate α(j), in servers, a request with demand D that finds
the state of a population n takes D Σ_j j / α(j) P(j - 1 there | n), by the arrival theorem. α is
constant from the number of servers on, so that only smaller numbers need their probabilities; for
the rest the mean suffices. P(j | n) = Σ_c D_c X_c(n) P(j - 1 | n - 1_c) / α(j), and P(0 | n) = P(0
| n - 1_c) X_c(n) / X'_c(n), with X' the throughput without the station (Reiser, Performance
Evaluation 1, 1981): that keeps its digits at a high load.

Open classes that offer ρ servers of work leave α*(n) = A(n - 1) / A(n) to closed ones, where A(n)
is the sum over m of C(n + m, m) ρ^m / (α(1) ... α(n + m)): the weight of n closed requests,
whatever the number of open ones. With one server α* is 1 - ρ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thinktime.numerics import betainc
from thinktime.theory.law import FloatArray
from thinktime.theory.open_queue import erlang_c

_SHARED_SERVERS_MAX = 256  # beyond it weights leave the range of floating point


@dataclass(frozen=True, eq=False)
class Server:
    """The rate of a station for closed requests, in servers: α(1), α(2), ...; then constant."""

    rates: FloatArray

    @staticmethod
    def of(servers: int, offered: float, clients: int) -> Server:
        """The rate of a station at which open classes offer this many servers of work."""
        if clients == 0:
            return Server(np.array([_alone(servers, offered), float(servers)]))
        if offered == 0:
            return Server(np.arange(1.0, min(servers, max(clients, 1)) + 1))
        if servers == 1:
            return Server(np.array([1 - offered]))
        if servers > _SHARED_SERVERS_MAX:
            raise ValueError(
                f"open and closed classes can be solved for at stations of at most "
                f"{_SHARED_SERVERS_MAX} servers; one has {servers}"
            )
        weights = np.array([_log_weight(n, servers, offered) for n in range(servers + 1)])
        return Server(np.exp(weights[:-1] - weights[1:]))

    @property
    def extra(self) -> FloatArray:
        """The extra time of fewer requests: j (1 / α(j) - 1 / α(last)), j = 1, 2, ...."""
        j = np.arange(1, len(self.rates))
        return np.asarray(j * (1 / self.rates[:-1] - 1 / self.rates[-1]), dtype=np.float64)


def _alone(servers: int, offered: float) -> float:
    """The α(1) that gives an open class its time per demand in M/M/c without closed requests."""
    waits = erlang_c(servers, offered) if offered > 0 else 0.0
    return 1 / (1 + waits / (servers - offered))


def _log_weight(n: int, servers: int, offered: float) -> float:
    """The logarithm of A(n): terms with a server to spare one by one, others as a binomial tail."""
    c, share = servers, offered / servers
    spare = max(c - 1 - n, 0)
    terms = [m * math.log(offered) - math.lgamma(m + 1) - math.lgamma(n + 1) for m in range(spare)]
    full = (c - n) * math.log(c) - math.lgamma(c + 1) - (n + 1) * math.log1p(-share)
    tail = float(betainc(spare, n + 1, share)) if spare else 1.0
    terms += [full + math.log(tail)] if tail > 0 else []
    return float(np.logaddexp.reduce(terms))


@dataclass
class Lattice:
    """All populations from empty to full, N = ``clients`` of each class."""

    clients: Sequence[int]
    think_times: Sequence[float]
    demands: FloatArray
    """Shape (classes, stations)."""
    stations: Sequence[Server]
    known: dict[frozenset[int], FloatArray] = field(default_factory=dict)
    """The throughputs of networks without some stations, by the missing stations."""
    lacks: frozenset[int] = frozenset()

    throughput: FloatArray = field(init=False)
    """The throughput of the full population, by class."""
    response_times: FloatArray = field(init=False)
    """The response times of the full population, shape (classes, stations)."""

    def __post_init__(self) -> None:
        sizes = np.array(self.clients, dtype=np.int64) + 1
        self._strides = np.cumprod(np.concatenate([[1], sizes[:-1]])).astype(np.int64)
        self._states = int(np.prod(sizes))
        self._here = [k for k in range(len(self.stations)) if k not in self.lacks]
        self._lengths = np.zeros((len(self.stations), self._states))
        self._few: dict[int, FloatArray] = {}
        """By station, P(j there), j = 0 .. servers - 2, for each state; shape (j, states)."""
        for k in self._here:
            few = np.zeros((len(self.stations[k].rates) - 1, self._states))
            few[:1, 0] = 1.0
            self._few[k] = few

    def solve(self) -> FloatArray:
        """The throughput of each class for each population, shape (classes, states)."""
        classes = len(self.clients)
        rates = np.zeros((classes, self._states))
        without = {k: self._without(k) for k in self._here if len(self._few[k]) and classes}
        self.throughput = np.zeros(classes)
        self.response_times = np.zeros((classes, len(self.stations)))
        for states, present in self._levels():
            times = {}
            for c in range(classes):
                some = present[c] > 0
                before = np.where(some, states - self._strides[c], 0)
                times[c] = self._times(c, before)
                cycle = self.think_times[c] + times[c].sum(axis=0)
                with np.errstate(divide="ignore"):
                    rates[c, states] = np.divide(present[c], cycle, out=0 * cycle, where=some)
            self._note(states, present, rates, times, without)
            if states[-1] == self._states - 1:
                self.throughput = rates[:, -1]
                self.response_times = np.array([times[c][:, -1] for c in range(classes)])
        return rates

    def time_per_demand(self) -> FloatArray:
        """The time at each station a second of demand, in the full population; (stations,)."""
        return self._seen(np.array([self._states - 1]))[:, 0]

    def _levels(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The states with 1, 2, ... clients in all, and the number of clients of each class."""
        states = np.arange(self._states)
        sizes = np.array(self.clients, dtype=np.int64) + 1
        present = [states // step % size for step, size in zip(self._strides, sizes, strict=False)]
        totals = np.sum(present, axis=0) if present else np.zeros(1, dtype=np.int64)
        order = np.argsort(totals, kind="stable")
        cuts = np.searchsorted(totals[order], np.arange(1, int(totals.max()) + 1))
        levels = np.split(order, cuts)[1:]
        return [(level, np.array([one[level] for one in present])) for level in levels]

    def _seen(self, states: NDArray[np.int64]) -> FloatArray:
        found = np.zeros((len(self.stations), len(states)))
        for k in self._here:
            station = self.stations[k]
            found[k] = (1 + self._lengths[k, states]) / station.rates[-1]
            found[k] += station.extra @ self._few[k][:, states]
        return found

    def _times(self, c: int, before: NDArray[np.int64]) -> FloatArray:
        return np.asarray(self.demands[c][:, np.newaxis] * self._seen(before), dtype=np.float64)

    def _note(
        self,
        states: NDArray[np.int64],
        present: NDArray[np.int64],
        rates: FloatArray,
        times: dict[int, FloatArray],
        without: dict[int, FloatArray],
    ) -> None:
        """The queues that later populations find in these states."""
        for k in self._here:
            for c, at in times.items():
                self._lengths[k, states] += _product(rates[c, states], at[k])
        first = np.argmax(present > 0, axis=0)  # of the classes that are there
        one = states - self._strides[first]
        for k, others in without.items():
            few, alpha = self._few[k], self.stations[k].rates
            flow, less = rates[first, states], others[first, states]
            # A client that needs no time is at no station, and does not count.
            share = np.divide(flow, less, out=np.ones_like(flow), where=np.isfinite(flow))
            few[0, states] = few[0, one] * share
            for c in range(len(self.clients)):
                before = np.where(present[c] > 0, states - self._strides[c], 0)
                flow = _product(rates[c, states], self.demands[c, k])
                few[1:, states] += flow * few[:-1, before] / alpha[: len(few) - 1, np.newaxis]

    def _without(self, k: int) -> FloatArray:
        """The throughputs of the network without station k, too."""
        lacks = self.lacks | {k}
        if lacks not in self.known:
            fewer = Lattice(
                self.clients, self.think_times, self.demands, self.stations, self.known, lacks
            )
            self.known[lacks] = fewer.solve()
        return self.known[lacks]


def _product(rates: FloatArray, times: FloatArray | float) -> FloatArray:
    """Their product; 0 if the time is 0, although the other factor may be infinite then."""
    none = np.zeros_like(rates)
    return np.asarray(np.multiply(rates, times, out=none, where=np.asarray(times) > 0))
