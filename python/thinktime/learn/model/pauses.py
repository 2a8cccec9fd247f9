"""The pace of closed populations: clients must make as many requests as in the log.

Think times are those within journeys. A client that pauses between journeys for longer than the
session timeout, such as a crawler that comes by the hour, would otherwise never pause in the file.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.fit.empirical_law import outcomes
from thinktime.learn.journeys import Journeys
from thinktime.learn.journeys.laws import mean_of
from thinktime.learn.journeys.think_times import times
from thinktime.learn.logs.requests import Requests
from thinktime.learn.populations import Population
from thinktime.learn.starts import Coverage

WITHIN = 0.005
"""A cycle that differs from the log's by no more than this share is not changed."""

OUTCOMES = 12
"""The largest number of pause lengths; they keep the mean."""


def at_pace_of_log(
    population: Population, requests: Requests, journeys: Journeys, covered: Coverage
) -> tuple[Journeys, int]:
    """The journeys of a closed population at the pace of the log, and its number of clients.

    A client's mean cycle, from page to page, must be clients x time / pages. If journeys are
    repeated, a pause before each of them makes up for the missing time. If clients without pauses
    would be too slow, there are more clients. If journeys are not repeated, think times are
    stretched, as for several clients behind one address, whose number is rounded.
    """
    thinks, pages = journeys.thinks, len(journeys.visits.base)
    clients = population.clients or population.users
    if thinks.law is None or not pages:
        return journeys, clients
    cycle_s = _answer_s(journeys) + _think_s(journeys)
    each_s = covered.seconds / pages
    if cycle_s > (1 + WITHIN) * clients * each_s and journeys.journeys > clients:
        # There cannot be more clients than users.
        clients = max(clients, min(math.ceil(cycle_s / each_s - WITHIN), population.users))
    missing_s = clients * each_s - cycle_s
    if abs(missing_s) <= WITHIN * clients * each_s:
        return journeys, clients
    if missing_s > 0 and journeys.journeys > clients:
        return _with_pauses(requests, journeys, missing_s, journeys.journeys - clients), clients
    return _stretched(journeys, missing_s), clients


def _with_pauses(requests: Requests, journeys: Journeys, missing_s: float, again: int) -> Journeys:
    """Journeys with this many pauses, which make the mean cycle longer by the missing time."""
    thinks, pages = journeys.thinks, len(journeys.visits.base)
    assert thinks.law is not None
    # Kinds with think times of their own do not pause: the others do so more often.
    shared = max(1 - _own_shares(journeys).sum(), 1e-9)
    share = min(again / pages / shared, 0.5)
    pause_s = missing_s / (share * shared) + mean_of(thinks.law)
    pauses_s = _pauses_s(requests, journeys)
    own = outcomes(pauses_s * pause_s / pauses_s.mean(), most=OUTCOMES, digits=3)
    law = f"mix({1 - share:.6f}: {thinks.law}, {share:.6f}: {own})"
    return replace(journeys, thinks=replace(thinks, law=law, pause=(share, pause_s)))


def _stretched(journeys: Journeys, missing_s: float) -> Journeys:
    """Journeys with mean think times longer or shorter by the missing time; none is below 0."""
    thinks, think_s = journeys.thinks, _think_s(journeys)
    assert thinks.law is not None
    wanted_s = max(think_s + missing_s, 0.0)
    if think_s <= 0:
        law = f"const({wanted_s:.6g}s)"
    elif thinks.law.startswith("const("):
        law = f"const({mean_of(thinks.law) * wanted_s / think_s:.6g}s)"
    else:
        taken_s = times(journeys.visits)
        law = outcomes(taken_s * wanted_s / max(float(taken_s.mean()), 1e-300), digits=3)
    stretch = wanted_s / think_s if think_s > 0 else math.inf
    thinks = replace(thinks, law=law, own={}, stretch=stretch)
    return replace(journeys, thinks=thinks)


def _pauses_s(requests: Requests, journeys: Journeys) -> NDArray[np.float64]:
    """From the last page of a user's journey to this user's next journey; 1 if there is none."""
    visits = journeys.visits
    user = requests.rows["user"].to_numpy()[visits.order[visits.base]]
    begins = np.flatnonzero(visits.starts)
    begins = begins[begins > 0]
    begins = begins[user[begins] == user[begins - 1]]
    pauses_s = visits.start_s[begins] - visits.end_s[begins - 1]
    pauses_s = pauses_s[pauses_s > 0]
    return pauses_s if len(pauses_s) else np.ones(1)


def of_mean(population: Population, journeys: Journeys) -> Journeys:
    """The journeys with think times that have the mean of the log's.

    The requests of a client depend on this mean. A law that fits well may miss it if a few pauses
    are as long as all else together: then the times themselves replace it. A page that a user
    viewed an hour ago may have led to the next one, but the think time was not an hour: each think
    time runs from the page just before.
    """
    thinks = journeys.thinks
    if thinks.law is None:
        return journeys
    taken_s = times(journeys.visits)
    if population.kind == "people":
        taken_s = _in_turn(journeys)
    mean_s = float(taken_s.mean()) if len(taken_s) else 0.0
    if not len(taken_s) or abs(_think_s(journeys) - mean_s) <= WITHIN * mean_s:
        return journeys
    found = replace(
        thinks, law=outcomes(taken_s, digits=3), own={}, mean_s=mean_s,
        median_s=float(np.median(taken_s)), count=len(taken_s),
    )  # fmt: skip
    return replace(journeys, thinks=found)


def _in_turn(journeys: Journeys) -> NDArray[np.float64]:
    """From the end of each page to the next one of its session, in seconds; 0 or more."""
    visits = journeys.visits
    session = visits.session[visits.base]
    after = np.flatnonzero(session[1:] == session[:-1]) + 1
    return np.maximum(visits.start_s[after] - visits.end_s[after - 1], 0.0)


def _answer_s(journeys: Journeys) -> float:
    """The mean time of a page until it is complete."""
    visits = journeys.visits
    return float(np.mean(np.maximum(visits.end_s - visits.start_s, 0.0)))


def _own_shares(journeys: Journeys) -> NDArray[np.float64]:
    """The share of the pages of each kind with think times of its own."""
    kinds = journeys.kind_of_page
    return np.array([float(np.mean(kinds == one)) for one in journeys.thinks.own])


def _think_s(journeys: Journeys) -> float:
    """The mean think time after a page, as in the file."""
    law = journeys.thinks.law
    assert law is not None
    shares = _own_shares(journeys)
    means = np.array([mean_of(one) for one in journeys.thinks.own.values()])
    return float((1 - shares.sum()) * mean_of(law) + shares @ means)
