"""How much a policy strains the demands of those requests that found many others.

Under the right policy demands do not depend on the number of requests present: the rank of the
demand of a request that found many, among the demands of its kind that found few or no others, is
as likely to be one as another. Ranks of all kinds are one sample, so that the few requests in the
greatest crowds, which matter most at a higher load, tell as well. The distance is Kolmogorov's: the
largest difference between two distribution functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.survival import Survival
from thinktime.candidates.visits import Floats, Mask, Numbers, Visits

PART = 20_000
PARTS = 4
"""The number of stretches that are compared, the busiest ones, and of requests in each."""

LEAST = 100
"""Fewer requests are not compared."""

KINDS_MAX = 8

FEW, MANY = 0.25, (0.5, 0.9, 0.98)
"""The quarter that found fewest, and the parts of the requests beyond which they found many."""

CLOSE = 0.03
"""Distributions that differ by no more than this, and by chance, are the same."""

SAME_TIME = 1e-3
"""Constant demands differ by exactly as much as steps allow, or, as floats, by this share more."""

ALONE_LEAST = 30
"""A law of fewer requests that were alone is no reference."""

CHANCE = 1.95
"""Kolmogorov's statistic exceeds this many times sqrt(1/n) with a probability of 0.1 %."""


class Strain(NamedTuple):
    """How much a policy strains the demands, by the comparison that shows it most."""

    ratio: float
    """The distance as a multiple of the largest one that is allowed: above 1 it is refuted."""

    apart: float
    """The distance, from 0 to 1."""

    noise: float
    """The distance that chance exceeds with a probability of 0.1 %."""

    excess: float
    """The largest distance beyond chance of any comparison."""


class _Law(NamedTuple):
    """Demands in order, the probability of at most each of them, and the number that were seen."""

    points: Floats
    upto: Floats
    seen: int


class _Crowd(NamedTuple):
    """Requests that found many others."""

    places: Numbers
    alone: bool
    """Whether they are compared with those that were alone, whose demands are known without a
    policy; else with those that found few."""

    noise: float


@dataclass(frozen=True)
class Sample:
    """Stretches of a log, and the requests of them that are compared."""

    parts: list[Timeline]
    kept: list[Mask]
    """Whether the demand of each request follows from the stretch."""

    found: Numbers
    """The number of others that each of those found."""

    kind: Numbers
    """Their kinds."""

    kinds: list[int]
    """The kinds that are compared."""

    references: list[Survival]
    """The laws of the demands of all kinds, from requests that found the server idle."""

    tolerance_s: float
    """The precision of demands."""

    @property
    def most(self) -> int:
        """The largest number of requests present."""
        return int(max(part.present.max() for part in self.parts))

    @property
    def compares(self) -> bool:
        """Whether there are enough requests for any comparison."""
        return bool(self._crowds)

    def strains(self, policies: Iterable[Policy]) -> dict[Policy, Strain]:
        """The strain of each policy; 0, and no chance of any, if nothing can be compared."""
        return {policy: self._strain(policy) for policy in policies}

    def _strain(self, policy: Policy) -> Strain:
        values = np.concatenate(
            [part.demands(policy)[kept] for part, kept in zip(self.parts, self.kept, strict=True)]
        )
        few = {
            kind: _Law(np.sort(values[own]), np.arange(1, len(own) + 1) / len(own), len(own))
            for kind, own in self._few.items()
        }
        ranks = [self._ranks(values, laws) for laws in (few, self._alone)]
        found = []
        for places, alone, noise in self._crowds:
            low, high, known = ranks[alone]
            apart = _apart(low[places], high[places], known)
            found.append((apart / (CLOSE + noise), apart, noise))
        excess = max((apart - noise for _, apart, noise in found), default=0.0)
        return Strain(*max(found, default=(0.0, 0.0, 1.0)), max(excess, 0.0))

    # What is compared does not depend on the policy.

    @cached_property
    def _few(self) -> dict[int, Numbers]:
        """Of each kind the places of those that found fewest."""
        every = {kind: np.flatnonzero(self.kind == kind) for kind in self.kinds}
        return {
            kind: own[self.found[own] <= np.quantile(self.found[own], FEW)]
            for kind, own in every.items()
        }

    @cached_property
    def _alone(self) -> dict[int, _Law]:
        """Of each kind the law of those that were alone, as far as values suffice."""
        found = {}
        for kind in self.kinds:
            law = self.references[kind]
            known = int(np.searchsorted(law.values, law.known_s, side="right"))
            if known and law.seen >= ALONE_LEAST:
                found[kind] = _Law(law.values[:known], np.cumsum(law.weights[:known]), law.seen)
        return found

    @cached_property
    def _crowds(self) -> list[_Crowd]:
        few = {kind: len(own) for kind, own in self._few.items() if len(own) >= LEAST}
        alone = {kind: law.seen for kind, law in self._alone.items()}
        return [*self._against(few, False), *self._against(alone, True)]

    def _against(self, seen: dict[int, int], alone: bool) -> Iterator[_Crowd]:
        """The crowds that are compared with this many requests of their kinds."""
        among = np.flatnonzero(np.isin(self.kind, list(seen)))
        if not len(among):
            return
        crowded, before = self.found[among], -1
        for share in MANY:
            low = max(float(np.quantile(crowded, share)), float(np.quantile(crowded, FEW)) + 1)
            places = among[crowded >= low]
            if len(places) >= LEAST and len(places) != before:
                counts = np.bincount(self.kind[places], minlength=max(seen) + 1)
                of_few = sum((counts[kind] / len(places)) ** 2 / seen[kind] for kind in seen)
                yield _Crowd(places, alone, CHANCE * float(np.sqrt(1 / len(places) + of_few)))
            before = len(places)

    def _ranks(self, values: Floats, laws: dict[int, _Law]) -> tuple[Floats, Floats, float]:
        """The least and the greatest rank of each demand, from 0 to 1, and how far they are known.

        They differ because times are rounded.
        """
        low, high = np.zeros(len(values)), np.zeros(len(values))
        for kind, law in laws.items():
            own = self.kind == kind
            upto = np.concatenate([[0.0], law.upto])
            within = self.tolerance_s
            low[own] = upto[np.searchsorted(law.points, values[own] - within, side="left")]
            high[own] = upto[np.searchsorted(law.points, values[own] + within, side="right")]
        return low, high, min((float(law.upto[-1]) for law in laws.values()), default=1.0)


def _apart(low: Floats, high: Floats, known: float) -> float:
    """Kolmogorov's distance of ranks from even ones, as far as these are known."""
    count = len(low)
    low, high = np.sort(low), np.sort(high)
    above = np.where(high < known, np.arange(1, count + 1) / count - high, 0.0)
    below = np.where(low <= known, low - np.arange(count) / count, 0.0)
    return max(float(above.max()), float(below.max()), 0.0)


def sample(log: Visits, references: list[Survival]) -> Sample | None:
    """The compared part of a log; None if it is too small."""
    if not len(log):
        return None
    parts = [Timeline.of(part) for part in _busiest(log)]
    kept = [_settled(part.log) & part.log.over for part in parts]
    found = np.concatenate([part.log.found[one] for part, one in zip(parts, kept, strict=True)])
    kind = np.concatenate([part.log.kind[one] for part, one in zip(parts, kept, strict=True)])
    counts = np.bincount(kind[kind >= 0], minlength=len(references))
    kinds = [int(one) for one in np.argsort(-counts, kind="stable") if counts[one] >= 4 * LEAST]
    if not kinds or not found.max(initial=0):
        return None
    tolerance_s = (log.stamp_s + log.step_s / 2) * (1 + SAME_TIME)
    return Sample(parts, kept, found, kind, kinds[:KINDS_MAX], references, tolerance_s)


def _busiest(log: Visits) -> list[Visits]:
    """The stretches with the most work in progress."""
    begins = np.arange(0, len(log), PART)
    inside = np.add.reduceat(log.duration_s, begins)
    ends = np.minimum(begins + PART, len(log)) - 1
    span = np.maximum(log.arrival_s[ends] - log.arrival_s[begins], 1e-9)
    chosen = np.argsort(-inside / span, kind="stable")[:PARTS]
    return [log.part(slice(begin, begin + PART)) for begin in np.sort(begins[chosen])]


def _settled(part: Visits) -> Mask:
    """Requests after the first moment at which the stretch is surely empty, less the last ones.

    Before it, some of those present are not in the stretch; of the last ones some are not in the
    log, as they did not end in time.
    """
    before = np.concatenate([[-np.inf], np.maximum.accumulate(part.done_s)[:-1]])
    free = np.flatnonzero(before[1:] <= part.arrival_s[1:])
    begin = int(free[0]) + 1 if len(free) and free[0] < len(part) // 2 else len(part) // 10
    kept = np.arange(len(part)) >= begin
    kept &= part.arrival_s <= part.arrival_s[-1] - np.quantile(part.duration_s, 0.99)
    return np.asarray(kept & ~haunted(part))


def haunted(log: Visits) -> Mask:
    """Requests present while the server may still have worked on one that a client had given up.

    That work is taken to last as long again as the client waited.
    """
    left = np.flatnonzero(~log.over)
    if not len(left):
        return np.zeros(len(log), dtype=bool)
    begin = log.done_s[left]
    order = np.argsort(begin)
    begins = begin[order]
    ends = np.maximum.accumulate((begin + log.duration_s[left])[order])
    # The last of them that begins before a request ends: does it last beyond its arrival?
    last = np.searchsorted(begins, log.done_s, side="left") - 1
    return np.asarray((last >= 0) & (ends[np.maximum(last, 0)] > log.arrival_s))
