"""Workloads and systems, read from the same files."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import laws

END = "end"
Time = Callable[[random.Random], int]
"""Draws a time in nanoseconds."""


class Choice:
    """A name by its share; the shares are relative to one another."""

    def __init__(self, shares: dict[str, float]) -> None:
        self.names = [*shares]
        self.shares = [*shares.values()]

    def draw(self, chance: random.Random) -> str:
        return chance.choices(self.names, self.shares)[0]


@dataclass
class Objects:
    """The followers of a base."""

    count: Callable[[random.Random], int]
    of: Choice
    connections: int


@dataclass
class Request:
    """One kind of request."""

    name: str
    next: Choice | None
    think: Time | None
    objects: Objects | None
    target: list[str | laws.Law]

    def thing(self, chance: random.Random) -> tuple[Any, ...]:
        """The request: the target, its draws rounded."""
        draws = [
            part if isinstance(part, str) else laws.whole(part, 0)(chance) for part in self.target
        ]
        return tuple(draws)


@dataclass
class Population:
    """Users of one kind."""

    name: str
    model: str
    requests: dict[str, Request]
    begin: Choice
    """The beginning of a session, and its further requests if it has no journey."""
    gap: Time | None
    clients: int
    think: Time | None
    number: Callable[[random.Random], int] | None
    lasts: Time | None
    ends_at: str | None
    cache: bool


@dataclass
class System:
    """One station."""

    policy: str
    servers: int
    demand: Time | None
    demands: dict[str, Time] = field(default_factory=dict)

    def draw(self, name: str, chance: random.Random) -> int:
        found = self.demands.get(name, self.demand)
        if found is None:
            raise ValueError(f"no demand of {name}")
        return found(chance)


def system(text: str) -> System:
    """The one station of a system file."""
    (table,) = tomllib.loads(text)["station"]
    demand = table["demand"]
    by_name = demand if isinstance(demand, dict) else {}
    return System(
        table["policy"],
        table.get("servers", 1),
        None if by_name else time(demand),
        {name: laws.nanoseconds(laws.law(text)) for name, text in by_name.items()},
    )


def workload(text: str) -> list[Population]:
    """The populations of a workload file; its own tables are one without a name."""
    file = tomllib.loads(text)
    return [population(table) for table in file.get("population", [file | {"name": ""}])]


def time(text: object) -> Time | None:
    return None if text is None else laws.nanoseconds(laws.law(text))


def population(table: dict[str, Any]) -> Population:
    arrivals, session = table["arrivals"], table.get("session", {})
    tables = table.get("request", [{"name": "GET /"}])
    requests = {one["name"]: request(one) for one in tables}
    number = session.get("requests")
    return Population(
        name=table["name"],
        model=arrivals["model"],
        requests=requests,
        begin=Choice(beginning(session, tables)),
        gap=gap(arrivals),
        clients=arrivals.get("clients", 0),
        think=time(session.get("think")),
        number=None if number is None else laws.whole(laws.law(number), 1),
        lasts=time(session.get("lasts")),
        ends_at=session.get("ends_at"),
        cache=session.get("cache", False),
    )


def beginning(session: dict[str, Any], tables: list[dict[str, Any]]) -> dict[str, float]:
    """The shares of the beginnings of a session."""
    if any("next" in one for one in tables):
        return session.get("first", {tables[0]["name"]: 1.0})
    objects = {name for one in tables for name in one.get("objects", {}).get("of", {})}
    free = [one for one in tables if "weight" in one or one["name"] not in objects]
    return {one["name"]: one.get("weight", 1.0) for one in free}


def gap(arrivals: dict[str, Any]) -> Time | None:
    """The time between two arrivals."""
    if arrivals["model"] == "closed":
        return None
    process = arrivals.get("process", "poisson")
    if process not in ("poisson", "even"):
        return time(process)
    mean = 1 / laws.quantity(str(arrivals["rate"]))
    return time(f"{'exp' if process == 'poisson' else 'const'}({mean!r}s)")


def request(table: dict[str, Any]) -> Request:
    objects = table.get("objects")
    pattern = re.split(r"\{(.*?)\}", table.get("get", "/"))
    return Request(
        name=table["name"],
        next=Choice(table["next"]) if "next" in table else None,
        think=time(table.get("think")),
        objects=None
        if objects is None
        else Objects(
            laws.whole(laws.law(objects["count"]), 0),
            Choice(objects["of"]),
            objects.get("connections", 6),
        ),
        target=[laws.law(part) if at % 2 else part for at, part in enumerate(pattern)],
    )
