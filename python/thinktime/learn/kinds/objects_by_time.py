"""Objects of pages by their times alone, for logs in which neither endings nor referrers show them.

Objects come within a second of the page or of each other, pages after a think time. A kind is one
of objects as a whole or not at all: a quick reader makes none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.learn.kinds.kinds import templates_of
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import stable_order
from thinktime.present import units

SOON_S = 1.0
"""An object comes this soon after the answer before it."""

CALLS = 0.5
"""The least share of a kind's requests that come so soon, if it is one of objects."""

FIRST = 0.9
"""The least share of bursts that begin with another kind: otherwise they have no order, as those of
programs."""

LEAST = 20
"""The least numbers of such requests and of their users."""

KNOWN = 0.05
"""A log with at least this share of objects by their endings shows them in this way."""

FINE_S = 0.1
"""Stamps at least as fine show with durations which requests were under way together."""

REDIRECTS = (301, 302, 303, 307, 308)
"""What follows such an answer is a page."""

SHOWN = 3
"""The number of kinds that a sentence names."""


@dataclass(frozen=True)
class ObjectsByTime:
    """A log's requests with the objects that were found."""

    requests: Requests
    kinds: tuple[str, ...] = ()
    """The kinds of the objects, the most frequent first."""

    share: float = 0.0
    """The share of the log's requests."""


def find(requests: Requests) -> ObjectsByTime:
    """The same requests; paths of kinds that come at once with others are objects."""
    path = requests.rows["path"].to_numpy()
    is_object = requests.paths["object"].to_numpy()
    fine = requests.timed and requests.resolution_s <= FINE_S
    told = requests.rows["referrer"].null_count() < len(requests) or requests.paged
    if fine or told or float(is_object[path].mean()) >= KNOWN:
        return ObjectsByTime(requests)
    templates = templates_of(requests)
    calls = _calls(requests, templates.of_path[path])
    if not calls.any():
        return ObjectsByTime(requests)
    found = calls[templates.of_path] & (np.bincount(path, minlength=len(is_object)) > 0)
    paths = requests.paths.with_columns(pl.Series("object", is_object | found))
    asked = np.bincount(templates.of_path[path], minlength=len(calls))
    most = [at for at in np.argsort(-asked, kind="stable") if calls[at]]
    kinds = tuple(templates.texts[at] for at in most)
    return ObjectsByTime(replace(requests, paths=paths), kinds, float(found[path].mean()))


def _calls(requests: Requests, kind: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each kind is one of objects; ``kind`` is that of each request."""
    rows = requests.rows
    order = stable_order(rows["user"].to_numpy())
    user, kind = rows["user"].to_numpy()[order], kind[order]
    time_ns = rows["time_ns"].to_numpy()
    time_s = (time_ns - time_ns[0])[order] * 1e-9
    took_s = rows["duration_us"].fill_null(0).to_numpy()[order] * 1e-6
    redirects = np.isin(rows["status"].to_numpy()[order], REDIRECTS)
    gap = np.diff(time_s) - took_s[:-1]
    quick = np.zeros(len(order), bool)
    quick[1:] = (user[1:] == user[:-1]) & (gap <= SOON_S) & ~redirects[:-1]
    many = int(kind.max()) + 1
    asked, soon = np.bincount(kind, minlength=many), np.bincount(kind[quick], minlength=many)
    found = (soon >= CALLS * asked) & (soon >= LEAST)
    # The request with which the burst of each one began.
    begin = np.maximum.accumulate(np.where(quick, 0, np.arange(len(order))))
    bursts = np.unique(begin[quick & found[kind]])
    users = len(np.unique(user[bursts]))
    if users < LEAST or found[kind[bursts]].mean() > 1 - FIRST:
        return np.zeros(many, bool)
    return np.asarray(found)


def sentence(found: ObjectsByTime) -> str:
    """What was taken for objects, and the option that decides otherwise."""
    shown = ", ".join(found.kinds[:SHOWN]) + (", ..." if len(found.kinds) > SHOWN else "")
    return (
        f"neither endings nor referrers show the objects of pages: {units.percent(found.share)} of "
        f"the requests ({shown}) come within a second of another and are taken for objects of its "
        "page; --no-pages takes each request for a page"
    )
