"""Sessions, their pages, the objects of each page, and the page that led to each.

A session is a run of a user's requests with gaps up to the timeout. A page is a base with its
embedded objects. Pages that lead to one another are a journey. A session has one journey, but more
if it has several tabs, or if several people share one user.
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
"""Columns whose values mostly differ do so within this many values."""

_LOOKED_AT = ("time_ns", "duration_us", "user", "path", "referrer", "status")


@dataclass(frozen=True)
class Visits:
    """The requests of users in order, and their pages."""

    order: Kept
    """The places of the requests in the log by user and time; rows below are in this order."""

    session: Kept
    """The session of each row, from 0."""

    retry: NDArray[np.bool_]
    """Whether the row is another attempt after a failure."""

    embedded: NDArray[np.bool_]
    """Whether the row belongs to a page that was requested before."""

    page: Kept
    """The page of each row, from 0: each session begins with one."""

    base: Kept
    """The row of the base of each page."""

    previous: Kept
    """The page that led to each page; -1 at the beginning of a journey."""

    opener: Kept
    """The page from which a tab was opened, for the first page of a tab; -1 for others."""

    journey: Kept
    """The page with which the journey of each page begins."""

    start_s: NDArray[np.float64]
    """The time of the request for each page, in seconds since the log's first request."""

    end_s: NDArray[np.float64]
    """The time at which each page was complete, as far as durations are logged."""

    failed: NDArray[np.bool_]
    """Whether the last attempt of each page failed."""

    @property
    def sessions(self) -> int:
        """The number of sessions."""
        return int(self.session[-1]) + 1 if len(self.session) else 0

    @property
    def tabs(self) -> int:
        """The number of journeys that were opened as tabs beside others."""
        return int(np.sum(self.opener >= 0))

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Whether a journey begins with each page."""
        return self.previous < 0


def find_visits(
    requests: Requests, template: Places, timeout_s: float, pages: bool = True
) -> Visits:
    """Find sessions and pages; ``template`` is that of each path.

    If the log says which requests make a page, these are the pages. Without ``pages`` every request
    is a page of its own, without embedded objects.

    Raises InputError if a path has no template, or its number is not below that of the paths.
    """
    return Visits(**_kept_once(_found(requests, template, timeout_s, pages)))


def find_pages(requests: Requests, template: Places, timeout_s: float) -> tuple[Kept, Kept]:
    """The number of the page of each request, from 0; and a request of each page.

    The pages are those of `find_visits`, without the rest of it.
    """
    found = _found(requests, template, timeout_s, pages=True)
    numbers = np.empty(len(requests), np.int32)
    numbers[found["order"]] = found["page"]
    return numbers, found["order"][found["base"]]


def _found(
    requests: Requests, template: Places, timeout_s: float, pages: bool
) -> dict[str, NDArray[Any]]:
    """The columns of `Visits`, by name."""
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
    """The same, with equal arrays in the same memory.

    If every request is a session of its own, half of them are equal.
    """
    first = {
        name: next(one for one, other in columns.items() if _equal(other, column))
        for name, column in columns.items()
    }
    if len(set(first.values())) == len(columns):
        return columns
    # Arrays that came from Rust together are freed together: a copy is kept outside.
    copies = {name: columns[name].copy() for name in set(first.values())}
    return {name: copies[one] for name, one in first.items()}


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one is other or (
        one.dtype == other.dtype
        and np.array_equal(one[:FIRST], other[:FIRST])
        and np.array_equal(one, other)
    )
