"""The session timeout: the number of sessions as a function of it, and its level stretch.

Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
section 7, figure 9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.bounds import USUAL_S as USUAL_S
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import stable_order

LEVEL = 0.05
"""The curve is level if an e-fold longer timeout would lose fewer than this share of the
sessions."""

STEADY = 4.0
"""A stretch is level if it extends over at least this ratio of timeouts."""

_LONGEST_S = 10_000.0
_PLACES = 161
_SPAN = 1.5
"""Slopes are taken over this factor, because single gaps make steps."""


@dataclass(frozen=True)
class TimeoutCurve:
    """The number of sessions, and of requests a session, by the timeout."""

    timeout_s: NDArray[np.float64]
    sessions: NDArray[np.float64]
    requests_per_session: NDArray[np.float64]

    slope: NDArray[np.float64]
    """-dN/dtau, in sessions a second."""

    level_from_s: float | None
    """The timeout at which the longest level stretch begins; None if there is none."""


def gaps_of_users(requests: Requests) -> NDArray[np.float64]:
    """The times between each user's requests, in seconds."""
    user = requests.rows["user"].to_numpy()
    order = stable_order(user)
    gaps = np.diff(requests.rows["time_ns"].to_numpy()[order])[np.diff(user[order]) == 0]
    return np.asarray(gaps * 1e-9)


def timeout_curve(requests: Requests, one_in: int = 1) -> TimeoutCurve:
    """N(tau) = users + gaps above tau, for timeouts from 1 s to 10,000 s.

    Each user stands for ``one_in``.
    """
    gaps = np.sort(gaps_of_users(requests))

    def sessions(timeouts: NDArray[np.float64]) -> NDArray[np.float64]:
        within = np.searchsorted(gaps, timeouts, side="right").astype(np.float64)
        return one_in * (len(requests) - within)

    timeouts = np.geomspace(1.0, _LONGEST_S, _PLACES)
    number = sessions(timeouts)
    lost = sessions(timeouts / _SPAN) - sessions(timeouts * _SPAN)
    relative = lost / (2 * np.log(_SPAN)) / np.maximum(number, 1.0)
    return TimeoutCurve(
        timeouts,
        number,
        one_in * len(requests) / np.maximum(number, 1.0),
        relative * number / timeouts,
        _longest_level(timeouts, relative < LEVEL),
    )


def _longest_level(timeouts: NDArray[np.float64], level: NDArray[np.bool_]) -> float | None:
    """The beginning of the longest level stretch, by the ratio of its ends."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], level, [False]]).astype(int)))
    best, begin = STEADY, None
    for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
        ratio = float(timeouts[last] / timeouts[first])
        if ratio >= best:
            best, begin = ratio, float(timeouts[first])
    return begin
