"""A population's file offers what its log offered: the requests of a session, and their rate.

Sessions begin at a rate that leaves out those that were under way when the log began, and journeys
are cut off by the log's edges, so that each alone is right and both together are too few. What a
run of the file offers is computed from the file itself, as it is rounded and as its laws are; the
pages of a journey, and where that is not enough the rate, make up for what is missing.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thinktime import Workload
from thinktime.learn.journeys import Journeys, request_lines, session_lines
from thinktime.learn.starts import Model, Starts

NEAR = 1e-4
"""Requests of a session this near to those that are wanted are right."""

OFF = 0.02
"""A file that offers more or fewer of the log's requests by more than this share does not do."""

ROUNDS = 8

MOST = 2.0
"""Neither pages, in a round, nor rates are changed by more than this factor."""


def calibrated(journeys: Journeys, starts: Starts, model: Model) -> tuple[Journeys, Model]:
    """Journeys and a model of starts that together make the requests of the log.

    Further attempts, and what the file leaves out, are no part of that. `offers` says whether they
    do.
    """
    made, factor = _paged(journeys, starts, model, None)
    if model.rates is not None and 1 / MOST <= factor <= MOST:
        return made, model.times(factor)
    if abs(1 / factor - 1) > OFF:
        made, _ = _paged(journeys, starts, model, NEAR)
    return made, model


def _paged(
    journeys: Journeys, starts: Starts, model: Model, within: float | None
) -> tuple[Journeys, float]:
    """Journeys with so many pages, and by how much their sessions make too few requests still.

    ``within`` is that of `Chain.with_pages`.
    """
    wanted = _wanted(journeys, starts, model)
    offered = requests_of_session(journeys)
    for _ in range(ROUNDS):
        fewest = journeys.chain.pages_mean <= 1 and (within is None or offered >= wanted)
        if abs(offered / wanted - 1) <= NEAR or fewest:
            break
        pages = journeys.chain.pages_mean * min(max(wanted / offered, 1 / MOST), MOST)
        journeys = replace(journeys, chain=journeys.chain.with_pages(max(pages, 1.0), within))
        offered = requests_of_session(journeys)
        wanted = _wanted(journeys, starts, model)
    return journeys, wanted / offered


def offers(journeys: Journeys, starts: Starts, model: Model) -> float:
    """How many times the log's requests a run of the file makes in the log's time: 1 is right."""
    return requests_of_session(journeys) / _wanted(journeys, starts, model)


def _wanted(journeys: Journeys, starts: Starts, model: Model) -> float:
    """The requests that a session should have."""
    return _requests(journeys) / max(_sessions(journeys, starts, model), 1e-300)


def requests_of_session(journeys: Journeys) -> float:
    """The requests of a session as the file has them, what pages embed included."""
    session = session_lines(journeys)
    kind = "partly-open" if session else "open"
    head = ['name = "one"', "[arrivals]", f'model = "{kind}"', 'rate = "1/s"']
    found = float(
        Workload("\n".join([*head, *session, *request_lines(journeys)])).requests_per_session
    )
    return found if math.isfinite(found) and found > 0 else 1.0


def _requests(journeys: Journeys) -> int:
    """The log's requests that the file has."""
    lost = journeys.left_out
    kinds = journeys.kinds.kinds
    return sum(kind.requests for at, kind in enumerate(kinds) if at not in lost)


def _sessions(journeys: Journeys, starts: Starts, model: Model) -> float:
    """The sessions that come while the log lasts, each as much as it has of a whole one.

    A model of them begins with those who are there at its begin. A trace begins with nobody, and
    those that come late in it are not over when the log ends.
    """
    if model.rates is not None:
        if model.constant:
            return float(model.rates[0]) * starts.covered.seconds
        return float(model.rates.sum()) * model.width_s
    chain, thinks = journeys.chain, journeys.thinks
    visits = journeys.visits
    page_s = thinks.mean_s
    # What a page takes without durations is the spread of its stamps, which the file does not have.
    if journeys.timed:
        page_s += float(np.mean(np.maximum(visits.end_s - visits.start_s, 0.0)))
    if thinks.law is None or page_s <= 0:
        return float(len(starts.times_ns))
    left_s = starts.covered.span_s - starts.times_s
    pages = 1 + np.maximum(left_s, 0.0) / page_s
    return float(chain.pages_within(pages).sum()) / chain.pages_mean
