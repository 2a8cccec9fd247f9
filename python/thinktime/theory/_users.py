"""The populations of a workload as `thinktime.theory.match` sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from thinktime import Distribution, Workload
    from thinktime._core import Population
    from thinktime._core_types import PopulationTable

PAGES = "objects of a page are requested together, so that no product form holds"
LASTS = "the number of requests of a session depends on its response times, as `lasts` ends it"
CAUGHT = (
    "a journey can be caught in different circles of requests, so that averages depend on "
    "which clients come to which"
)


@dataclass(frozen=True)
class Users:
    """One population: the rate and the kinds of its requests, and its think times."""

    name: str
    """Empty if the workload names no populations."""

    clients: int | None
    """The number of clients of a closed one; None for one that arrives by itself."""

    rate: float | None
    """Requests a second; None for a closed one, and if it is not known beforehand."""

    poisson: bool

    single: bool
    """Whether each session is one request."""

    shares: Mapping[str, float]
    """The shares of the kinds among its requests, by name; they sum to 1."""

    thinks: tuple[Distribution | None, ...]
    """The think time after each kind; None for no think time."""

    drawn_alone: bool
    """Whether each request is drawn independently, and the think time is the same after all."""

    refused: str | None
    """Why no formula holds, whatever the system."""

    @property
    def think_s(self) -> float:
        """The mean think time before a request."""
        times = [0.0 if law is None else law.mean for law in self.thinks]
        pairs = zip(times, self.shares.values(), strict=True)
        return sum(share * time for time, share in pairs if share > 0)

    @property
    def words(self) -> str:
        if self.clients is None:
            return self.name
        return f"{self.clients} {self.name or 'client' + 's' * (self.clients > 1)}"


def users_of(workload: Workload) -> list[Users]:
    """All populations, in the order of the file."""
    return [_users(one) for one in workload.populations]


def merged_shares(users: Sequence[Users]) -> list[tuple[str, float]]:
    """The shares of the kinds among all requests, if the rates of all are known.

    Closed populations are taken at their rate in a system that takes no time; or, if they never
    think, at one request a second and client.
    """
    rates = [one.rate if one.clients is None else _most(one) for one in users]
    total = sum(rate or 0.0 for rate in rates)
    merged: dict[str, float] = {}
    for one, rate in zip(users, rates, strict=True):
        for name, share in one.shares.items():
            merged[name] = merged.get(name, 0.0) + share * (rate or 0.0) / total
    return [(name, share) for name, share in merged.items() if share > 0]


def _most(one: Users) -> float:
    return (one.clients or 0) / (one.think_s or 1.0)


def _users(one: Population) -> Users:
    requests, session = one.table["request"], one.table["session"]
    follows = any(request["next"] is not None for request in requests)
    remembers = session["lasts"] is not None or session["cache"]
    shares: dict[str, float] = {}
    for name, share in zip(one.request_names, one.mix, strict=True):
        shares[name] = shares.get(name, 0.0) + share
    own = any(law is not None for law in one.thinks_after)
    per_session = sum(one.visits or [math.nan])
    refused = None
    if any(request["objects"] is not None for request in requests):
        refused = PAGES
    elif remembers and (one.clients is None or follows):
        refused = LASTS
    elif one.clients is not None and follows and _circles(one.table) > 1:
        refused = CAUGHT
    return Users(
        name=one.name,
        clients=one.clients,
        rate=one.request_rate,
        poisson=one.poisson,
        single=one.model == "open" or abs(per_session - 1) < 1e-12,
        shares=shares,
        thinks=tuple(law or one.think for law in one.thinks_after),
        drawn_alone=not (follows or own),
        refused=refused,
    )


def _circles(table: PopulationTable) -> int:
    """The number of sets of requests in which a journey can stay for ever, once there.

    A journey with an end that begins it anew has one.
    """
    requests = {one["name"]: one["next"] or {} for one in table["request"]}
    session = table["session"]
    first = [name for name, share in (session["first"] or {}).items() if share > 0]
    ends = any(next_.get("end", 0) > 0 for next_ in requests.values())
    if ends or session["requests"] is not None:
        return 1
    names = list(requests)
    leads = np.eye(len(names), dtype=bool)
    for name, next_ in requests.items():
        for other, share in next_.items():
            leads[names.index(name), names.index(other)] |= share > 0
    for _ in names:
        leads = (leads.astype(int) @ leads.astype(int)) > 0
    begun = [names.index(name) for name in first or names[:1]]
    reached = np.flatnonzero(leads[begun].any(axis=0))
    stay = {frozenset(np.flatnonzero(leads[k])) for k in reached if leads[leads[k], k].all()}
    return len(stay)
