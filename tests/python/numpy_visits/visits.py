"""Sessions, their pages, embedded objects, and predecessors of pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.journeys.visits import Visits
from thinktime.learn.logs.requests import Requests

from .beside import beside_others
from .branches import Led, led_by, matched
from .order import Places, before, heads, last_same, latest

EMBEDDED_S = 10.0
"""An object, by its ending, comes this soon after the request before it."""

CALL_S = 1.0
"""An object, by its referrer, comes this soon."""

CALLS = 0.5
"""Requests of a template are calls of pages if at least this share comes this soon."""

CALLS_LEAST = 20

RETRY_S = 60.0
"""The same again this soon after it failed is another attempt."""

REFERRED = 0.5
"""Referrers are trusted for the beginnings of journeys if this share of the pages has one."""

_LONGEST_US = 4_294_967_294


@dataclass(frozen=True)
class Rows:
    """Columns in the order of users."""

    user: NDArray[np.uint32]
    time_s: NDArray[np.float64]
    took_s: NDArray[np.float64]
    path: Places
    referrer: Places
    object: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    first: Places
    """The first row of each row's session."""

    session: Places

    def keys(self, rows: Places, paths: Places) -> NDArray[np.uint64]:
        """Numbers of (session, path)."""
        return (self.session[rows].astype(np.uint64) << np.uint64(32)) | paths.astype(np.uint64)


def find_visits(
    requests: Requests, template: Places, timeout_s: float, pages: bool = True
) -> Visits:
    """The result of `thinktime.learn.journeys.visits.find_visits`; ``template`` is that of each
    path.

    There must be a request.
    """
    template = template[requests.rows["path"].to_numpy()]
    embeds = requests.paths["object"].to_numpy()[requests.rows["path"].to_numpy()] & pages
    order, rows, retry, base = _bases(requests, embeds, timeout_s)
    called = _called(rows, base, template[order])
    beside = beside_others(requests, rows, base & ~retry, template[order])
    if pages and (called.any() or beside.any()):
        referred = requests.rows["referrer"].is_not_null().to_numpy()
        embeds = embeds | (called[template] & referred) | (beside[template] & ~referred)
        order, rows, retry, base = _bases(requests, embeds, timeout_s)
    page_of, bases = _pages(rows, base, retry)
    led = _led(rows, bases)
    start = rows.time_s[bases]
    there = page_of >= 0
    end = start + rows.took_s[bases]
    inside = np.flatnonzero(there & ~base)
    np.maximum.at(end, page_of[inside], (rows.time_s + rows.took_s)[inside])
    failed = rows.failed[bases].copy()
    again = np.flatnonzero(retry & there)
    again = again[rows.path[again] == rows.path[bases[page_of[again]]]]
    failed[page_of[again]] = rows.failed[again]
    embedded = there & ~base & ~retry
    return Visits(
        order, rows.session, retry, embedded, page_of, bases, led.previous, led.opener,
        heads(led.previous), start, end, failed,
    )  # fmt: skip


def _bases(
    requests: Requests, embeds: NDArray[np.bool_], timeout_s: float
) -> tuple[Places, Rows, NDArray[np.bool_], NDArray[np.bool_]]:
    """The order by users, the rows in it, the retries, and the bases of pages.

    ``embeds`` marks requests of kinds that pages embed.
    """
    order = _by_user(requests, embeds)
    rows = _rows(requests, order, embeds, timeout_s)
    retry = _retries(rows)
    base = ~rows.object | (latest(~rows.object & ~retry) < rows.first)
    return order, rows, retry, _without_late(rows, base) & ~retry


def _by_user(requests: Requests, embeds: NDArray[np.bool_]) -> Places:
    """The rows by user and time.

    A page comes before its objects, even if rounded stamps put it up to one step later.
    """
    user = requests.rows["user"].to_numpy()
    if not embeds.any():
        return np.argsort(user, kind="stable")
    step = round(requests.resolution_s * 1e9)
    shown = requests.rows["time_ns"].to_numpy() + np.where(embeds, step, 0)
    order = np.argsort(shown, kind="stable")
    return order[np.argsort(user[order], kind="stable")]


def _rows(requests: Requests, order: Places, embeds: NDArray[np.bool_], timeout_s: float) -> Rows:
    table = requests.rows
    user = table["user"].to_numpy()[order]
    time_ns = table["time_ns"].to_numpy()
    time_s = (time_ns - (time_ns[0] if len(time_ns) else 0))[order] * 1e-9
    took = table["duration_us"].fill_null(0).to_numpy()[order]
    took_s = np.where(took >= _LONGEST_US, 0, took) * 1e-6
    status = table["status"].to_numpy()[order]
    path = table["path"].to_numpy()[order].astype(np.int64)
    fresh = np.ones(len(order), bool)
    fresh[1:] = (user[1:] != user[:-1]) | (np.diff(time_s) > timeout_s)
    return Rows(
        user=user,
        time_s=time_s,
        took_s=took_s,
        path=path,
        referrer=table["referrer"].cast(int).fill_null(-1).to_numpy()[order],
        object=np.asarray(embeds[order], dtype=bool),
        failed=(status >= 499) | (status == 429) | (status == 0),
        first=latest(fresh),
        session=np.cumsum(fresh) - 1,
    )


def _retries(rows: Rows) -> NDArray[np.bool_]:
    """Which rows are the same again soon after it failed."""
    retry = np.zeros(len(rows.user), bool)
    if not rows.failed.any():
        return retry
    unlucky = np.zeros(int(rows.session[-1]) + 1, bool)
    unlucky[rows.session[rows.failed]] = True
    at = np.flatnonzero(unlucky[rows.session])
    keys = rows.keys(at, rows.path[at])
    at, keys = at[(by := np.argsort(keys, kind="stable"))], keys[by]
    soon = rows.time_s[at[1:]] - (rows.time_s + rows.took_s)[at[:-1]] <= RETRY_S
    retry[at[1:]] = (keys[1:] == keys[:-1]) & rows.failed[at[:-1]] & soon
    return retry


def _without_late(rows: Rows, base: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Objects that come long after all else, and not from the page, are pages of their own."""
    gap = np.diff(rows.time_s, prepend=-np.inf)
    gap[rows.first == np.arange(len(gap))] = np.inf
    page = before(latest(base))
    led = (page >= rows.first) & (rows.referrer == rows.path[np.maximum(page, 0)])
    late = rows.object & (gap > EMBEDDED_S) & ~led & (rows.referrer < 0)
    return np.asarray(base | late)


def _called(rows: Rows, base: NDArray[np.bool_], template: Places) -> NDArray[np.bool_]:
    """The templates that pages call by themselves: they come at once, with the page as referrer.

    That is decided for a template as a whole: a quick reader is no call.
    """
    gap = np.diff(rows.time_s, prepend=0.0)
    soon = base & (rows.referrer >= 0) & (gap <= CALL_S) & (rows.first < np.arange(len(gap)))
    page = before(latest(base))
    beside = np.concatenate([[-1], rows.referrer[:-1]]) == rows.referrer  # another call of the page
    soon &= (rows.path[np.maximum(page, 0)] == rows.referrer) | beside
    many = int(template.max()) + 1
    asked = np.bincount(template[base], minlength=many)
    quick = np.bincount(template[soon], minlength=many)
    return np.asarray((quick >= CALLS * asked) & (quick >= CALLS_LEAST))


def _pages(rows: Rows, base: NDArray[np.bool_], retry: NDArray[np.bool_]) -> tuple[Places, Places]:
    """The page of each row, and the row of each page's base."""
    bases = np.flatnonzero(base)
    number = np.cumsum(base) - 1
    last = latest(base)
    page = np.where(last >= rows.first, number, -1)
    # If the referrer is another page of the session, it belongs to that page; an attempt to its
    # own.
    wanted = np.where(retry, rows.path, rows.referrer)
    other = ~base & (page >= 0) & (wanted >= 0) & (wanted != rows.path[np.maximum(last, 0)])
    at = np.flatnonzero(other)
    if len(at):
        some = _in_sessions(rows, bases, at)
        keys = rows.keys(bases[some], rows.path[bases[some]])
        found = last_same(keys, rows.keys(at, wanted[at]), np.searchsorted(bases[some], at))
        page[at] = np.where(found >= 0, some[found], page[at])
    return page, bases


def _in_sessions(rows: Rows, bases: Places, at: Places) -> Places:
    """The pages of the sessions of some rows."""
    those = np.zeros(int(rows.session[-1]) + 1, bool)
    those[rows.session[at]] = True
    return np.flatnonzero(those[rows.session[bases]])


def _led(rows: Rows, bases: Places) -> Led:
    """The predecessors of pages."""
    session, path, referrer = rows.session[bases], rows.path[bases], rows.referrer[bases]
    inner = np.zeros(len(bases), bool)
    inner[1:] = session[1:] == session[:-1]
    last = np.where(inner, np.arange(len(bases)) - 1, -1)
    named = inner & (referrer >= 0)
    parent = last.copy()
    other = np.flatnonzero(named & (referrer != path[np.maximum(last, 0)]))
    if len(other):
        some = _in_sessions(rows, bases, bases[other])
        pages = rows.keys(bases[some], path[some])
        wanted = rows.keys(bases[some], np.maximum(referrer[some], 0))
        found = matched(pages, wanted, named[some])
        parent[some] = np.where(found >= 0, some[found], last[some])
    if named.sum() >= REFERRED * inner.sum():
        telling = np.zeros(int(rows.user.max()) + 1, bool)
        telling[rows.user[bases[named]]] = True
        parent[inner & (referrer < 0) & telling[rows.user[bases]]] = -1
    return led_by(parent, last)
