"""Calibration of a file to its log: the requests of a session, and the rate of sessions.

The rate of sessions leaves out those in progress at the log's beginning, and the log's edges cut
off journeys: each figure alone is right, but both together are too low. The requests of a run are
computed from the file itself, with its rounding and its laws. Longer journeys make up for the
missing requests, and if that is not enough, a higher rate does.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thinktime import Workload
from thinktime.learn.journeys import Journeys, request_lines, session_lines
from thinktime.learn.starts import Model, Starts

NEAR = 1e-4
"""A session's requests that are this near to the wanted number are right."""

OFF = 0.02
"""A file is not good enough if its number of requests differs from the log's by more than this
share."""

ROUNDS = 8

MOST = 2.0
"""Neither pages, in a round, nor rates are changed by more than this factor."""


def calibrated(journeys: Journeys, starts: Starts, model: Model) -> tuple[Journeys, Model]:
    """Journeys and a model of starts that together make the requests of the log.

    Further attempts, and requests that the file leaves out, do not count. `offers` is the ratio.
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
    """Journeys with the pages they need, and the factor by which requests are still too few.

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
    """The ratio of a run's requests to the log's, in the log's time: 1 is right."""
    return requests_of_session(journeys) / _wanted(journeys, starts, model)


def _wanted(journeys: Journeys, starts: Starts, model: Model) -> float:
    """The wanted number of requests of a session."""
    return _requests(journeys) / max(_sessions(journeys, starts, model), 1e-300)


def requests_of_session(journeys: Journeys) -> float:
    """The requests of a session as the file has them, with embedded objects."""
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
    """The sessions that come during the log, each by its share of a whole one.

    A model begins with the sessions in progress at the log's beginning. A trace begins without any,
    and its late sessions are not over when the log ends.
    """
    if model.rates is not None:
        if model.constant:
            return float(model.rates[0]) * starts.covered.seconds
        return float(model.rates.sum()) * model.width_s
    chain, thinks = journeys.chain, journeys.thinks
    visits = journeys.visits
    page_s = thinks.mean_s
    # Without durations a page lasts for the spread of its stamps, which the file does not have.
    if journeys.timed:
        page_s += float(np.mean(np.maximum(visits.end_s - visits.start_s, 0.0)))
    if thinks.law is None or page_s <= 0:
        return float(len(starts.times_ns))
    left_s = starts.covered.span_s - starts.times_s
    pages = 1 + np.maximum(left_s, 0.0) / page_s
    return float(chain.pages_within(pages).sum()) / chain.pages_mean
