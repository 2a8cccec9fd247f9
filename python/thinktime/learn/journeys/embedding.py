"""What pages embed: how many objects, of which kinds, over how many connections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.journeys.laws import counts_law
from thinktime.learn.journeys.visits import Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept, Places

CONNECTIONS = 6
"""What browsers open with HTTP/1.1: where durations are not logged."""

CONNECTIONS_MAX = 1000
SEEN_LEAST = 30
LEAST = 0.005
"""Pages with fewer objects than this on average have none."""


@dataclass(frozen=True)
class Embedding:
    """What the pages of one kind embed."""

    law: str
    """The number of objects of a page, as a workload writes it."""

    mean: float
    of: dict[int, int]
    """How many objects of each kind there were."""


@dataclass(frozen=True)
class Embeddings:
    """What pages embed."""

    of_kind: dict[int, Embedding]
    """By kind of page; kinds that embed nothing are not there."""

    connections: int
    """So many objects of a page are asked for at a time."""

    measured: bool
    """Whether connections are measured, not assumed."""

    unchanged: int
    """How many were answered 304: browsers asked whether what they had was still good."""


def find_embeddings(
    requests: Requests, visits: Visits, kind_of_row: Kept, kind_of_page: Kept, pages: int
) -> Embeddings:
    """Find what the kinds of pages embed; ``kind_of_row`` is in the order of the visits."""
    at = np.flatnonzero(visits.embedded)
    page = visits.page[at]
    many = np.bincount(page, minlength=len(visits.base))
    kinds = int(kind_of_row.max()) + 1 if len(kind_of_row) else 0
    pairs = np.bincount(kind_of_page[page] * kinds + kind_of_row[at], minlength=pages * kinds)
    table = pairs.reshape(pages, kinds) if kinds else pairs.reshape(pages, 0)
    found = {}
    for kind in range(pages):
        own = many[kind_of_page == kind]
        mean = float(own.mean()) if len(own) else 0.0
        if mean >= LEAST:
            of = {int(one): int(table[kind, one]) for one in np.flatnonzero(table[kind])}
            found[kind] = Embedding(counts_law(own), mean, of)
    connections, measured = _connections(requests, visits, at, page, many)
    status = requests.rows["status"].to_numpy()[visits.order[at]]
    return Embeddings(found, connections, measured, int(np.sum(status == 304)))


def _connections(
    requests: Requests, visits: Visits, at: Places, page: Kept, many: Places
) -> tuple[int, bool]:
    """How many objects of a page are asked for at a time, and whether that is measured.

    Counted are those that come before the first one is answered, on pages with more objects than
    that. Requests arrive spread out by the network, which the durations of a server leave out: a
    few at a time may be more. So what is measured counts where there is never a second one, or
    where there are more than browsers open.
    """
    if not len(at) or not requests.timed or requests.resolution_s > 0.1:
        return CONNECTIONS, False
    rows = requests.rows[visits.order[at]]
    start = rows["time_ns"].to_numpy() * 1e-9
    end = start + rows["duration_us"].fill_null(0).to_numpy() * 1e-6
    answered = np.full(len(many), np.inf)
    np.minimum.at(answered, page, end)
    early = np.bincount(page[start < answered[page]], minlength=len(many))
    full = early[(early < many) & (many > 1)]
    if len(full) < SEEN_LEAST:
        return CONNECTIONS, False
    most = int(np.clip(np.quantile(full, 0.99), 1, CONNECTIONS_MAX))
    if requests.paged:  # by the clock of those who ask
        return most, True
    return (most, True) if most == 1 or most > CONNECTIONS else (CONNECTIONS, False)
