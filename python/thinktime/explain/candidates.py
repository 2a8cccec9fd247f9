"""The models that are tried, and which of them the measurement recognises as its own.

Under many policies the demand of each request follows from when all of them came and left. Under
the right one demands do not hang on how many were there; and where a server works on one request
at a time, its own decisions tell in which order. Of two stations in a row demands do not follow:
they are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thinktime._core import System
from thinktime.explain.demands import Known
from thinktime.explain.laws import law_of_demands
from thinktime.explain.visits import Floats, Visits
from thinktime.learn.server.alone import alone
from thinktime.learn.server.choosing import CLOSE
from thinktime.learn.server.comparing import sample
from thinktime.learn.server.orders import ORDERS as ORDERS_SHOWN
from thinktime.learn.server.orders import obeyed, one_at_a_time
from thinktime.learn.server.policies import Policy, Timeline
from thinktime.learn.server.served import Served
from thinktime.report import policies

WORKERS_MAX = 64
POOLS = tuple((c, k) for c in (1, 2, 4, 8) for k in (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32) if k > c)
"""Servers and places."""

OBEYED = 0.97
"""The share of its decisions that a policy explains, for a server that has it."""

DECISIONS_LEAST = 50
WITHIN_S = 2e-4
"""Demands that differ by less are alike: measured times are good to that."""

SPLITS = (0.5, 0.6, 0.7, 0.8)
"""The larger part of the work of two stations in a row."""

IDLE_LEAST = 100

_SEED = 19790101


@dataclass(frozen=True)
class Candidate:
    """A model of the server."""

    kind: str
    """As in `fcfs`, `ps`, `pool` or `row`: what is named."""

    policy: str
    servers: int
    demands: tuple[str, ...]
    """The law of demands at each station, in their order."""

    places: int | None = None
    """Of a pool around the station; None where there is none."""

    @property
    def words(self) -> str:
        """What it is, in words."""
        if self.kind == "row":
            return "two stations in a row, first come, first served"
        many = "1 server" if self.servers == 1 else f"{self.servers} servers"
        inside = f"{many}, {policies.words(self.policy)}"
        return inside if self.places is None else f"a pool of {self.places} places around {inside}"

    def system(self, *, policy: str | None = None, servers: int | None = None) -> System:
        """As a system, perhaps with another policy or number of servers at every station."""
        used, many = policy or self.policy, servers or self.servers
        text = 'name = "explained"\n'
        for place, demand in enumerate(self.demands):
            text += (
                f'[[station]]\nname = "station-{place + 1}"\npolicy = "{used}"\n'
                f'servers = {many}\ndemand = "{demand}"\n'
            )
        if self.places is not None:
            extra = many - self.servers
            text += f'[[pool]]\nname = "places"\nsize = {self.places + extra}\n'
            text += '[[behaviour]]\nsteps = [{ acquire = "places" }, { use = "station-1" }, '
            text += '{ release = "places" }]\n'
        return System(text)


@dataclass(frozen=True, eq=False)
class Recognised:
    """A policy, and how it explains the times."""

    candidate: Candidate
    policy: Policy
    demands_s: Floats
    """What each request demanded, if the policy is this one; empty where the law was known."""

    hangs: float
    """How far demands are from not hanging on how many were there, 0 to 1."""

    noise: float
    """So much of it may be chance."""

    known: Known | None = None
    """The law of demands, where it is known from elsewhere."""

    @property
    def explains(self) -> bool:
        """Whether demands hang on nothing."""
        return self.hangs <= CLOSE + self.noise

    def learned_from(self, seen: Visits) -> Recognised:
        """The same policy with the law of other demands; itself where the law was known."""
        if self.known is not None:
            return self
        had = Timeline.of(seen.served()).demands(self.policy)
        return _recognised(self.candidate.kind, self.policy, had, None, self.hangs, self.noise)

    def variants(self, many: int) -> list[Candidate]:
        """The model with laws that might as well have been learned, for what chance does to them.

        Each is that of as many demands drawn from those seen, with replacement (bootstrap).
        """
        if self.known is not None:
            laws = self.known.variants(many)
            return [replace(self.candidate, demands=(law,)) for law in laws]
        random = np.random.default_rng(_SEED)
        draws = [random.choice(self.demands_s, len(self.demands_s)) for _ in range(many)]
        laws = [law_of_demands(one) for one in draws]
        return [replace(self.candidate, demands=(law,)) for law in laws]


def recognised(seen: Visits, known: Known | None = None) -> list[Recognised]:
    """What explains the times, the best first; empty where nothing does.

    `known` is the law of demands where it is known from elsewhere.
    """
    log = seen.served()
    told = sample(log, alone(log, 1))
    if told is None:
        return []
    timeline = Timeline.of(log)
    tried = [_ordered(log), *_shared(int(min(timeline.present.max(), WORKERS_MAX)))]
    found = []
    for one in tried:
        if one is None:
            continue
        name, policy = one
        away = told.distance(policy)
        if away.apart <= CLOSE + away.noise:
            had = np.zeros(0) if known else timeline.demands(policy)
            found.append(_recognised(name, policy, had, known, away.apart, away.noise))
    # An order that the server's own decisions show is certain; of the others the nearest comes
    # first, and a pool only where nothing simpler is as near, but for chance.
    return sorted(found, key=lambda one: (one.candidate.kind not in ORDERS_SHOWN, _cost(one)))


def _recognised(
    name: str, policy: Policy, had: Floats, known: Known | None, hangs: float, noise: float
) -> Recognised:
    law = law_of_demands(had) if known is None else known.law
    return Recognised(_candidate(name, policy, law), policy, had, hangs, noise, known)


def _cost(one: Recognised) -> float:
    return one.hangs + (one.noise if one.candidate.places is not None else 0.0)


def _ordered(log: Served) -> tuple[str, Policy] | None:
    """The order in which one server works, where its decisions tell."""
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
    """Every small number, and some larger ones, up to one less than were there at most."""
    return [c for c in (*range(1, 9), 10, 12, 16, 20, 24, 32, 48, 64) if c == 1 or c < most]


def _candidate(name: str, policy: Policy, law: str) -> Candidate:
    if policy.name == "pool":
        return Candidate("pool", "ps", policy.workers, (law,), policy.places)
    return Candidate(name, name, policy.workers, (law,))


def in_a_row(seen: Visits, many: int) -> list[list[Candidate]]:
    """Two FCFS stations with exponential demands, by the mean of those that were alone.

    For each split of the work so many variants, whose means differ by what chance does to it.
    """
    idle = alone(seen.served(), 1)[0]
    if idle.seen < IDLE_LEAST:
        return []
    random = np.random.default_rng(_SEED)
    means = idle.mean + idle.standard_error * random.standard_normal(many)
    return [
        [
            Candidate("row", "fcfs", 1, (f"exp({m * part:.6g}s)", f"exp({m * (1 - part):.6g}s)"))
            for m in np.maximum(means, 0.1 * idle.mean)
        ]
        for part in SPLITS
    ]
