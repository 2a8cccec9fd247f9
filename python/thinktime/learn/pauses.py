"""Pauses of closed populations: with them clients make as many requests as in the log.

Think times are those within journeys. A client that pauses between journeys for longer than the
session timeout, as a crawler that comes by the hour, would otherwise never pause in the file.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.journeys import Journeys
from thinktime.learn.journeys.laws import mean_of, outcomes
from thinktime.learn.journeys.thinks import times
from thinktime.learn.populations import Population
from thinktime.learn.requests import Requests
from thinktime.learn.starts import Covered

WITHIN = 0.02
"""A cycle that is shorter than the log's by no more than this share stays as it is."""

OUTCOMES = 12
"""Lengths of pauses at most; they keep the mean."""


def paced(
    population: Population, requests: Requests, journeys: Journeys, covered: Covered
) -> Journeys:
    """The journeys of a closed population, with pauses where its clients would ask too often.

    A client's mean cycle, from page to page, has to be clients x time / pages. Where journeys begin
    again and again, what is missing to it is made up by a pause before each of them.
    """
    thinks, pages = journeys.thinks, len(journeys.visits.base)
    clients = population.clients or population.users
    if thinks.law is None or not pages:
        return journeys
    wanted_s = clients * covered.seconds / pages
    missing_s = wanted_s - _answer_s(journeys) - _think_s(journeys)
    again = journeys.journeys - clients
    if again <= 0 or missing_s <= WITHIN * wanted_s:
        return journeys
    # Kinds with think times of their own do not pause: the others do so more often.
    shared = 1 - _own_shares(journeys).sum()
    share = min(again / pages / max(shared, 1e-9), 0.5)
    pause_s = missing_s / (share * max(shared, 1e-9)) + mean_of(thinks.law)
    pauses_s = _pauses_s(requests, journeys)
    own = outcomes(pauses_s * pause_s / pauses_s.mean(), most=OUTCOMES, digits=3)
    law = f"mix({1 - share:.6f}: {thinks.law}, {share:.6f}: {own})"
    return replace(journeys, thinks=replace(thinks, law=law, pause=(share, pause_s)))


def _pauses_s(requests: Requests, journeys: Journeys) -> NDArray[np.float64]:
    """From the last page of a user's journey to the next journey of this user; 1 where none."""
    visits = journeys.visits
    user = requests.rows["user"].to_numpy()[visits.order[visits.base]]
    begins = visits.starts[visits.starts > 0]
    begins = begins[user[begins] == user[begins - 1]]
    pauses_s = visits.start_s[begins] - visits.end_s[begins - 1]
    pauses_s = pauses_s[pauses_s > 0]
    return pauses_s if len(pauses_s) else np.ones(1)


def of_mean(journeys: Journeys) -> Journeys:
    """The journeys with think times whose mean is that of the log's.

    The mean is what the requests of a client hang on. A law that fits well may miss it, where few
    pauses are as long as all else together: then the times themselves stand in its place.
    """
    thinks = journeys.thinks
    if thinks.law is None or abs(_think_s(journeys) - thinks.mean_s) <= WITHIN * thinks.mean_s:
        return journeys
    law = outcomes(times(journeys.visits), digits=3)
    return replace(journeys, thinks=replace(thinks, law=law, fit=None, own={}, own_fits={}))


def _answer_s(journeys: Journeys) -> float:
    """How long a page takes to be answered, on average."""
    visits = journeys.visits
    return float(np.mean(np.maximum(visits.end_s - visits.start_s, 0.0)))


def _own_shares(journeys: Journeys) -> NDArray[np.float64]:
    """Which share of the pages each kind with think times of its own has."""
    kinds = journeys.kind_of_page
    return np.array([float(np.mean(kinds == one)) for one in journeys.thinks.own])


def _think_s(journeys: Journeys) -> float:
    """The mean think time after a page, as the file has it."""
    law = journeys.thinks.law
    assert law is not None
    shares = _own_shares(journeys)
    means = np.array([mean_of(one) for one in journeys.thinks.own.values()])
    return float((1 - shares.sum()) * mean_of(law) + shares @ means)
