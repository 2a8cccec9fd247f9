"""Sessions, the pages of each, what pages embed, and which page led to which.

A session is a run of a user's requests with gaps up to the timeout. A page is a base with what it
embeds. Pages that lead to one another are a journey: a session has one, but more where it has
several tabs, or where several people are behind one user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept, Places

FIRST = 100
"""Columns that differ mostly do so within so many values."""

_LOOKED_AT = ("time_ns", "duration_us", "user", "path", "referrer", "status")


@dataclass(frozen=True)
class Visits:
    """The requests of users in order, and the pages that they make."""

    order: Kept
    """The places of the requests in the log by user and time; rows below are in this order."""

    session: Kept
    """The session of each row, from 0."""

    retry: NDArray[np.bool_]
    """Whether the row is another attempt at what had failed."""

    embedded: NDArray[np.bool_]
    """Whether the row belongs to a page that was asked for before."""

    page: Kept
    """The page of each row, from 0: each session begins with one."""

    base: Kept
    """Of each page: the row of its base."""

    previous: Kept
    """Of each page: the page that led to it; -1 where a journey begins."""

    opener: Kept
    """Of the first page of a tab: the page from which it was opened; -1 of others."""

    journey: Kept
    """Of each page: the page with which its journey begins."""

    start_s: NDArray[np.float64]
    """Of each page: when it was asked for, in seconds since the log's first request."""

    end_s: NDArray[np.float64]
    """Of each page: when all of it was answered, as far as durations are logged."""

    failed: NDArray[np.bool_]
    """Of each page: whether its last attempt failed."""

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return int(self.session[-1]) + 1 if len(self.session) else 0

    @property
    def tabs(self) -> int:
        """How many journeys were opened as tabs beside others."""
        return int(np.sum(self.opener >= 0))

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Whether a journey begins with each page."""
        return self.previous < 0


def find_visits(
    requests: Requests, template: Places, timeout_s: float, pages: bool = True
) -> Visits:
    """Find sessions and pages; ``template`` is that of each path.

    Where the log says which requests make a page, these are the pages; without ``pages`` every
    request is one of its own, and embeds nothing.

    Raises InputError where there is no template for a path, or its number is not below that of
    the paths.
    """
    return Visits(**_kept_once(_found(requests, template, timeout_s, pages)))


def find_pages(requests: Requests, template: Places, timeout_s: float) -> tuple[Kept, Kept]:
    """Of each request the number of its page, from 0; and of each page a request of it.

    As `find_visits` finds them, of which the rest is not kept.
    """
    found = _found(requests, template, timeout_s, pages=True)
    numbers = np.empty(len(requests), np.int32)
    numbers[found["order"]] = found["page"]
    return numbers, found["order"][found["base"]]


def _found(
    requests: Requests, template: Places, timeout_s: float, pages: bool
) -> dict[str, NDArray[Any]]:
    """What `Visits` has, by name."""
    paths = pl.DataFrame({"object": requests.paths["object"], "template": template})
    found = _core.find_visits(
        requests.rows.select(*_LOOKED_AT, *(["page"] if requests.paged else [])),
        paths.cast({"template": pl.UInt32}),
        timeout_s=timeout_s,
        resolution_s=requests.resolution_s,
        pages=pages,
    )
    columns = [column for table in found for column in pl.DataFrame(table).get_columns()]
    return {column.name: column.to_numpy() for column in columns}


def _kept_once(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The same, with those that are equal in the same memory.

    Where every request is a session of its own that is half of them.
    """
    first = {
        name: next(one for one, other in columns.items() if _equal(other, column))
        for name, column in columns.items()
    }
    if len(set(first.values())) == len(columns):
        return columns
    # What came from Rust together is freed together: those that are kept leave it.
    copies = {name: columns[name].copy() for name in set(first.values())}
    return {name: copies[one] for name, one in first.items()}


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one is other or (
        one.dtype == other.dtype
        and np.array_equal(one[:FIRST], other[:FIRST])
        and np.array_equal(one, other)
    )
