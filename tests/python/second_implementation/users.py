"""Sessions: their requests and times. Times are in nanoseconds from the start of the run."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from .files import END, Population, System
from .servers import NEVER, station


class Row(NamedTuple):
    """One request that is over."""

    population: str
    session: int
    request: int
    name: str
    page: int | None
    scheduled_ns: int
    done_ns: int
    demand_ns: int


@dataclass(eq=False)
class Session:
    """A session; its number is unique among all populations."""

    of: Population
    number: int
    requests: int = 0
    """Begun so far."""
    left: float = NEVER
    """The number of requests still allowed, objects not counted."""
    until: float = NEVER
    has: set[Any] = field(default_factory=set)
    page: int = -1
    objects: int = 0
    """The page's objects that are not requested yet."""
    loading: int = 0
    """Connections in use."""


class Job(NamedTuple):
    """A request at the station."""

    session: Session
    request: int
    name: str
    page: int | None
    base: str | None
    """For an object, its page's."""
    scheduled: int
    demand: int


class Run:
    """One simulation."""

    def __init__(self, of: list[Population], system: System, chance: random.Random) -> None:
        self.of, self.system, self.chance = of, system, chance
        self.station = station(system.policy, system.servers)
        self.events: list[tuple[int, int, Callable[[int], None]]] = []
        self.count = self.sessions = 0
        self.rows: list[Row] = []
        self.most: float = NEVER

    def at(self, time: int, what: Callable[[int], None]) -> None:
        """Schedules an event; events at one instant happen in the order of the calls."""
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what))

    def run(self, until: float, requests: float = NEVER) -> list[Row]:
        """From an empty start: no request begins at `until` or later, nor after `requests` ones."""
        self.until, self.most = until, requests
        for population in self.of:
            for _ in range(population.clients):
                session = self.new_session(population)
                think = population.think
                self.at(think(self.chance) if think else 0, partial(self.begin, session))
            if population.gap:
                self.at(population.gap(self.chance), partial(self.arrive, population))
        while True:
            event = self.events[0][0] if self.events else NEVER
            departure = self.station.next_departure()
            if min(event, departure) == NEVER:
                return self.rows
            if departure <= event:
                self.depart(round(departure), self.station.depart())
            else:
                time, _, what = heapq.heappop(self.events)
                if time < self.until:
                    what(time)

    # ---- sessions

    def new_session(self, of: Population) -> Session:
        self.sessions += 1
        return Session(of, self.sessions - 1)

    def arrive(self, of: Population, now: int) -> None:
        assert of.gap is not None
        self.at(now + of.gap(self.chance), partial(self.arrive, of))
        self.begin(self.new_session(of), now)

    def begin(self, session: Session, now: int) -> None:
        """Its first request, as a new session."""
        of = session.of
        session.has = set()
        session.left = 1 if of.model == "open" else of.number(self.chance) if of.number else NEVER
        session.until = now + of.lasts(self.chance) if of.lasts else NEVER
        self.send_base(session, of.begin.draw(self.chance), now)

    def send_base(self, session: Session, name: str, now: int) -> None:
        session.page = session.requests
        is_page = session.of.requests[name].objects is not None
        self.send(session, name, session.page if is_page else None, None, now)

    def send(
        self, session: Session, name: str, page: int | None, base: str | None, now: int
    ) -> None:
        self.most -= 1
        if self.most <= 0:
            self.until = 0
        demand = self.system.draw(name, self.chance)
        job = Job(session, session.requests, name, page, base, now, demand)
        session.requests += 1
        self.station.arrive(now, job, demand)

    # ---- what follows an answer

    def depart(self, now: int, job: Job) -> None:
        session = job.session
        self.rows.append(
            Row(
                session.of.name,
                session.number,
                job.request,
                job.name,
                job.page,
                job.scheduled,
                now,
                job.demand,
            )
        )
        if job.base is not None:
            session.loading -= 1
            self.ask_for_object(now, session, job.base)
        else:
            objects = session.of.requests[job.name].objects
            session.objects = objects.count(self.chance) if objects else 0
            for _ in range(objects.connections if objects else 0):
                self.ask_for_object(now, session, job.name)
        if session.loading == 0:
            self.go_on(now, session, job.base or job.name)

    def ask_for_object(self, now: int, session: Session, base: str) -> None:
        """One connection takes the page's next object that the session does not have."""
        objects = session.of.requests[base].objects
        assert objects is not None
        while session.objects > 0:
            session.objects -= 1
            name = objects.of.draw(self.chance)
            if session.of.cache:
                thing = session.of.requests[name].thing(self.chance)
                if thing in session.has:
                    continue
                session.has.add(thing)
            session.loading += 1
            self.at(now, partial(self.send, session, name, session.page, base))
            return

    def go_on(self, now: int, session: Session, last: str) -> None:
        """The page is over: the session thinks, or ends."""
        of = session.of
        session.left -= 1
        request = of.requests[last]
        follows = (request.next or of.begin).draw(self.chance) if session.left > 0 else END
        think = request.think or of.think
        then = now + (think(self.chance) if think else 0)
        late = then >= session.until and of.ends_at in (None, follows)
        if follows != END and not late:
            self.at(then, partial(self.send_base, session, follows))
        elif of.model == "closed":
            self.at(then, partial(self.begin, session))


def simulate(
    of: list[Population],
    system: System,
    seed: int,
    *,
    until: float = NEVER,
    requests: float = NEVER,
) -> list[Row]:
    """The rows of one run, in the order in which requests end.

    Args:
        of: The populations.
        system: The station.
        seed: Of Python's generator.
        until: No request begins at this time or later; those begun are served to their end.
        requests: The most requests that begin.
    """
    return Run(of, system, random.Random(seed)).run(until, requests)
