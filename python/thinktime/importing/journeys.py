"""Ways through requests that part and meet again, as the followers that requests have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from thinktime.importing.draft import Population, Request, Step

Edge = tuple[Request | None, float]
"""Where a way begins or ends, with its share; None is the session's begin or its end."""


@dataclass
class Journey:
    """The requests of a session, and the ends of the ways so far."""

    steps: dict[Request, Step] = field(default_factory=dict)
    first: list[tuple[Request, float]] = field(default_factory=list)
    ends: list[Edge] = field(default_factory=lambda: [(None, 1.0)])

    def add(self, request: Request) -> None:
        """Let a request follow all ends."""
        self.steps[request] = Step(request)
        for end, share in self.ends:
            (self.first if end is None else end.next).append((request, share))
        self.ends = [(request, 1.0)]

    def wait(self, lo_s: float, hi_s: float) -> bool:
        """Add a think time at all ends; False if one of them is the session's begin."""
        for end, _ in self.ends:
            if end is not None:
                self.steps[end].lo_s += lo_s
                self.steps[end].hi_s += hi_s
        return all(end is not None for end, _ in self.ends)

    def write(self, population: Population, kept: Collection[Request]) -> None:
        """Give a population the ways through the requests that are kept."""
        for end, share in self.ends:
            if end is not None:
                end.next.append((None, share))
        self.ends = []
        for gone in [one for one in self.steps if one not in kept]:
            for holder in self.steps:
                holder.next = _without(gone, holder.next)
            self.first = [(one, share) for one, share in _without(gone, [*self.first]) if one]
        population.requests = [one for one in self.steps if one in kept]
        for request in population.requests:
            request.think = self.steps[request].think()
        whole = sum(share for _, share in self.first) or 1.0
        first = [(one, share / whole) for one, share in joined([*self.first]) if one is not None]
        is_plain = len(first) == 1 and first[0][0] is population.requests[0]
        population.first = [] if is_plain else first


def _without(gone: Request, edges: list[Edge]) -> list[Edge]:
    """Edges that lead to what follows a request instead of it."""
    found: list[Edge] = []
    for one, share in edges:
        if one is gone:
            found += [(after, share * each) for after, each in gone.next]
        else:
            found.append((one, share))
    return joined(found)


def joined(edges: list[Edge]) -> list[Edge]:
    """Edges to one request as one."""
    found: dict[Request | None, float] = {}
    for one, share in edges:
        found[one] = found.get(one, 0.0) + share
    return list(found.items())
