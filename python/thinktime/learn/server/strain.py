"""How much a policy strains the demands of those requests that found many others.

Under the right policy the rank of such a demand, among the demands of its kind that found few
others, is as likely to be one as another. Ranks of all kinds are one sample, so that the few
requests in the greatest crowds, which matter most at a higher load, tell as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thinktime.learn.server.comparison import FEW, LEAST, Sample
from thinktime.learn.server.policies import Policy
from thinktime.learn.server.visits import Floats, Numbers

MANY = (0.5, 0.9, 0.98)
"""The parts of the requests that found fewest; the others are compared with them."""

CLOSE = 0.03
"""Distributions that differ by no more than this, and by chance, are the same."""

ALONE_LEAST = 30
"""A law of fewer requests that were alone is no reference."""

CHANCE = 1.95
"""Kolmogorov's statistic exceeds this many times sqrt(1/n) with a probability of 0.1 %."""


class Strained(NamedTuple):
    """How much a policy strains the demands."""

    strain: float
    """Above 1 the policy is refuted."""

    apart: float
    """The distance that shows it, from 0 to 1."""

    excess: float
    """The largest distance beyond chance."""


@dataclass(frozen=True)
class _Crowd:
    """Requests that found many others, and their references."""

    places: Numbers
    alone: bool
    """Whether the reference is the law of those that were alone, which is known without a policy;
    else it is that of requests that found few."""

    noise: float
    """The distance that chance exceeds with a probability of 0.1 %."""


class Strain:
    """The strains of policies on one sample of a log."""

    def __init__(self, found: Sample) -> None:
        self._found = found

    def of(self, policy: Policy) -> Strained:
        """The strain of a policy; infinite if too few requests can be compared."""
        found = self._found
        values = np.concatenate(
            [part.demands(policy)[kept] for part, kept in zip(found.parts, found.kept, strict=True)]
        )
        few = {kind: np.sort(values[places]) for kind, places in self._few.items()}
        ranks = {alone: self._ranks(values, few, alone) for alone in (False, True)}
        strains, excess = [], 0.0
        for crowd in self._crowds:
            low, high, known = ranks[crowd.alone]
            apart = _apart(low[crowd.places], high[crowd.places], known)
            excess = max(excess, apart - crowd.noise)
            strains.append((apart / (CLOSE + crowd.noise), apart))
        return Strained(*max(strains, default=(np.inf, 1.0)), excess)

    @cached_property
    def _few(self) -> dict[int, Numbers]:
        """Of each kind the places of those that found fewest."""
        found = self._found
        every = {kind: np.flatnonzero(found.kind == kind) for kind in found.kinds}
        return {
            kind: own[found.found[own] <= np.quantile(found.found[own], FEW)]
            for kind, own in every.items()
        }

    @cached_property
    def _crowds(self) -> list[_Crowd]:
        return list(self._all_crowds())

    def _all_crowds(self) -> Iterator[_Crowd]:
        found = self._found
        for alone in (False, True):
            seen = {
                kind: self._known(kind)[2] if alone else len(few) for kind, few in self._few.items()
            }
            kinds = [
                kind for kind, count in seen.items() if count >= (ALONE_LEAST if alone else LEAST)
            ]
            among = np.flatnonzero(np.isin(found.kind, kinds))
            if not len(among):
                continue
            crowded, before = found.found[among], -1
            for share in MANY:
                low = max(float(np.quantile(crowded, share)), float(np.quantile(crowded, FEW)) + 1)
                places = among[crowded >= low]
                if len(places) >= LEAST and len(places) != before:
                    counts = np.bincount(found.kind[places], minlength=max(kinds) + 1)
                    of_few = sum((counts[kind] / len(places)) ** 2 / seen[kind] for kind in kinds)
                    noise = CHANCE * float(np.sqrt(1 / len(places) + of_few))
                    yield _Crowd(places, alone, noise)
                before = len(places)

    def _ranks(
        self, values: Floats, few: dict[int, Floats], alone: bool
    ) -> tuple[Floats, Floats, float]:
        """The least and the greatest rank of each demand, from 0 to 1, and how far they are known.

        They differ because times are rounded.
        """
        low, high, known = np.zeros(len(values)), np.zeros(len(values)), 1.0
        within = self._found.tolerance_s
        for kind, reference in few.items():
            own = self._found.kind == kind
            if alone:
                points, upto, seen = self._known(kind)
                if seen < ALONE_LEAST or not len(points):
                    continue
                known = min(known, float(upto[-1]))
            else:
                points, upto = reference, np.arange(1, len(reference) + 1) / len(reference)
            upto = np.concatenate([[0.0], upto])
            low[own] = upto[np.searchsorted(points, values[own] - within, side="left")]
            high[own] = upto[np.searchsorted(points, values[own] + within, side="right")]
        return low, high, known

    def _known(self, kind: int) -> tuple[Floats, Floats, int]:
        """The law of those that were alone, as far as values suffice, and their number."""
        law = self._found.references[kind]
        known = int(np.searchsorted(law.values, law.known_s, side="right"))
        return law.values[:known], np.cumsum(law.weights[:known]), law.seen if known else 0


def _apart(low: Floats, high: Floats, known: float) -> float:
    """Kolmogorov's distance of ranks from even ones, as far as these are known."""
    count = len(low)
    low, high = np.sort(low), np.sort(high)
    above = np.where(high < known, np.arange(1, count + 1) / count - high, 0.0)
    below = np.where(low <= known, low - np.arange(count) / count, 0.0)
    return max(float(above.max()), float(below.max()), 0.0)
