"""Whether demands depend on the number of requests present: under the right policy they do not.

Demands of the requests that found many others are compared with those that found few, and with
those of requests that found the server idle, which are known without any policy. The distance is
Kolmogorov's: the largest difference between two distribution functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thinktime.learn.server.policies import Policy, Timeline
from thinktime.learn.server.survival import Survival
from thinktime.learn.server.visits import Floats, Mask, Numbers, ServerVisits

PART = 20_000
PARTS = 4
"""The number of stretches that are compared, the busiest ones, and of requests in each."""

LEAST = 100
"""Fewer requests are not compared."""

KINDS_MAX = 8

FEW, MANY = 0.25, (0.5, 0.9)
"""The quarter that found fewest, against the half and the tenth that found most."""

MEAN, BEYOND = 0.87, 0.76
"""Kolmogorov's statistic is this many times sqrt(1/n + 1/m) on average. The second number is the
excess over that with a probability of 1 %."""


@dataclass(frozen=True)
class Distance:
    """How strongly demands depend on the requests present."""

    apart: float
    """Kolmogorov's distance, averaged over kinds by their requests: 0 to 1."""

    noise: float
    """The distance that chance exceeds with a probability of 1 %."""


class _Pair(NamedTuple):
    """Requests of one kind that found many others, and what their demands are compared with."""

    many: Numbers
    """Their places."""

    few: int
    """The place of their kind among those that are compared."""

    points: Floats | None
    """The demands that are known without any policy; None if they are compared with those of
    requests that found few."""

    upto: Floats
    """The distribution function of what they are compared with."""


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

    def distance(self, policy: Policy) -> Distance:
        """The largest distance among all comparisons, each of which has its own noise."""
        drawn = [
            part.demands(policy)[kept] for part, kept in zip(self.parts, self.kept, strict=True)
        ]
        values = np.concatenate(drawn)
        few = [np.sort(values[places]) for places in self._few]
        distances = [
            Distance(self._apart(values, few, pairs), noise) for pairs, noise in self._comparisons
        ]
        return max(distances, key=lambda one: one.apart - one.noise, default=Distance(0.0, 1.0))

    def _apart(self, values: Floats, few: list[Floats], pairs: list[_Pair]) -> float:
        """The distance of one comparison; `few` are the demands of those that found fewest."""
        apart = []
        for one in pairs:
            points = few[one.few] if one.points is None else one.points
            many = np.sort(values[one.many])
            apart.append(_kolmogorov(points, one.upto, many, self.tolerance_s))
        return float(np.average(apart, weights=[len(one.many) for one in pairs]))

    # What is compared does not depend on the policy.

    @cached_property
    def _few(self) -> list[Numbers]:
        """Of each kind the places of those that found fewest."""
        every = (np.flatnonzero(self.kind == kind) for kind in self.kinds)
        return [own[self.found[own] <= np.quantile(self.found[own], FEW)] for own in every]

    @cached_property
    def _comparisons(self) -> list[tuple[list[_Pair], float]]:
        """The comparisons, each with its noise."""
        both = [self._pairs(share, alone) for share in MANY for alone in (False, True)]
        return [
            (pairs, chance(*(np.array(column) for column in zip(*counts, strict=True))))
            for pairs, counts in both
            if pairs
        ]

    def _pairs(self, share: float, alone: bool) -> tuple[list[_Pair], list[tuple[int, int]]]:
        """Requests that found more than this share of the others did, against few or none.

        The second list has the numbers of both.
        """
        pairs, counts = [], []
        for place, kind in enumerate(self.kinds):
            own = np.flatnonzero(self.kind == kind)
            found = self.found[own]
            low, high = np.quantile(found, [FEW, share])
            many = own[found >= max(high, low + 1, 1)]
            if alone:
                points, upto, seen = _known(self.references[kind])
                pair = _Pair(many, place, points, upto)
            else:
                seen = len(self._few[place])
                pair = _Pair(many, place, None, np.arange(1, seen + 1) / seen)
            if len(many) >= LEAST and seen >= LEAST and len(pair.upto):
                pairs.append(pair)
                counts.append((len(many), seen))
        return pairs, counts


def sample(log: ServerVisits, references: list[Survival]) -> Sample | None:
    """The compared part of a log; None if it is too small."""
    if not len(log):
        return None
    parts = [Timeline.of(part) for part in _busiest(log)]
    kept = [_settled(part.log) & part.log.over for part in parts]
    found = np.concatenate([part.found[those] for part, those in zip(parts, kept, strict=True)])
    kind = np.concatenate([part.log.kind[those] for part, those in zip(parts, kept, strict=True)])
    counts = np.bincount(kind[kind >= 0], minlength=len(references))
    kinds = [int(one) for one in np.argsort(-counts, kind="stable") if counts[one] >= 4 * LEAST]
    if not kinds or not found.max(initial=0):
        return None
    return Sample(
        parts, kept, found, kind, kinds[:KINDS_MAX], references, log.stamp_s + log.step_s / 2
    )


def chance(ones: Numbers, others: Numbers) -> float:
    """The distance that kinds with this many values exceed by chance with a probability of 1 %.

    Each distance is weighted by ``ones``.
    """
    weight = ones / ones.sum()
    each = float((weight * np.sqrt(1 / ones + 1 / others)).sum())
    return each * float(MEAN + BEYOND * np.sqrt((weight**2).sum()))


def _known(reference: Survival) -> tuple[Floats, Floats, int]:
    """The values of a law and its distribution function there, as far as values suffice."""
    known = int(np.searchsorted(reference.values, reference.known_s, side="right"))
    return reference.values[:known], np.cumsum(reference.weights[:known]), reference.seen


def _kolmogorov(points: Floats, upto: Floats, values: Floats, tolerance: float) -> float:
    """The largest difference between a step function and sorted values of this precision."""
    among = np.searchsorted(values, points + tolerance, side="right") / len(values)
    below = np.searchsorted(values, points - tolerance, side="left") / len(values)
    before = np.concatenate([[0.0], upto[:-1]])
    return max(float((upto - among).max()), float((below - before).max()), 0.0)


def _busiest(log: ServerVisits) -> list[ServerVisits]:
    """The stretches with the most work in progress."""
    begins = np.arange(0, len(log), PART)
    inside = np.add.reduceat(log.duration_s, begins)
    ends = np.minimum(begins + PART, len(log)) - 1
    span = np.maximum(log.arrival_s[ends] - log.arrival_s[begins], 1e-9)
    chosen = np.argsort(-inside / span, kind="stable")[:PARTS]
    return [log.part(slice(begin, begin + PART)) for begin in np.sort(begins[chosen])]


def _settled(part: ServerVisits) -> Mask:
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


def haunted(log: ServerVisits) -> Mask:
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
