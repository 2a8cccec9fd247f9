"""Models that the measurement does not tell apart: which one is named, and which are also asked.

The number of servers that share the work does not show if all of them are busy nearly all of the
time. Such models give the same answers for the measured workload and may differ for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.explain.candidates import Candidate
    from thinktime.explain.choice import Trial
    from thinktime.explain.recognition import Recognition

JUDGED = 3
"""The number of models that are simulated, the most probable first. Of each kind the ones with the
fewest and the most servers are simulated as well."""

LIKELIER = 0.005
"""A model must be likelier by this much, a request, to be named before an earlier one. A pool that
is hardly ever full acts as its station does without one, and is as likely but for 0.001 either way.
Set with the first ten seeds of `benches/explain.py`."""


def to_judge(explained: Sequence[Recognition]) -> list[Recognition]:
    """The models that are simulated, in order of priority."""
    kept = list(explained[:JUDGED])
    for same in _by_kind(explained).values():
        kept += [min(same, key=_size), max(same, key=_size)]
    return [one for one in explained if one in kept]


def likeliest(found: Sequence[Trial], first: int) -> int:
    """The place of the likeliest of the models that the distance does not tell from the first.

    If the first does not fit, it stays the first: no fitting one is sought.
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
    """The models with the fewest and with the most servers of each kind.

    The answers of others of the kind lie between.
    """
    for same in _by_kind(those).values():
        yield from dict.fromkeys((min(same, key=_size), max(same, key=_size)))


def alike(
    named: Recognition,
    ties: Sequence[Recognition],
    explained: Sequence[Recognition],
    judged: Sequence[Recognition],
) -> tuple[Recognition, ...]:
    """The models that tie with the named one, and those between in size that were not simulated."""
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
