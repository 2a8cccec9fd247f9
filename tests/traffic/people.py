"""People: they come, browse from page to page, think in between, and leave."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from traffic.addresses import Addresses
from traffic.arrivals import Arrivals
from traffic.laws import Law, lognormal
from traffic.servers import GIVEN_UP, REFUSED, Request
from traffic.site import END, Kind, Site, chosen
from traffic.world import Process, World


@dataclass(slots=True)
class Person:
    """One user with a browser."""

    user: int
    address: str
    agent: str
    cache: dict[str, float]
    """The times until which the objects in the browser's cache are fresh."""


@dataclass(slots=True)
class Visit:
    """One session: its tabs share the count of its pages."""

    person: Person
    session: int
    pages: int = 0
    tabs: int = 0
    until: float = math.inf
    left: int = 1 << 62
    """The most pages."""


@dataclass
class People:
    """A population of people: partly open, or closed if it has clients instead of arrivals."""

    name: str
    site: Site
    think: Law
    arrivals: Arrivals | None = None
    clients: int = 0
    addresses: Addresses = field(default_factory=Addresses)
    pages: Law | None = None
    """The number of pages of a session, if the journey does not decide it; then it has no `end`."""

    lasts: Law | None = None
    """No page begins this long after the first."""

    returning: float = 0.0
    """The share of sessions of a user who was there before."""

    tabs: float = 0.0
    """After this share of the pages a second tab is opened, with a page that follows this one."""

    cache: bool = False
    unchanged: float = 0.95
    """The share of answers 304 when a browser asks whether an object of its cache has changed."""

    again: float = 0.0
    """The share of users who ask again after an answer of 500 or more, or no answer."""

    backoff: Law = field(default_factory=lambda: lognormal(1.0, 0.7))
    """The delay before they ask again."""

    patience: float = math.inf
    network: Law | None = None
    """The time that a request and its answer travel, together."""

    kind = "people"

    def facts(self) -> dict[str, Any]:
        """The truth about them."""
        single = self.pages is not None and self.pages.mean == 1
        site = self.site
        return {
            "kind": self.kind,
            "model": "closed" if self.clients else "open" if single else "partly-open",
            "arrivals": self.arrivals and self.arrivals.text,
            "clients": self.clients or None,
            "think": str(self.think),
            "pages": self.pages and str(self.pages),
            "first": site.first,
            "matrix": site.matrix(),
            "visits": None if self.pages or self.clients else site.visits(),
            "requests": {kind.name: kind.facts() for kind in site.kinds.values()},
            "tabs": self.tabs,
            "cache": self.cache,
            "retries": self.again,
            "addresses": self.addresses.facts(),
        }

    def begin(self, world: World, seed: str) -> None:
        """Plan all sessions."""
        self._world, self._random = world, Random(seed)
        self._known: list[Person] = []
        for _ in range(self.clients):
            first = world.begin + self._random.random() * self.think.mean
            world.start(self._client(), first)
        if self.arrivals is not None:
            bits = Random(seed + " arrivals").getrandbits(64)
            generator = np.random.default_rng(bits)
            for time in self.arrivals.draw(generator, world.begin, world.end).tolist():
                world.start(self._session(), time)

    def _person(self) -> Person:
        random, known = self._random, self._known
        if known and random.random() < self.returning:
            return known[random.randrange(len(known))]
        address, agent = self.addresses.of(len(known), random)
        person = Person(self._world.new_user(), address, agent, {})
        known.append(person)
        return person

    def _session(self) -> Process:
        visit = Visit(self._person(), self._world.new_session())
        if self.lasts is not None:
            visit.until = self._world.now + self.lasts.draw(self._random)
        if self.pages is not None:
            visit.left = round(self.pages.draw(self._random))
        yield from self._journey(visit, chosen(self.site.first, self._random), math.nan, "-")

    def _client(self) -> Process:
        """One journey after the other, for ever, as one session."""
        person = self._person()
        visit = Visit(person, self._world.new_session())
        think = math.nan
        while True:
            first = chosen(self.site.first, self._random)
            yield from self._journey(visit, first, think, "-")
            think = self.think.draw(self._random)
            yield self._world.now + think

    def _journey(self, visit: Visit, name: str, think: float, referrer: str) -> Process:
        """The pages of one tab."""
        world, random, site = self._world, self._random, self.site
        tab = visit.tabs
        visit.tabs += 1
        while True:
            kind = site.kinds[name]
            visit.pages += 1
            visit.left -= 1
            number = visit.pages - 1
            path, well = yield from self._page(visit, kind, number, tab, think, referrer)
            if not well:
                return
            following = chosen(kind.next, random)
            law = kind.think or self.think
            if following == END or visit.left <= 0:
                return
            referrer = f"https://{site.host}{path}"
            if self.tabs and random.random() < self.tabs:
                pause = law.draw(random)
                other = chosen(kind.next, random)
                if other != END:
                    tabbed = self._journey(visit, other, pause, referrer)
                    world.start(tabbed, world.now + pause)
            think = law.draw(random)
            if world.now + think >= visit.until:
                return
            yield world.now + think
            name = following

    def _page(
        self, visit: Visit, kind: Kind, number: int, tab: int, think: float, referrer: str
    ) -> Process:
        """A page and its embedded objects; returns its path, and whether it arrived in the end."""
        target = kind.asked(self._random, self._world.now)
        page = (number, tab, "page", referrer)
        status = yield from self._fetch(visit.person, visit.session, kind, target, page, think)
        path = target[0]
        well = status < 500 and status not in (GIVEN_UP, REFUSED)
        if well and status < 400 and kind.objects is not None:
            wanted = self._embedded(kind, path)
            embedded = (number, tab, "object", f"https://{self.site.host}{path}")
            many = min(kind.objects.connections, len(wanted))
            yield [self._connection(visit, wanted, embedded) for _ in range(many)]
        return path, well

    def _embedded(self, kind: Kind, path: str) -> list[tuple[Kind, tuple[str, int, int]]]:
        objects = kind.objects
        random = Random(f"{self.name} {path}") if objects.same else self._random
        count = min(int(objects.count.draw(random)), objects.most)
        kinds = [self.site.kinds[chosen(objects.of, random)] for _ in range(count)]
        now = 0.0 if objects.same else self._world.now
        found = [(one, one.asked(random, now)) for one in kinds]
        # A browser asks once for an object that stands on a page several times.
        return list({target[0]: (one, target) for one, target in found}.values())[::-1]

    def _connection(self, visit: Visit, wanted: list[Any], page: tuple[Any, ...]) -> Process:
        """One of the connections that fetch a page's objects."""
        person = visit.person
        while wanted:
            kind, target = wanted.pop()
            path, status, _ = target
            if self.cache and path in person.cache:
                if self._world.now < person.cache[path]:
                    continue
                if self._random.random() < self.unchanged:
                    target = (path, 304, 0)
            status = yield from self._fetch(person, visit.session, kind, target, page, math.nan)
            if self.cache and status in (200, 304) and kind.fresh is not None:
                person.cache[path] = self._world.now + kind.fresh.draw(self._random)

    def _fetch(
        self,
        person: Person,
        session: int,
        kind: Kind,
        target: tuple[str, int, int],
        page: tuple[Any, ...],
        think: float,
    ) -> Process:
        """One request, and further attempts if it fails; returns the last status."""
        path, status, size = target
        number, tab, role, referrer = page
        host, random = self.site.host, self._random
        retry = 0
        while True:
            travel = self.network.draw(random) / 2 if self.network is not None else 0.0
            if travel:
                yield self._world.now + travel
            # fmt: off
            request = Request(
                self.name, person.user, session, number, tab, role, kind.name, host,
                kind.method, path, person.address, person.agent, referrer, status, size,
                kind.demand.draw(random), think, retry, self.patience,
            )
            # fmt: on
            found = yield request
            if travel:
                yield self._world.now + travel
            failed = found >= 500 or found in (GIVEN_UP, REFUSED)
            if not failed or not self.again or random.random() >= self.again:
                return found
            retry += 1
            think = self.backoff.draw(random)
            yield self._world.now + think
