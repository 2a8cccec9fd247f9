"""What a screen of an app asks for at once: calls beside the first one, without a referrer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.requests import Requests

from .order import Places, latest

if TYPE_CHECKING:
    from .visits import Rows

RESOLUTION_S = 0.1
"""Of coarser stamps nobody can tell what came at once, and what came first."""

BESIDE = 0.5
"""Requests of a template are calls of screens where at least this share comes while another of
the user's requests is under way."""

FIRST = 0.9
"""And so many screens must begin with what is no such call: else there is no order in them, as
where many hands work behind one address."""

LEAST = 20
"""Calls, and users, without which nothing is said."""


def beside_others(
    requests: Requests, rows: Rows, base: NDArray[np.bool_], template: Places
) -> NDArray[np.bool_]:
    """By template, whether such requests are calls beside others; none without durations.

    ``rows`` are those of the users in order, ``base`` says which of them would be pages, and
    ``template`` what each asks for.
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
