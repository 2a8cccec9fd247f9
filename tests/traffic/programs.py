"""Programs: they ask by the clock, in loops, or crawl a whole site."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from traffic.addresses import dotted
from traffic.arrivals import Arrivals
from traffic.laws import Law, const, exp
from traffic.servers import Request
from traffic.site import Kind, Target
from traffic.world import Process, World


@dataclass
class Program(ABC):
    """The common parts of programs: many of them, each asking for kinds of requests by weight."""

    name: str
    asks: list[Kind]
    count: int = 1
    network: int = 100
    """Their networks: see `Addresses`."""

    one_address: bool = False
    agent: str = "stock-sync/3.2"
    host: str = "www.example.com"
    weights: list[float] | None = None

    kind = "program"
    model = "closed"

    def facts(self) -> dict[str, Any]:
        """The truth about them."""
        return {
            "kind": self.kind,
            "model": self.model,
            "clients": self.count,
            "one_address": self.one_address,
            "agent": self.agent,
            "requests": {kind.name: kind.facts() for kind in self.asks},
        }

    @abstractmethod
    def begin(self, world: World, seed: str) -> None:
        """Start all of them."""

    def _address(self, number: int) -> str:
        return dotted(self.network, 0 if self.one_address else number + 1)

    def _request(
        self,
        user: int,
        session: int,
        address: str,
        page: int,
        think: float,
        kind: Kind | None = None,
    ) -> Request:
        random = self._random
        if kind is None:
            kind = self.asks[0]
            if len(self.asks) > 1:
                kind = random.choices(self.asks, self.weights)[0]
        path, status, size = kind.asked(random, self._world.now)
        return Request(
            *(self.name, user, session, page, 0, "call", kind.name, self.host, kind.method),
            *(path, address, self.agent, "-", status, size, kind.demand.draw(random), think),
        )


@dataclass
class Standing(Program):
    """Programs that exist from the beginning."""

    def begin(self, world: World, seed: str) -> None:
        """Start all of them."""
        self._world, self._random = world, Random(seed)
        for number in range(self.count):
            ident = (world.new_user(), world.new_session(), self._address(number))
            world.start(self._run(*ident), world.begin)

    @abstractmethod
    def _run(self, user: int, session: int, address: str) -> Process:
        """The actions of one of them, from its beginning to its end."""


@dataclass
class Loop(Standing):
    """Closed loops: each asks again a think time after the answer, whatever the answer is."""

    think: Law = field(default_factory=lambda: const(5.0))
    during: list[tuple[float, float]] | None = None
    """The time span in which they run; always by default."""

    kind = "loop"

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"think": str(self.think), "during": self.during}

    def _run(self, user: int, session: int, address: str) -> Process:
        world, random = self._world, self._random
        for begin, end in self.during or [(world.begin, world.end)]:
            # The phases of loops that think are arbitrary.
            phase = random.random() * self.think.mean
            yield max(begin + phase, world.now)
            page, think = 0, math.nan
            while world.now < end:
                yield self._request(user, session, address, page, think)
                page += 1
                think = self.think.draw(random)
                if think:
                    yield world.now + think


@dataclass
class Even(Standing):
    """Checks by the clock: each asks at a fixed interval, answered or not."""

    every: float = 10.0
    kind = "even"
    model = "open"

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"every_s": self.every}

    def _run(self, user: int, session: int, address: str) -> Process:
        world = self._world
        yield world.begin + self._random.random() * self.every
        page, due = 0, world.now
        while True:
            think = math.nan if page == 0 else self.every
            world.ask(self._request(user, session, address, page, think), lambda _: None)
            page += 1
            due += self.every
            yield due


ROBOTS = Kind("robots", Target("/robots.txt"), size=const(320), demand=const(0.001))


@dataclass
class Crawler(Loop):
    """Crawls the paths of its kinds in order, from some addresses by turns."""

    think: Law = field(default_factory=lambda: exp(2.0))
    declared: bool = True
    """Whether it asks for robots.txt first, and every hour; its agent is given separately."""

    addresses: int = 1
    hops: float = 0.1
    """The time between changes of its address."""

    kind = "crawler"

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"declared": self.declared, "addresses": self.addresses}

    def _run(self, user: int, session: int, address: str) -> Process:
        world, random = self._world, self._random
        asks = self.asks
        own = [dotted(self.network + 1, user * 16 % 65_000 + n) for n in range(self.addresses)]
        address, page, think, robots = own[0], 0, math.nan, -math.inf
        place = random.randrange(100_000)
        yield world.begin + random.random() * self.think.mean
        while True:
            kind = asks[place % len(asks)]
            if self.declared and world.now > robots + 3600:
                kind, robots = ROBOTS, world.now
            request = self._request(user, session, address, page, think, kind)
            if kind is not ROBOTS:
                number = place // len(asks) % kind.target.count
                request.path, request.status, request.size = kind.answer(number)
                place += 1
            yield request
            page += 1
            think = self.think.draw(random)
            yield world.now + think
            if random.random() < self.hops:
                address = own[random.randrange(len(own))]


SUSPECTS = [
    "/wp-login.php", "/.env", "/.git/config", "/phpmyadmin/index.php", "/admin.php", "/shell.php",
    "/xmlrpc.php", "/config.php.bak", "/backup.zip", "/server-status", "/actuator/health",
    "/cgi-bin/luci", "/boaform/admin/formLogin", "/vendor/phpunit/phpunit/phpunit.xml",
]  # fmt: skip


@dataclass
class Scanners(Program):
    """Scanners for holes: each comes once, asks fast for missing paths, and is gone."""

    scans: Arrivals | None = None
    probes: Law = field(default_factory=lambda: exp(400.0))
    """The number of requests of a scan."""

    gap: Law = field(default_factory=lambda: exp(0.15))
    hands: int = 1
    kind = "scanner"
    model = "partly-open"

    def facts(self) -> dict[str, Any]:
        more = {"arrivals": self.scans and self.scans.text, "probes": str(self.probes)}
        return super().facts() | more | {"think": str(self.gap), "clients": None}

    def begin(self, world: World, seed: str) -> None:
        self._world, self._random = world, Random(seed)
        generator = np.random.default_rng(Random(seed + " arrivals").getrandbits(64))
        times = self.scans.draw(generator, world.begin, world.end).tolist()
        for number, time in enumerate(times):
            user, session = world.new_user(), world.new_session()
            left = [1 + int(self.probes.draw(self._random)), 0]
            for _ in range(self.hands):
                world.start(self._scan(user, session, self._address(number), left), time)

    def _scan(self, user: int, session: int, address: str, left: list[int]) -> Process:
        world, random = self._world, self._random
        think = math.nan
        while left[0] > 0:
            left[0] -= 1
            request = self._request(user, session, address, left[1], think)
            left[1] += 1
            # Nine of ten do not exist.
            request.path, request.status = random.choice(SUSPECTS), 404
            if random.random() < 0.5:
                request.path = f"/{random.choice(['old', 'test', 'backup', 'api'])}/{left[1]}.php"
            if random.random() < 0.1:
                request.path, request.status = "/", 200
            request.size = 196 if request.status == 404 else 5120
            yield request
            think = self.gap.draw(random)
            yield world.now + think
