"""Servers that answer requests: the duration of a request follows from the others in the server."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from operator import attrgetter
from random import Random
from typing import Any

from traffic.world import Resume, World

REFUSED = 0
"""The status of an unanswered request, which has no line in the log."""

GIVEN_UP = 499
"""The client closed the connection; the status is that of nginx."""

FAILED, UNAVAILABLE, OVERLOADED = 500, 502, 503
REFUSAL_S = 0.0005
"""The time to refuse a request."""

ERROR_BYTES = 162

TRUE_OF_REQUESTS = [
    *("population", "user", "session", "page", "tab", "role", "kind", "retry", "think", "demand"),
    *("host", "address", "agent", "method", "path", "referrer"),
]
_TRUE = attrgetter(*TRUE_OF_REQUESTS)


@dataclass(slots=True)
class Request:
    """A client's request, and the facts that only the generator knows about it."""

    population: str
    user: int
    session: int
    page: int
    """The number of the page in its session, from 0; objects have their page's."""

    tab: int
    role: str
    """`page`, `object` or `call`; calls are what programs ask."""

    kind: str
    host: str
    method: str
    path: str
    address: str
    agent: str
    referrer: str
    status: int
    """A server's answer without an error."""

    size: int
    """Bytes of that answer."""

    demand: float
    """Seconds that it takes on an idle server."""

    think: float = math.nan
    """The think time before it, in seconds, if there was one."""

    retry: int = 0
    """The number of failed attempts at the same request before it."""

    patience: float = math.inf
    """The client gives up after this many seconds."""

    asked: float = math.nan
    over: bool = field(default=False, repr=False)


@dataclass
class Server:
    """One server, its queue, and its faults.

    `policy` is `idle` (each request has a server for itself), `fcfs` (first come, first served, by
    `workers` workers) or `ps` (all share `workers` cores equally).
    """

    policy: str = "idle"
    workers: int = 1
    room: float = math.inf
    """With this many requests inside, a further one is answered with 503."""

    errors: float = 0.0
    """The share of requests that is answered with 500, after a demand like any other."""

    down: list[tuple[float, float]] = field(default_factory=list)
    """The time spans in which it is down."""

    down_status: int = UNAVAILABLE
    """The status in these spans; with 0 nothing answers, and no line is written."""

    def open(self, world: World, seed: str) -> None:
        """Make it part of a world."""
        self._world = world
        self._random = Random(seed)
        self._inside = 0
        self._free = [-math.inf] * self.workers
        self._progress, self._since, self._version = 0.0, world.begin, 0
        self._served: list[tuple[float, int, tuple[Request, Resume, int]]] = []
        self._count = 0

    def facts(self) -> dict[str, Any]:
        """The truth about it."""
        return {
            "policy": self.policy,
            "workers": self.workers,
            "room": None if math.isinf(self.room) else self.room,
            "errors": self.errors,
            "down": self.down,
            "down_status": self.down_status,
        }

    def ask(self, request: Request, resume: Resume) -> None:
        """Take a request, and call `resume` with its status at the answer."""
        world = self._world
        now = request.asked = world.now
        if self.down and any(begin <= now < end for begin, end in self.down):
            self._refuse(request, resume, self.down_status)
            return
        if self._inside >= self.room:
            self._refuse(request, resume, OVERLOADED)
            return
        status = request.status
        if self.errors and self._random.random() < self.errors:
            status = FAILED
        if request.patience < math.inf:
            world.at(now + request.patience, self._given_up, (request, resume))
        self._inside += 1
        if self.policy == "ps":
            self._share(request, resume, status)
            return
        begin = now
        if self.policy == "fcfs":
            begin = max(now, heapq.heappop(self._free))
            heapq.heappush(self._free, begin + request.demand)
        world.at(begin + request.demand, self._done, (request, resume, status))

    def _refuse(self, request: Request, resume: Resume, status: int) -> None:
        request.demand = REFUSAL_S
        self._world.at(self._world.now + REFUSAL_S, self._answer, (request, resume, status))

    def _done(self, job: tuple[Request, Resume, int]) -> None:
        self._inside -= 1
        self._answer(job)

    def _given_up(self, job: tuple[Request, Resume]) -> None:
        request, resume = job
        if not request.over:
            self._answer((request, resume, GIVEN_UP))

    def _answer(self, job: tuple[Request, Resume, int]) -> None:
        """Write the line, and let the client continue, unless it has given up before."""
        request, resume, status = job
        if request.over:
            return
        request.over = True
        world = self._world
        if world.now >= 0 and status != REFUSED:
            size = request.size if status == request.status else ERROR_BYTES
            told = 0 if status == GIVEN_UP else size
            world.rows.append((request.asked, world.now, *_TRUE(request), status, told))
        resume(status)

    # Processor sharing: `_progress` is the work in seconds that each request inside has had since
    # the beginning, so that a request is done when it has grown by the request's demand.

    def _share(self, request: Request, resume: Resume, status: int) -> None:
        self._advance()
        self._count += 1
        job = (request, resume, status)
        heapq.heappush(self._served, (self._progress + request.demand, self._count, job))
        self._plan()

    def _speed(self) -> float:
        return min(1.0, self.workers / len(self._served)) if self._served else 0.0

    def _advance(self) -> None:
        now = self._world.now
        self._progress += (now - self._since) * self._speed()
        self._since = now

    def _plan(self) -> None:
        """Plan the next completion, if no request comes before; an earlier plan is void."""
        self._version += 1
        if self._served:
            left = max(self._served[0][0] - self._progress, 0.0)
            self._world.at(self._world.now + left / self._speed(), self._due, self._version)

    def _due(self, version: int) -> None:
        if version != self._version:
            return
        self._advance()
        work, _, job = heapq.heappop(self._served)
        self._progress = max(self._progress, work)
        self._plan()
        self._done(job)
