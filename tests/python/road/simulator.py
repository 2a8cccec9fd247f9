"""What happens at a site: every request with its begin and its end."""

from __future__ import annotations

import heapq
import math
from collections import deque
from random import Random
from typing import NamedTuple

from road.site import CHOSEN, PAGES_A_SESSION, THINK_S, Site


class Visit(NamedTuple):
    """A request that was answered."""

    begin_s: float
    end_s: float
    page: str
    user: int


class _Request:
    __slots__ = ("begin_s", "left", "page", "user", "work_s")

    def __init__(self, begin_s: float, page: str, user: int, left: int, work_s: float) -> None:
        self.begin_s, self.page, self.user, self.left = begin_s, page, user, left
        self.work_s = work_s


def visits(site: Site, length_s: float, seed: int) -> list[Visit]:
    """The requests that end within this time, by their ends; sessions may have begun before it."""
    random = Random(seed)
    server = _Shared(site) if site.policy == "ps" else _InOrder(site)
    warm_s = 10 * PAGES_A_SESSION * THINK_S
    stop_s = warm_s + length_s
    later: list[tuple[float, int, _Request]] = []
    count, user, found = 0, 0, []
    begins_s = random.expovariate(site.rate)
    while True:
        next_s = min(begins_s, server.next_s, later[0][0] if later else math.inf)
        if next_s > stop_s:
            return _shifted(found, warm_s) + _checked(site, length_s)
        if next_s == server.next_s:
            ended = server.end()
            if ended is None:
                continue
            if ended.begin_s >= warm_s:
                found.append(Visit(ended.begin_s, next_s, ended.page, ended.user))
            if ended.left == 0:
                continue
            page = _chosen(random)
            asks_s = next_s + random.expovariate(1 / THINK_S)
            asked = _Request(asks_s, page, ended.user, ended.left - 1, site.demand(page, random))
            count += 1
            heapq.heappush(later, (asks_s, count, asked))
        elif next_s == begins_s:
            user += 1
            left = int(math.log(1 - random.random()) / math.log(1 - 1 / PAGES_A_SESSION))
            home = _Request(next_s, "home", user, left, site.demand("home", random))
            begins_s = next_s + random.expovariate(site.rate)
            server.take(home)
        else:
            server.take(heapq.heappop(later)[2])


def _chosen(random: Random) -> str:
    drawn = random.random()
    for page, share in CHOSEN:
        drawn -= share
        if drawn < 0:
            return page
    return CHOSEN[0][0]


def _shifted(found: list[Visit], by_s: float) -> list[Visit]:
    return [one._replace(begin_s=one.begin_s - by_s, end_s=one.end_s - by_s) for one in found]


def _checked(site: Site, length_s: float) -> list[Visit]:
    """The health checks: beside the server, and quick."""
    if not site.checks:
        return []
    times_s = (3.7 + 10 * n for n in range(int((length_s - 5) / 10)))
    return [Visit(time_s, time_s + 0.001, "health", 0) for time_s in times_s]


class _InOrder:
    """First come, first served; of a `pool` after a time beside all others."""

    def __init__(self, site: Site) -> None:
        self._beside = 0.5 if site.policy == "pool" else 0.0
        self._free = site.servers
        self._waiting: deque[_Request] = deque()
        self._events: list[tuple[float, int, bool, _Request]] = []
        self._count = 0

    @property
    def next_s(self) -> float:
        return self._events[0][0] if self._events else math.inf

    def take(self, asked: _Request) -> None:
        if self._beside:
            self._later(asked.begin_s + asked.work_s * self._beside, False, asked)
        else:
            self._enter(asked.begin_s, asked)

    def end(self) -> _Request | None:
        """The request that ends with the next event; None if it only comes to the queue."""
        now, _, ends, asked = heapq.heappop(self._events)
        if not ends:
            self._enter(now, asked)
            return None
        self._free += 1
        if self._waiting:
            self._enter(now, self._waiting.popleft())
        return asked

    def _enter(self, now: float, asked: _Request) -> None:
        if self._free:
            self._free -= 1
            self._later(now + asked.work_s * (1 - self._beside), True, asked)
        else:
            self._waiting.append(asked)

    def _later(self, time_s: float, ends: bool, asked: _Request) -> None:
        self._count += 1
        heapq.heappush(self._events, (time_s, self._count, ends, asked))


class _Shared:
    """Processor sharing: each is served at the rate of min(1, servers / present)."""

    def __init__(self, site: Site) -> None:
        self._servers = site.servers
        self._present: list[tuple[float, int, _Request]] = []
        self._done_s, self._at_s, self._count = 0.0, 0.0, 0

    @property
    def _speed(self) -> float:
        return min(1.0, self._servers / len(self._present))

    @property
    def next_s(self) -> float:
        if not self._present:
            return math.inf
        return self._at_s + max(self._present[0][0] - self._done_s, 0.0) / self._speed

    def take(self, asked: _Request) -> None:
        self._serve_until(asked.begin_s)
        self._count += 1
        heapq.heappush(self._present, (self._done_s + asked.work_s, self._count, asked))

    def end(self) -> _Request:
        self._serve_until(self.next_s)
        return heapq.heappop(self._present)[2]

    def _serve_until(self, now: float) -> None:
        if self._present:
            self._done_s += (now - self._at_s) * self._speed
        self._at_s = now
