"""The objects of pages: their number, their kinds, and the connections for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.journeys.laws import counts_law
from thinktime.learn.journeys.visits import Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept, Places

CONNECTIONS = 6
"""The number of connections that browsers open with HTTP/1.1, used if durations are not logged."""

CONNECTIONS_MAX = 1000
SEEN_LEAST = 30
LEAST = 0.005
"""Pages with fewer objects than this on average count as having none."""


@dataclass(frozen=True)
class Embedding:
    """The objects of the pages of one kind."""

    law: str
    """The number of objects of a page, as a workload writes it."""

    of: dict[int, int]
    """The number of objects of each kind."""


@dataclass(frozen=True)
class Embeddings:
    """The objects of pages."""

    of_kind: dict[int, Embedding]
    """The objects by kind of page; kinds without objects are left out."""

    connections: int
    """The number of objects of a page that are requested at a time."""

    unchanged: int
    """The number answered 304: browsers asked whether their copy was still valid."""


def find_embeddings(
    requests: Requests, visits: Visits, kind_of_row: Kept, kind_of_page: Kept, pages: int
) -> Embeddings:
    """Find the objects of the kinds of pages; ``kind_of_row`` is in the order of the visits."""
    at = np.flatnonzero(visits.embedded)
    page = visits.page[at]
    many = np.bincount(page, minlength=len(visits.base))
    kinds = int(kind_of_row.max()) + 1 if len(kind_of_row) else 0
    pairs = np.bincount(kind_of_page[page] * kinds + kind_of_row[at], minlength=pages * kinds)
    table = pairs.reshape(pages, kinds) if kinds else pairs.reshape(pages, 0)
    found = {}
    for kind in range(pages):
        own = many[kind_of_page == kind]
        if len(own) and own.mean() >= LEAST:
            of = {int(one): int(table[kind, one]) for one in np.flatnonzero(table[kind])}
            found[kind] = Embedding(counts_law(own), of)
    connections = _connections(requests, visits, at, page, many)
    status = requests.rows["status"].to_numpy()[visits.order[at]]
    return Embeddings(found, connections, int(np.sum(status == 304)))


def _connections(requests: Requests, visits: Visits, at: Places, page: Kept, many: Places) -> int:
    """The number of a page's objects that are requested at a time.

    It counts the objects that come before the first one is answered, on pages with more objects
    than that. Requests arrive spread out by the network, which the durations of a server leave out:
    the real number may be larger than a small one found. So the measured number is used only if it
    is always one, or larger than the number that browsers open.
    """
    if not len(at) or not requests.timed or requests.resolution_s > 0.1:
        return CONNECTIONS
    rows = requests.rows[visits.order[at]]
    start = rows["time_ns"].to_numpy() * 1e-9
    end = start + rows["duration_us"].fill_null(0).to_numpy() * 1e-6
    answered = np.full(len(many), np.inf)
    np.minimum.at(answered, page, end)
    early = np.bincount(page[start < answered[page]], minlength=len(many))
    full = early[(early < many) & (many > 1)]
    if len(full) < SEEN_LEAST:
        return CONNECTIONS
    most = int(np.clip(np.quantile(full, 0.99), 1, CONNECTIONS_MAX))
    # Those of pages are by the clients' clocks.
    return most if requests.paged or most == 1 or most > CONNECTIONS else CONNECTIONS
