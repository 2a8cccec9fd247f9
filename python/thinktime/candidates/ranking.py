"""Which of several candidates is named, and which ones chance does not tell from it.

The number of servers that share the work does not show if all of them are busy nearly all of the
time. Such models give the same answers for the measured workload and may differ for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from thinktime.candidates.candidate import Candidate

JUDGED = 3
"""The number of models that are simulated, the most probable first. Of each kind the ones with the
fewest and the most servers are simulated as well."""

LIKELIER = 0.005
"""A model must be likelier by this much, a request, to be named before an earlier one. A pool that
is hardly ever full acts as its station does without one, and is as likely but for 0.001 either way.
Set with the first ten seeds of `benches/explain.py`."""

CLOSE = 0.04
"""Models that are no further apart count as the same, whatever chance says."""

CHANCE = 1.25
"""A model fits if the measurement is no further from its simulations than this many times the
distance of any simulation from the others."""

TELLING = 0.3
"""A model is not named if chance may take it further off than this: too often it is wrong. Set by
simulated runs of 1,200 to 20,000 requests: see `docs/explain.md`."""

FAR = 0.6
"""A model that is further off never fits, whatever chance says; 1 means nothing in common."""

MEAN_OFF = 5.41
"""Student's t of 7 degrees, those of 8 simulations, exceeds it in one of 1,000 cases."""


class Modelled(Protocol):
    """Something that has a candidate, perhaps without its demands."""

    @property
    def candidate(self) -> Candidate: ...


Model = TypeVar("Model", bound=Modelled)


@dataclass(frozen=True)
class Score:
    """A model and its distance from the sample."""

    variants: tuple[Candidate, ...]
    """The model with laws that might as well have been learned from the first part."""

    apart: float
    """The mean distance of all variants from the held-out part: see `similarity.distance`."""

    chance: float
    """The distance of the farthest variant from the others."""

    mean_off: float = 0.0
    """The distance of the measured mean response time from those of the variants, in standard
    errors of one more variant. It is the larger of two: for the held-out part, and for all of the
    time. The distance above hardly sees a few very long requests."""

    log_likelihood: float = 0.0
    """The log-likelihood a request of the held-out part: see `similarity.log_likelihood`."""

    @property
    def candidate(self) -> Candidate:
        """One of the variants."""
        return self.variants[0]

    @property
    def words(self) -> str:
        """The model in words."""
        return self.candidate.words

    @property
    def allowed(self) -> float:
        """The largest distance at which the model fits."""
        return max(CLOSE, CHANCE * self.chance)

    @property
    def near(self) -> bool:
        """Whether the model is within `allowed`, and within `FAR`."""
        return self.apart <= min(self.allowed, FAR)

    @property
    def tells(self) -> bool:
        """Whether a small distance is evidence: chance would not let just any server pass."""
        return self.allowed <= TELLING

    @property
    def fits(self) -> bool:
        """Whether the model fits, and the requests suffice to see that."""
        return self.tells and self.near and abs(self.mean_off) <= MEAN_OFF

    def needed(self, requests: int) -> int:
        """Roughly how many requests would suffice: chance falls with the root of their number."""
        return int(np.ceil(requests * (self.allowed / TELLING) ** 2))

    def to_dict(self) -> dict[str, Any]:
        """The model and its distance for JSON."""
        names = ("words", "apart", "allowed", "log_likelihood", "fits")
        return {name: getattr(self, name) for name in names}

    def ties(self, other: Score) -> bool:
        """Whether another model fits as this one does, and is as likely."""
        return (
            self.fits
            and other.fits
            and other.apart <= self.allowed
            and abs(other.log_likelihood - self.log_likelihood) <= LIKELIER
        )


def to_judge(explained: Sequence[Model]) -> list[Model]:
    """The models that are simulated, in order of priority."""
    kept = [*explained[:JUDGED], *outermost(explained)]
    return [one for one in explained if one in kept]


def best_of(found: Sequence[Score]) -> int:
    """The place of the model that is named; the first one is the most probable.

    It is the likeliest of those that the distance does not tell from the first; of those of its
    kind that tie with it, the one with the fewest servers. If the first does not fit, it stays the
    first: no fitting one is sought.
    """
    first = found[0]
    if not first.fits:
        return 0
    near = [one for one in found if one.fits and one.apart <= first.allowed]
    best = max(near, key=lambda one: one.log_likelihood)
    if best.log_likelihood - first.log_likelihood <= LIKELIER:
        best = first
    kind = best.candidate.kind
    same = [one for one in found if one.candidate.kind == kind and best.ties(one)]
    return found.index(min([best, *same], key=lambda one: one.candidate.size))


def outermost(those: Sequence[Model]) -> Iterator[Model]:
    """The models with the fewest and with the most servers of each kind.

    The answers of others of the kind lie between.
    """
    for kind in dict.fromkeys(one.candidate.kind for one in those):
        same = [one for one in those if one.candidate.kind == kind]
        least, most = (pick(same, key=lambda one: one.candidate.size) for pick in (min, max))
        yield from [least] if least is most else [least, most]


def alike(
    named: Model, ties: Sequence[Model], explained: Sequence[Model], judged: Sequence[Model]
) -> tuple[Model, ...]:
    """The models that tie with the named one, and those between in size that were not simulated."""
    ends: dict[str, list[tuple[int, float]]] = {}
    for one in outermost([named, *ties]):
        ends.setdefault(one.candidate.kind, []).append(one.candidate.size)

    def between(one: Model) -> bool:
        limits = ends.get(one.candidate.kind)
        return limits is not None and limits[0] <= one.candidate.size <= limits[-1]

    return tuple(one for one in explained if one in ties or (one not in judged and between(one)))
