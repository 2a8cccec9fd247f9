"""Models that the measurement does not tell apart: which is named, and which are asked as well.

How many servers share the work is not seen where all of them are busy nearly all of the time. Such
models answer the same of what was measured, and may answer differently what was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.explain.candidates import Candidate
    from thinktime.explain.choice import Trial
    from thinktime.explain.recognition import Recognition

JUDGED = 3
"""So many of the models that explain the times are simulated, the most probable ones first; and of
each kind that with the fewest servers and that with the most."""

LIKELIER = 0.005
"""By so much a model must be likelier, a request, to be named before one that comes first: a pool
that is hardly ever full does what its station does without one, and is as likely but for 0.001
either way. Set with the first ten seeds of `benches/explain.py`."""


def to_judge(explained: Sequence[Recognition]) -> list[Recognition]:
    """Those that are simulated, the first ones first."""
    kept = list(explained[:JUDGED])
    for same in _by_kind(explained).values():
        kept += [min(same, key=_size), max(same, key=_size)]
    return [one for one in explained if one in kept]


def likeliest(found: Sequence[Trial], first: int) -> int:
    """The place of the likeliest model of those that the distance does not tell from the first.

    Where the first does not fit, it stays the first: a second one is not sought that does.
    """
    if not found[first].fits:
        return first
    near = [n for n, one in enumerate(found) if one.fits and one.apart <= found[first].allowed]
    best = max(near, key=lambda n: found[n].log_likelihood)
    gain = found[best].log_likelihood - found[first].log_likelihood
    return best if gain > LIKELIER else first


def ties_of(found: Sequence[Trial], place: int) -> list[int]:
    """The places of other models that fit as the one there does, and are as likely."""
    one = found[place]
    return [
        n
        for n, other in enumerate(found)
        if n != place
        and one.fits
        and other.fits
        and other.apart <= one.allowed
        and abs(other.log_likelihood - one.log_likelihood) <= LIKELIER
    ]


def simplest(found: Sequence[Trial], place: int) -> int:
    """The place of the model with the fewest servers, of those of its kind that tie with one."""
    kind = found[place].candidate.kind
    same = [n for n in ties_of(found, place) if found[n].candidate.kind == kind]
    return min([place, *same], key=lambda n: _servers(found[n].candidate))


def outermost(those: Sequence[Recognition]) -> Iterator[Recognition]:
    """Of each kind that with the fewest servers and that with the most.

    What others of the kind answer lies between.
    """
    for same in _by_kind(those).values():
        yield from dict.fromkeys((min(same, key=_size), max(same, key=_size)))


def alike(
    named: Recognition,
    ties: Sequence[Recognition],
    explained: Sequence[Recognition],
    judged: Sequence[Recognition],
) -> tuple[Recognition, ...]:
    """Those that tie with what is named, and what was not simulated and lies between in size."""
    ends = {kind: sorted(map(_size, same)) for kind, same in _by_kind([named, *ties]).items()}
    return tuple(
        one
        for one in explained
        if one in ties
        or (
            one not in judged
            and (limits := ends.get(one.candidate.kind))
            and limits[0] <= _size(one) <= limits[-1]
        )
    )


def _by_kind(those: Sequence[Recognition]) -> dict[str, list[Recognition]]:
    found: dict[str, list[Recognition]] = {}
    for one in those:
        found.setdefault(one.candidate.kind, []).append(one)
    return found


def _size(one: Recognition) -> tuple[int, float]:
    return _servers(one.candidate)


def _servers(one: Candidate) -> tuple[int, float]:
    return one.servers, float("inf") if one.places is None else one.places
