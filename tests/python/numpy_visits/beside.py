"""Simultaneous requests of an app's screen: calls beside the first one, without a referrer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.requests import Requests

from .order import Places, latest

if TYPE_CHECKING:
    from .visits import Rows

RESOLUTION_S = 0.1
"""Coarser stamps do not show which requests were simultaneous, or first."""

BESIDE = 0.5
"""Requests of a template are calls of screens if at least this share comes during another of the
user's requests."""

FIRST = 0.9
"""And this share of screens must begin with another request: otherwise they have no order, as with
many users behind one address."""

LEAST = 20
"""The least numbers of calls, and of users, for a verdict."""


def beside_others(
    requests: Requests, rows: Rows, base: NDArray[np.bool_], template: Places
) -> NDArray[np.bool_]:
    """By template, whether its requests are calls beside others; none without durations.

    ``rows`` are those of the users in order, ``base`` marks the potential pages among them, and
    ``template`` is that of each.
    """
    many = int(template.max()) + 1 if len(template) else 0
    none = np.zeros(many, bool)
    asks = base & (rows.referrer < 0)
    if not requests.timed or requests.resolution_s > RESOLUTION_S or asks.sum() < LEAST:
        return none
    at = np.flatnonzero(asks)
    session, end_s = rows.session[at], (rows.time_s + rows.took_s)[at]
    # The latest end so far in the session.
    firsts = np.flatnonzero(np.diff(session)) + 1
    upto = np.concatenate([np.maximum.accumulate(own) for own in np.split(end_s, firsts)])
    under_way = np.zeros(len(at), bool)
    under_way[1:] = (session[1:] == session[:-1]) & (rows.time_s[at[1:]] < upto[:-1])
    of = template[at]
    asked = np.bincount(of, minlength=many)
    calls = np.bincount(of[under_way], minlength=many)
    found = (calls >= BESIDE * asked) & (calls >= LEAST)
    begins = latest(~under_way)
    screens = begins[under_way & found[of]]
    if len(np.unique(rows.user[at[screens]])) < LEAST or found[of[screens]].mean() > 1 - FIRST:
        return none
    return np.asarray(found)
