"""Requests of one population of a log with a known truth, for tests of learning from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from traffic.requests import columns_of
from traffic.scenarios import scenario
from traffic.scene import Made

import thinktime
from thinktime.learn.journeys import Journeys, find_journeys, request_lines, session_lines
from thinktime.learn.logs.requests import Requests

TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class Learned:
    """The learned model of one population, beside the truth."""

    requests: Requests
    journeys: Journeys
    truth: pl.DataFrame
    """A row for each row of the requests."""

    facts: dict[str, Any]
    """The truth about the population."""

    @property
    def names(self) -> list[str]:
        """The kinds by the site's names; by their own if it has none for them."""
        known = {}
        for name, kind in self.facts["requests"].items():
            path = re.sub(r"\{\w+\}", "*", kind["template"].split("?")[0])
            known[path if kind["method"] == "GET" else f"{kind['method']} {path}"] = name
        kinds = self.journeys.kinds.kinds
        return [known.get(kind.name.removesuffix(" (embedded)"), kind.name) for kind in kinds]

    def off(self, matrix: np.ndarray, least: int) -> float:
        """The greatest error beyond chance of an entry with this many uses.

        Chance is four standard deviations of the share of this many visits: one in 16,000 lies
        beyond them.
        """
        names, chain = self.names[: self.journeys.kinds.pages], self.journeys.chain
        most = -1.0
        for at, name in enumerate(names):
            if name not in self.facts["matrix"]:
                continue
            row = self.facts["matrix"][name]
            true = np.array([row.get(after, 0.0) for after in [*names, "end"]])
            used = chain.visits[at] * np.maximum(true, chain.next[at]) >= least
            chance = 4 * np.sqrt(true * (1 - true) / chain.visits[at])
            most = max(most, *(np.abs(matrix[at] - true) - chance)[used].tolist(), -1.0)
        return most


@cache
def learned(name: str, seed: int = 1, scale: float = 0.2) -> Learned:
    """Learn of the people of a scenario."""
    return learned_of(scenario(name, seed, scale))


def learned_of(made: Made) -> Learned:
    """Learn of the people of a log."""
    columns = columns_of(made.truth.table, made.truth.facts)
    line = columns.pop("line")
    populations = made.truth.facts["populations"]
    people = next(name for name, facts in populations.items() if facts["kind"] == "people")
    truth = made.truth.table[line]
    own = truth["population"].cast(str) == people
    requests = Requests(**columns).only(own)
    found = find_journeys(requests, TIMEOUT_S)
    return Learned(requests, found, truth.filter(own), populations[people])


def workload_of(found: Journeys) -> tuple[thinktime.Workload, str]:
    """The workload that was learned, with its text; one session comes in a second."""
    session = session_lines(found)
    model = "partly-open" if session else "open"
    head = ['name = "learned"', "[arrivals]", f'model = "{model}"', 'rate = "1/s"']
    text = "\n".join([*head, *session, *request_lines(found)])
    return thinktime.Workload(text), text


def requests_offered(found: Journeys) -> float:
    """Requests of a session, including embedded objects, as in the workload's file."""
    return float(workload_of(found)[0].requests_per_session)
