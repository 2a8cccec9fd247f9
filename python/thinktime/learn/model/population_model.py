"""One population of a log, and its content in a workload file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.learn.journeys import Journeys, find_journeys
from thinktime.learn.journeys.chain import WEIGHTS
from thinktime.learn.journeys.timeout import gaps_of_users
from thinktime.learn.journeys.visits import find_pages
from thinktime.learn.kinds.kinds import templates_of
from thinktime.learn.kinds.templates import Templates
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept
from thinktime.learn.memory import give_back
from thinktime.learn.model.calibration import OFF, calibrated, offers
from thinktime.learn.model.pauses import at_pace_of_log, of_mean
from thinktime.learn.populations import Population
from thinktime.learn.starts import (
    Coverage,
    Model,
    Starts,
    as_dispersed,
    choose,
    clock,
    learn_starts,
    rate_without_those_under_way,
)
from thinktime.present import units

FEW = 100
"""With fewer starts no law is fitted: they are replayed."""

PAGE_S = 60.0
"""The objects of a page come within this time."""

BURST = 4.0
"""This many standard errors are exceeded with a probability of 3e-5."""

SHORT = 0.199
"""The most that `Chain.settled_s` leaves out is a fifth of the log: then that is not enough."""

BRIEF = 0.8
"""A closed population that is present for less than this share of the log comes and goes. A file
has its clients present for all of a run; so its requests are replayed, each at its time."""


@dataclass(frozen=True)
class PopulationModel:
    """One population of a log."""

    population: Population
    requests: Requests
    journeys: Journeys
    starts: Starts | None
    """The starts of its sessions; None if it is closed, or none could be used."""

    model: Model | None
    """The model of the starts in the workload file."""

    clients: int | None = None
    """The number of clients of a closed one in the file. It exceeds the number present if all
    pause."""

    one_in: int = 1
    """Each session and client stands for this many of the log: above 1 in `Part.of_all` alone."""

    @property
    def closed(self) -> bool:
        """Whether the file gives it a fixed number of clients."""
        return self.starts is None

    @property
    def brief(self) -> bool:
        """Whether it is closed, but present for too short a time for the file to say so."""
        return self.population.model == "closed" and not self.closed

    @property
    def alone(self) -> bool:
        """Whether each request is independent, without a session."""
        return self.brief or self.population.model == "open"

    @property
    def drawn(self) -> bool:
        """Whether its starts are drawn from a law, and could be replayed instead."""
        if self.starts is None or self.model is None or self.model.clocked:
            return False
        return self.model is not self.starts.models[-1]

    @cached_property
    def offers(self) -> float | None:
        """The ratio of a run's requests to the log's; None for a closed one."""
        if self.starts is None or self.model is None:
            return None
        return offers(self.journeys, self.starts, self.model) / self.one_in

    @property
    def offers_told(self) -> str:
        """A note that it offers more or less than the log has, and why; empty if it does not."""
        if self.offers is None or abs(self.offers - 1) <= OFF:
            return ""
        return (
            f"A run of the workload file makes {units.number(self.offers)} times its requests: "
            "neither fewer or more pages of a journey nor what they embed come nearer."
        )

    def of_all(self, many: int) -> PopulationModel:
        """The whole population, if one in ``many`` of the log's users was used.

        Starts that would be replayed are drawn by their rate: those of the others are not known.
        """
        if many == 1:
            return self
        if self.starts is None or self.model is None:
            clients = self.clients or self.population.clients or self.population.users
            return replace(self, clients=many * clients, one_in=many)
        model = self.model if self.model.rates is not None else self.starts.models[-2]
        journeys, model = calibrated(self.journeys, self.starts, model)
        return replace(self, journeys=journeys, model=model.times(many), one_in=many)

    def replayed(self) -> PopulationModel:
        """The same with its starts replayed, if it has any."""
        if self.starts is None or not self.drawn:
            return self
        journeys, model = calibrated(self.journeys, self.starts, self.starts.models[-1])
        return replace(self, journeys=journeys, model=model)


def learn_population(
    population: Population,
    requests: Requests,
    covered: Coverage,
    begin_ns: int,
    timeout_s: float,
    least_users: int,
    pages: bool = True,
) -> PopulationModel:
    """Learn one population of its ``requests``, in a log that begins at ``begin_ns``.

    Only paths that at least ``least_users`` requested are named. Without ``pages`` no objects are
    embedded.
    """
    brief = population.model == "closed" and _brief(requests, covered)
    alone = brief or population.model == "open"
    templates = templates_of(requests)
    give_back(requests)
    of = requests
    if alone:
        by_page = pages and (population.kind == "people" or requests.paged)
        of = _each_alone(requests, templates if by_page else None)
        give_back(requests)
    journeys = find_journeys(of, timeout_s, least_users, pages, templates)
    if population.kind not in ("people", "crawler"):  # clients that request the same pages
        journeys = replace(journeys, kinds=journeys.kinds.of_program(population.name))
    if alone:  # one request each: no page follows another
        journeys = replace(journeys, chain=replace(journeys.chain, model=WEIGHTS))
    if population.model == "closed" and not brief:
        return _closed(population, requests, journeys, covered)
    give_back(requests)
    begun_ns = _begin_times(journeys, requests.rows["time_ns"].to_numpy())
    starts = learn_starts(
        begun_ns,
        begin_ns=begin_ns,
        covered=covered,
        resolution_s=requests.resolution_s,
        settled_s=0.0 if alone else _settled_s(requests, journeys, begun_ns - begin_ns),
    )
    if (even := _by_clock(population, journeys, starts)) is not None:
        return PopulationModel(population, requests, *even)
    starts = starts if alone else _corrected(starts, journeys)
    model = _chosen(starts, brief)
    journeys, model = calibrated(journeys, starts, model)
    return PopulationModel(population, requests, journeys, starts, model)


def _chosen(starts: Starts, brief: bool) -> Model:
    """The model for the file: the simplest that stands in for the log, or the trace."""
    replay = brief or len(starts.times_ns) < FEW
    return starts.models[-1] if replay else choose(starts.models, as_dispersed(starts))


def _corrected(starts: Starts, journeys: Journeys) -> Starts:
    """The same at the true rate, if the log is too short to leave out all that were under way."""
    span_s = starts.covered.span_s
    short = journeys.chain.settled_s >= SHORT * span_s and starts.settled_s > 0
    if not short or starts.covered.lost:
        return starts
    visits = journeys.visits
    later = np.flatnonzero(visits.previous >= 0)
    gaps_s = visits.start_s[later] - visits.start_s[visits.previous[later]]
    rate = rate_without_those_under_way(starts.times_s, gaps_s, span_s)
    return starts if rate is None or rate <= 0 else starts.at(rate)


def _by_clock(
    population: Population, journeys: Journeys, starts: Starts
) -> tuple[Journeys, Starts, Model] | None:
    """The program's clock at its own rate, or the log's if edges do not explain the difference.

    None if the population keeps to no clock.
    """
    even = clock(starts, population.interval_s) if population.kind == "even" else None
    if even is None:
        return None
    made, fitted = calibrated(journeys, starts, even)
    assert fitted.rate is not None
    assert even.rate is not None
    apart = abs(fitted.rate / even.rate - 1)
    if apart <= OFF + 1 / len(starts.times_ns):
        return journeys, starts, even
    return made, starts, fitted


def _closed(
    population: Population, requests: Requests, journeys: Journeys, covered: Coverage
) -> PopulationModel:
    """A fixed number of clients, at the pace of the log."""
    looped = _as_loop(population, of_mean(population, journeys))
    looped, clients = at_pace_of_log(population, requests, looped, covered)
    # Clients do not leave: their sessions are as long as the log has them.
    looped = replace(looped, chain=replace(looped.chain, whole=looped.chain.logged))
    # The reasons of loops name a number.
    same = population if population.kind == "loop" else replace(population, clients=clients)
    return PopulationModel(same, requests, looped, None, None, clients)


def _settled_s(requests: Requests, journeys: Journeys, since_ns: NDArray[np.int64]) -> float:
    """The seconds at the beginning in which sessions in progress may seem to begin.

    0 if more begin there than can be in progress, beyond chance: then it is a burst.
    """
    settled_s = min(journeys.timeout_s, journeys.chain.settled_s)
    early = int(np.count_nonzero(since_ns < settled_s * 1e9))
    rest_s = requests.span_s - settled_s
    if rest_s <= 0 or early == len(since_ns):
        return settled_s
    usual = (len(since_ns) - early) / rest_s * settled_s
    gaps = gaps_of_users(requests)
    active = float(gaps[gaps <= journeys.timeout_s].sum()) / requests.span_s
    return settled_s if early <= usual + 2 * active + BURST * math.sqrt(usual + active) else 0.0


def _brief(requests: Requests, covered: Coverage) -> bool:
    times = requests.rows["time_ns"]
    there_s = float(times[-1] - times[0]) * 1e-9
    return len(requests) < FEW or there_s < BRIEF * covered.span_s


def _begin_times(journeys: Journeys, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The starts of journeys."""
    starts_ns = journeys.starts_s
    starts_ns *= 1e9
    begun: NDArray[np.int64] = np.round(starts_ns, out=starts_ns).astype(np.int64)
    begun += times[0]
    return begun


def _each_alone(requests: Requests, by_page: Templates | None) -> Requests:
    """The same, with every request as a user of its own: its real user is not known.

    With ``by_page``, the templates of all paths, each page with its objects is one user instead,
    for people and for logs with pages. The real user of each is kept.
    """
    user = requests.rows["user"]
    some = numbers = np.arange(len(requests), dtype=np.int32)
    if by_page is not None:
        numbers, some = _pages(requests, by_page)
    rows = requests.rows.with_columns(pl.Series("user", numbers, dtype=pl.UInt32))
    whose = user.gather(some)  # all requests of a page are of one user
    users = pl.DataFrame({"address": requests.users["address"].gather(whose), "user": whose})
    return replace(requests, rows=rows, users=users)


def _pages(requests: Requests, templates: Templates) -> tuple[Kept, Kept]:
    """The number of the page of each row, and a row of each page."""
    # If the log has pages, a page may take any time.
    within_s = math.inf if requests.paged else PAGE_S
    return find_pages(requests, templates.of_path, within_s)


def _as_loop(population: Population, journeys: Journeys) -> Journeys:
    """Journeys with the think time of a loop, if the population is one."""
    interval_s = population.interval_s
    if journeys.thinks.law is None:
        interval_s = interval_s or 0.0
        return replace(journeys, thinks=replace(journeys.thinks, law=f"const({interval_s:.6g}s)"))
    if population.kind != "loop" or interval_s is None or population.think == "varied":
        return journeys
    law = f"const({interval_s:.6g}s)"
    return replace(journeys, thinks=replace(journeys.thinks, law=law, own={}))
