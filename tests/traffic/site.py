"""The contents of a site: kinds of requests, their targets and popularity, and the order of
pages."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import Any
from uuid import UUID

import numpy as np

from traffic.laws import Law, exp, lognormal

END = "end"
MATRIX_WITHIN = 1e-9

SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def pronounceable(number: int) -> str:
    """A name for a number; different numbers have different names."""
    name = ""
    while True:
        number, rest = divmod(number, len(SYLLABLES))
        name += SYLLABLES[rest]
        if number == 0:
            return name
        number -= 1


@dataclass(frozen=True)
class Target:
    """Paths of one template, whose popularity follows Zipf's law: P(rank r) ~ 1 / r^s.

    The template's `{id}` is a number, `{name}` a name and `{uuid}` a UUID; each is one to one with
    the path's number. Without any of them there is one path.
    """

    template: str
    count: int = 1
    exponent: float = 0.0
    fashion_s: float = 0.0
    """The duration of an order of popularity: then each path moves one rank down, and the last
    comes first. With 0 it stays for ever."""

    @cached_property
    def _upto(self) -> list[float]:
        return list(accumulate((rank + 1.0) ** -self.exponent for rank in range(self.count)))

    def number(self, random: Random, now: float = 0.0) -> int:
        """The number of one of the paths, from 0: at first it is the rank."""
        if self.count == 1:
            return 0
        upto = self._upto
        rank = min(bisect(upto, random.random() * upto[-1]), self.count - 1)
        return (rank - int(now // self.fashion_s)) % self.count if self.fashion_s else rank

    def path(self, number: int) -> str:
        """The path of a number."""
        path = self.template
        if "{id}" in path:
            # Popular items do not have the least numbers: 7919 is a prime.
            path = path.replace("{id}", str(1 + number * 7919 % self.count))
        if "{name}" in path:
            path = path.replace("{name}", pronounceable(number))
        if "{uuid}" in path:
            bits = Random(f"{self.template} {number}").getrandbits(128)
            path = path.replace("{uuid}", str(UUID(int=bits, version=4)))
        return path


@dataclass(frozen=True)
class Objects:
    """The embedded objects of a page: a number of requests (rounded down) of these kinds by weight.

    They are requested as soon as the page is there, over `connections` at a time. With `same` a
    page with one path embeds the same objects every time, else they are drawn anew.
    """

    count: Law
    of: dict[str, float]
    connections: int = 6
    most: int = 200
    same: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of request."""

    name: str
    target: Target
    method: str = "GET"
    size: Law = field(default_factory=lambda: lognormal(8.5, 1.0))
    """Bytes of the response; a path has one size, the same every time."""

    demand: Law = field(default_factory=lambda: exp(0.02))
    missing: float = 0.0
    """The share of paths that do not exist: they are answered with 404."""

    status: int = 200
    next: dict[str, float] = field(default_factory=dict)
    """The page that follows, by probability; `end` ends the journey."""

    think: Law | None = None
    """The think time after this page, instead of the session's."""

    objects: Objects | None = None
    fresh: Law | None = None
    """The time in which a browser with a cache does not ask again; then it asks whether it
    changed."""

    @cached_property
    def _known(self) -> dict[int, tuple[str, int, int]]:
        return {}

    def asked(self, random: Random, now: float) -> tuple[str, int, int]:
        """A path of this kind by popularity, the status of its answer and the bytes of it."""
        return self.answer(self.target.number(random, now))

    def answer(self, number: int) -> tuple[str, int, int]:
        """The path of this number, the status of its answer and the bytes of it."""
        known = self._known.get(number)
        if known is None:
            path = self.target.path(number)
            own = Random(f"{self.name} {path}")
            there = own.random() >= self.missing
            size = int(self.size.draw(own)) if there else 196
            known = self._known[number] = (path, self.status if there else 404, size)
        return known

    def facts(self) -> dict[str, Any]:
        """The truth about it."""
        return {
            "template": self.target.template,
            "paths": self.target.count,
            "zipf_s": self.target.exponent,
            "fashion_s": self.target.fashion_s,
            "method": self.method,
            "size": str(self.size),
            "demand": str(self.demand),
            "missing": self.missing,
            "think": self.think and str(self.think),
            "objects": self.objects and {"count": str(self.objects.count), "of": self.objects.of},
        }


@dataclass(frozen=True)
class Site:
    """Pages that follow one another as a Markov chain, and their embedded objects."""

    pages: list[Kind]
    first: dict[str, float]
    """The first page of a journey, by probability."""

    objects: list[Kind] = field(default_factory=list)
    host: str = "www.example.com"

    def __post_init__(self) -> None:
        rows = {kind.name: kind.next for kind in self.pages} | {"first": self.first}
        for name, row in rows.items():
            if abs(sum(row.values()) - 1) > MATRIX_WITHIN:
                raise ValueError(f"what follows {name} sums to {sum(row.values())}, not to 1")
            unknown = set(row) - {kind.name for kind in self.pages} - {END}
            if unknown:
                raise ValueError(f"{name} is followed by {unknown}, which is no page")

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """All kinds by name."""
        return {kind.name: kind for kind in [*self.pages, *self.objects]}

    def matrix(self) -> dict[str, dict[str, float]]:
        """The followers of each page, by probability."""
        return {kind.name: dict(kind.next) for kind in self.pages}

    def visits(self) -> dict[str, float]:
        """The mean number of visits of a journey to each page: v = f (I - P)^-1."""
        names = [kind.name for kind in self.pages]
        chain = np.array([[kind.next.get(name, 0.0) for name in names] for kind in self.pages])
        first = np.array([self.first.get(name, 0.0) for name in names])
        visits = np.linalg.solve(np.eye(len(names)) - chain.T, first)
        return dict(zip(names, visits.tolist(), strict=True))


def chosen(weights: dict[str, float], random: Random) -> str:
    """One of the names, by weight: as `random.choices` draws it, whose sums are kept."""
    known = _SUMS.get(id(weights))
    if known is None:
        upto = list(accumulate(weights.values()))
        known = _SUMS[id(weights)] = (weights, list(weights), upto)
    _, names, upto = known
    return names[bisect(upto, random.random() * (upto[-1] + 0.0), 0, len(names) - 1)]


_SUMS: dict[int, tuple[dict[str, float], list[str], list[float]]] = {}
"""The names and sums of weights that were drawn from. The weights, which do not change, are kept
too: no others can come to their place."""
