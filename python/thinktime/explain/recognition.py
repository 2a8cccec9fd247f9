"""The models that the measurement recognises as its own.

Under many policies the times at which all requests came and left give the demand of each. Under the
right policy, demands do not depend on the number of requests present. If a server works on one
request at a time, its own decisions show the order. Demands do not follow for two stations in a
row: such models are simulated.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

import numpy as np

from thinktime.explain.candidates import IDLE_LEAST, Candidate
from thinktime.explain.demands import KnownDemands
from thinktime.explain.laws import law_of_demands
from thinktime.explain.visits import Floats, Visits
from thinktime.learn.server.comparison import Distance, sample
from thinktime.learn.server.idle import alone, found_idle
from thinktime.learn.server.orders import ORDERS as ORDERS_SHOWN
from thinktime.learn.server.orders import obeyed, one_at_a_time
from thinktime.learn.server.policies import Policy, Timeline
from thinktime.learn.server.strain import CLOSE
from thinktime.learn.server.visits import ServerVisits

WORKERS_MAX = 64
POOLS = tuple((c, k) for c in (1, 2, 4, 8) for k in (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32) if k > c)
"""Servers and places."""

OBEYED = 0.97
"""A server that has a policy makes at least this share of its decisions by it."""

DECISIONS_LEAST = 50
WITHIN_S = 2e-4
"""Demands that differ by less are alike: measured times are no more exact."""

QUICKEST = 0.01
"""The share of the requests that find the server idle that may be quicker than a delay: clock steps
make some of them so."""

DELAYS = (1.0, 0.75, 0.5, 0.25)
"""The delays that are tried, as shares of the longest possible one."""

_SEED = 19790101


@dataclass(frozen=True, eq=False)
class Recognition:
    """A policy, and how well it explains the times."""

    candidate: Candidate
    """The model without a law of demands, which `variants` add: most are not asked for it."""

    policy: Policy
    demands_s: Floats
    """The demand of each request under this policy; empty if the law was known."""

    hangs: float
    """How strongly demands depend on the number of requests present, 0 to 1."""

    noise: float
    """The part of `dependence` that may be chance."""

    known: KnownDemands | None = None
    """The law of demands, if it is known from elsewhere."""

    @property
    def delay_s(self) -> float:
        """The part of the times that is not the server's."""
        return self.candidate.delay_s

    @property
    def explains(self) -> bool:
        """Whether demands are independent of the number present."""
        return self.hangs <= CLOSE + self.noise

    def learned_from(self, seen: Visits) -> Recognition:
        """The same policy with the law of other demands; unchanged if the law was known."""
        if self.known is not None:
            return self
        had = Timeline.of(seen.without(self.delay_s).served()).demands(self.policy)
        return replace(self, demands_s=had)

    def behind(self, delay_s: float) -> Recognition:
        """The same policy with a delay that all requests have beside."""
        return replace(self, candidate=replace(self.candidate, delay_s=delay_s))

    def variants(self, many: int) -> list[Candidate]:
        """The model with laws that might as well have been learned, to show the effect of chance.

        Each law is that of as many demands drawn from those seen, with replacement (bootstrap).
        """
        if self.known is not None:
            laws = self.known.variants(many)
            return [replace(self.candidate, demands=(law,)) for law in laws]
        random = np.random.default_rng(_SEED)
        draws = [random.choice(self.demands_s, len(self.demands_s)) for _ in range(many)]
        laws = [law_of_demands(one) for one in draws]
        return [replace(self.candidate, demands=(law,)) for law in laws]


def recognitions(seen: Visits, known: KnownDemands | None = None) -> list[Recognition]:
    """The policies that explain the times, the best first; empty if none does.

    `known` is the law of demands if it is known from elsewhere.
    """
    log = seen.served()
    timeline = Timeline.of(log)
    found = []
    for name, policy, away in _distances(log, timeline):
        if away.apart <= CLOSE + away.noise:
            had = np.zeros(0) if known else timeline.demands(policy)
            candidate = _candidate(name, policy)
            found.append(Recognition(candidate, policy, had, away.apart, away.noise, known))
    return sorted(found, key=_rank)


def _distances(log: ServerVisits, timeline: Timeline) -> Iterator[tuple[str, Policy, Distance]]:
    """The policies that are tried, and how strongly demands depend on the requests present."""
    demand_sample = sample(log, alone(log, 1))
    if demand_sample is None:
        return
    most = int(min(timeline.present.max(), WORKERS_MAX))
    for one in (_ordered(log), *_shared(most)):
        if one is not None:
            yield *one, demand_sample.distance(one[1])


def behind_a_delay(seen: Visits, besides: Container[Policy] = ()) -> list[Recognition]:
    """More policies that explain the times, if each request has a delay beside its demand.

    The delay is a network and programs on the way. It shows in the apparent demand of requests that
    find the server idle. It does not show in requests that wait, as others are served meanwhile. No
    request is quicker than the delay: the search ends at the time of the quickest requests that
    find the server idle.
    """
    log = seen.served()
    idle = found_idle(log)
    if np.count_nonzero(idle) < IDLE_LEAST:
        return []
    most_s = float(np.quantile(log.duration_s[idle], QUICKEST))
    best: dict[Policy, Recognition] = {}
    for share in DELAYS:
        for one in recognitions(seen.without(share * most_s)):
            if one.policy in besides:
                continue
            if one.policy not in best or one.hangs < best[one.policy].hangs:
                best[one.policy] = one.behind(share * most_s)
    return sorted(best.values(), key=_rank)


def _rank(one: Recognition) -> tuple[bool, float]:
    # An order shown by the server's own decisions is certain. The others come by their distance,
    # and a pool only if nothing simpler is as near, but for chance.
    return one.candidate.kind not in ORDERS_SHOWN, _cost(one)


def _cost(one: Recognition) -> float:
    return one.hangs + (one.noise if one.candidate.places is not None else 0.0)


def _ordered(log: ServerVisits) -> tuple[str, Policy] | None:
    """The order in which one server works, if its decisions show it."""
    demands, decisions = one_at_a_time(log)
    if len(decisions) < DECISIONS_LEAST:
        return None
    shares = obeyed(log, demands, decisions, WITHIN_S)
    best = max(shares, key=lambda name: shares[name])
    return (best, Policy("order", 1)) if shares[best] >= OBEYED else None


def keeps_order(seen: Visits) -> bool:
    """Whether requests leave as they came."""
    return float(seen.overtook.mean()) <= 1 - OBEYED


def _shared(most: int) -> list[tuple[str, Policy]]:
    found = [("las", Policy("las", 1))]
    for c in _workers(most):
        found += [("ps", Policy("ps", c)), *([("fcfs", Policy("fcfs", c))] if c > 1 else [])]
    return found + [("pool", Policy("pool", c, k)) for c, k in POOLS if k < most]


def _workers(most: int) -> list[int]:
    """Every small number, and some larger ones, up to one less than the most requests present."""
    return [c for c in (*range(1, 9), 10, 12, 16, 20, 24, 32, 48, 64) if c == 1 or c < most]


def _candidate(name: str, policy: Policy) -> Candidate:
    if policy.name == "pool":
        return Candidate("pool", "ps", policy.workers, (), policy.places)
    return Candidate(name, name, policy.workers, ())
