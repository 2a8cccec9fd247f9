"""The models that the measurement recognises as its own.

Under many policies the times at which all requests came and left give the demand of each. Under the
right policy, demands do not depend on the number of requests present. If a server works on one
request at a time, its own decisions show the order. Demands do not follow for two stations in a
row: such models are simulated.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from thinktime.candidates.candidate import Candidate
from thinktime.candidates.idle import alone, found_idle
from thinktime.candidates.orders import ORDERS, obeyed, one_at_a_time
from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.strain import Strain, sample
from thinktime.candidates.visits import Floats, Visits
from thinktime.explain.demands import KnownDemands, variants_of
from thinktime.explain.tandem import IDLE_LEAST

WORKERS_MAX = 64
WORKERS = (*range(1, 9), 10, 12, 16, 20, 24, 32, 48, 64)
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


@dataclass(frozen=True, eq=False)
class Recognition:
    """A policy, and how well it explains the times."""

    candidate: Candidate
    """The model without a law of demands, which `variants` add: most are not asked for it."""

    policy: Policy
    demands_s: Floats
    """The demand of each request under this policy; empty if the law was known."""

    strain: Strain
    """How strongly demands depend on the number of requests present."""

    known: KnownDemands | None = None
    """The law of demands, if it is known from elsewhere."""

    @property
    def rank(self) -> tuple[bool, float]:
        """The order of models: the first is the most probable one.

        One that keeps an order, as the server's own decisions show, comes before one that shares.
        The others come by their distance, and a pool only if nothing simpler is as near, but for
        chance.
        """
        chance = self.strain.noise if self.policy.name == "pool" else 0.0
        return self.candidate.kind not in ORDERS, self.strain.apart + chance

    def learned_from(self, seen: Visits) -> Recognition:
        """The same policy with the law of other demands; unchanged if the law was known."""
        if self.known is not None:
            return self
        had = Timeline.of(seen.without(self.candidate.delay_s)).demands(self.policy)
        return replace(self, demands_s=had)

    def behind(self, delay_s: float) -> Recognition:
        """The same policy with a delay that all requests have beside."""
        return replace(self, candidate=replace(self.candidate, delay_s=delay_s))

    def variants(self, many: int) -> list[Candidate]:
        """The model with laws that might as well have been learned, to show the effect of chance.

        Each law is that of as many demands drawn from those seen, with replacement (bootstrap).
        """
        laws = self.known.variants(many) if self.known else variants_of(self.demands_s, many)
        return [replace(self.candidate, demands=(law,)) for law in laws]


def recognitions(seen: Visits, known: KnownDemands | None = None) -> list[Recognition]:
    """The policies that explain the times, the best first; empty if none does.

    `known` is the law of demands if it is known from elsewhere.
    """
    found = sample(seen, alone(seen, 1))
    if found is None:
        return []
    timeline = Timeline.of(seen)
    tried = _tried(seen, int(min(timeline.present.max(), WORKERS_MAX)))
    return sorted(
        (
            Recognition(
                tried[policy],
                policy,
                np.zeros(0) if known else timeline.demands(policy),
                one,
                known,
            )
            for policy, one in found.strains(tried).items()
            if one.ratio <= 1
        ),
        key=lambda one: one.rank,
    )


def behind_a_delay(seen: Visits, besides: Container[Policy] = ()) -> list[Recognition]:
    """More policies that explain the times, if each request has a delay beside its demand.

    The delay is a network and programs on the way. It shows in the apparent demand of requests that
    find the server idle. It does not show in requests that wait, as others are served meanwhile. No
    request is quicker than the delay: the search ends at the time of the quickest requests that
    find the server idle.
    """
    idle = found_idle(seen)
    if np.count_nonzero(idle) < IDLE_LEAST:
        return []
    most_s = float(np.quantile(seen.duration_s[idle], QUICKEST))
    best: dict[Policy, Recognition] = {}
    for delay_s in (share * most_s for share in DELAYS):
        for one in recognitions(seen.without(delay_s)):
            before = best.get(one.policy)
            if one.policy not in besides and (
                before is None or one.strain.apart < before.strain.apart
            ):
                best[one.policy] = one.behind(delay_s)
    return sorted(best.values(), key=lambda one: one.rank)


def _order(log: Visits) -> str | None:
    """The order in which one server works, if its decisions show it."""
    demands, decisions = one_at_a_time(log)
    if len(decisions) < DECISIONS_LEAST:
        return None
    shares = obeyed(log, demands, decisions, WITHIN_S)
    best = max(ORDERS, key=lambda name: shares[name])
    return best if shares[best] >= OBEYED else None


def keeps_order(seen: Visits) -> bool:
    """Whether requests leave as they came."""
    return float(seen.overtook.mean()) <= 1 - OBEYED


def _tried(log: Visits, most: int) -> dict[Policy, Candidate]:
    """The policies that are tried, and the model of each, without its demands.

    Of workers every small number is tried, and some larger ones, up to one less than the most
    requests present.
    """
    found = {}
    if (order := _order(log)) is not None:
        found[Policy("order", 1)] = Candidate(order, order, 1, ())
    found[Policy("las", 1)] = Candidate("las", "las", 1, ())
    for workers in (one for one in WORKERS if one == 1 or one < most):
        for name in ("ps", "fcfs"):
            if name == "ps" or workers > 1:
                found[Policy(name, workers)] = Candidate(name, name, workers, ())
    for workers, places in POOLS:
        if places < most:
            found[Policy("pool", workers, places)] = Candidate("pool", "ps", workers, (), places)
    return found
