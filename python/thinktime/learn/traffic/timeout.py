"""The session timeout: the number of sessions as a function of it, and its level stretch.

Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
section 7, figure 9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.traffic.traffic import Traffic

USUAL_S = 1800.0
"""The timeout that is used if none is given."""

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


def timeout_curve(traffic: Traffic) -> TimeoutCurve:
    """N(tau) = first visits + gaps above tau, for timeouts from 1 s to 10,000 s."""
    gaps = traffic.times("gaps")
    order = np.argsort(gaps.middle)
    middles, upto = gaps.middle[order], np.cumsum(gaps.count[order])

    def sessions(timeouts: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.searchsorted(middles, timeouts, side="right")
        within = np.concatenate([[0.0], upto])[at]
        return traffic.count("first_visits") + gaps.total - within

    timeouts = np.geomspace(1.0, _LONGEST_S, _PLACES)
    number = sessions(timeouts)
    lost = sessions(timeouts / _SPAN) - sessions(timeouts * _SPAN)
    relative = lost / (2 * np.log(_SPAN)) / np.maximum(number, 1.0)
    level = _longest_level(timeouts, relative < LEVEL)
    return TimeoutCurve(
        timeouts,
        number,
        traffic.count("requests") / np.maximum(number, 1.0),
        relative * number / timeouts,
        level,
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
