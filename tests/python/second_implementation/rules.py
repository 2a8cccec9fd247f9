"""Rules for the rows of one run, valid for any draws.

Nothing is drawn here: the rows have the scheduled time and the end of each request, and the rules
decide about possible followers. Each row that breaks one gives a complaint.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import polars as pl

from .files import END, Population, System
from .servers import station
from .users import Row

Rows = list[Row]


def broken(rows: pl.DataFrame, of: list[Population], until_ns: int) -> list[str]:
    """All complaints about one replication."""
    complaints = []
    populations = {one.name: one for one in of}
    table = rows.sort("population", "session", "request").drop("replication")
    all_rows = [Row(*values) for values in table.iter_rows()]
    for (name, session), group in groupby(all_rows, key=lambda row: (row.population, row.session)):
        of_session = Session(populations[name], list(group), until_ns)
        complaints += [f"{name}, session {session}: {text}" for text in of_session.complaints()]
    return complaints


class Session:
    """The rows of one session, in the order of their numbers."""

    def __init__(self, of: Population, rows: Rows, until_ns: int) -> None:
        self.of, self.until = of, until_ns
        self.steps: list[tuple[Row, Rows]] = []
        """Bases and single requests, each with its objects."""
        self.lost: Rows = []
        for row in rows:
            if row.page in (None, row.request):
                self.steps.append((row, []))
            elif self.steps and self.steps[-1][0].request == row.page:
                self.steps[-1][1].append(row)
            else:
                self.lost.append(row)

    def complaints(self) -> Iterator[str]:
        for row in self.lost:
            yield f"{row} is no object of the page before it"
        for base, objects in self.steps:
            yield from self.page(base, objects)
        for before, after in zip(self.steps, self.steps[1:], strict=False):
            yield from self.follows(before, after)
        if self.of.model != "closed":
            first = self.steps[0][0].name
            if not self.share(self.of.begin, first):
                yield f"begins with {first}"
            if self.of.model == "open" and len(self.steps) > 1:
                yield "has more than one request"

    def share(self, choice: Any, name: str) -> float:
        return dict(zip(choice.names, choice.shares, strict=True)).get(name, 0.0)

    def page(self, base: Row, objects: Rows) -> Iterator[str]:
        """Each object is requested at once on a free connection."""
        page = self.of.requests[base.name].objects
        if (page is None) != (base.page is None):
            yield f"{base} is a page, or not"
        if page is None:
            return
        free = [base.done_ns] * page.connections
        for row in sorted(objects, key=lambda row: (row.scheduled_ns, row.request)):
            if not self.share(page.of, row.name):
                yield f"{row} is no object of {base.name}"
            if row.scheduled_ns not in free:
                yield f"{row} was not asked for when a connection was free: {sorted(free)}"
                return
            free[free.index(row.scheduled_ns)] = row.done_ns

    def follows(self, before: tuple[Row, Rows], after: tuple[Row, Rows]) -> Iterator[str]:
        """The next request comes after the page and its think time, and may follow it."""
        (last, objects), (row, _) = before, after
        over = max(one.done_ns for one in [last, *objects])
        if row.scheduled_ns < over:
            yield f"{row} begins before {last} with its objects is over, at {over}"
        follows = self.of.requests[last.name].next or self.of.begin
        ends = self.of.number or self.of.lasts or self.share(follows, END)
        anew = self.of.model == "closed" and ends and self.share(self.of.begin, row.name)
        if not (self.share(follows, row.name) or anew):
            yield f"{row} follows {last.name}"


def departures_off(rows: pl.DataFrame, system: System) -> int:
    """The difference of the departures at the station of the second implementation for the same
    jobs.

    The jobs arrive as in the rows, with their demands; in nanoseconds, the largest difference.
    """
    # Of jobs at the same instant any may come first: the one that was served first did.
    served = pl.col("done_ns") - (pl.col("demand_ns") if system.policy == "fcfs" else 0)
    keys = [pl.col("scheduled_ns"), served]
    server, found = station(system.policy, system.servers), {}

    def depart_until(time: float) -> None:
        while (departure := server.next_departure()) <= time and departure < float("inf"):
            found[server.depart()] = departure

    jobs = rows.sort(keys).select("scheduled_ns", "demand_ns").rows()
    for number, (arrival, demand) in enumerate(jobs):
        depart_until(arrival)
        server.arrive(arrival, number, demand)
    depart_until(float("inf"))
    done = rows.sort(keys)["done_ns"]
    return max(abs(round(found[number]) - time) for number, time in enumerate(done))
