"""The requests of one population, their order, and the think times between."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.bounds import USERS_MIN
from thinktime.learn.fit import Tally
from thinktime.learn.journeys.answers import Answers, find_answers
from thinktime.learn.journeys.chain import Chain, find_chain
from thinktime.learn.journeys.divergence import set_apart
from thinktime.learn.journeys.embedding import Embeddings, find_embeddings
from thinktime.learn.journeys.think_times import ThinkTimes, find_think_times
from thinktime.learn.journeys.visits import Visits, find_visits
from thinktime.learn.kinds.kinds import Kinds, find_kinds, templates_of
from thinktime.learn.kinds.templates import Templates
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept
from thinktime.learn.memory import give_back


@dataclass(frozen=True)
class Journeys:
    """The requests of one population and their pattern."""

    kinds: Kinds
    visits: Visits
    kind_of_page: Kept
    """The kind of each page of the visits."""

    chain: Chain
    thinks: ThinkTimes
    embeddings: Embeddings
    answers: list[Answers]
    """The answers of each kind."""

    retries: int
    """The number of requests that were further attempts: only the answers count them."""

    timeout_s: float
    timed: bool
    """Whether durations are logged."""

    least_users: int
    """Paths that fewer users requested are not named."""

    @property
    def journeys(self) -> int:
        """The number of journeys, which a workload calls sessions."""
        return int(np.count_nonzero(self.visits.starts))

    @property
    def left_out(self) -> frozenset[int]:
        """Kinds of objects that no page has often enough to be written: no page leads to them."""
        embedded = {kind for one in self.embeddings.of_kind.values() for kind in one.of}
        return frozenset(range(self.kinds.pages, len(self.kinds.kinds))) - embedded

    @property
    def starts_s(self) -> NDArray[np.float64]:
        """The beginnings of journeys, in seconds since the first request, in the order of time."""
        begun = self.visits.start_s[self.visits.starts]
        begun.sort()
        return begun

    @property
    def lengths_in_pages(self) -> Tally:
        """The pages of a journey, as if the log's edges cut none off."""
        pages = self.chain.whole.pages.astype(np.float64)
        return Tally(pages, pages, self.chain.whole.many, whole=True, unit="")

    @cached_property
    def lengths_in_requests(self) -> Tally:
        """The requests of a journey, with embedded objects and without further attempts.

        A journey stands for as many as `lengths_in_pages` has of its number of pages.
        """
        visits, whole = self.visits, self.chain.whole
        requests = np.bincount(visits.page[~visits.retry], minlength=len(visits.base))
        first = np.flatnonzero(visits.starts)
        pages_of = np.bincount(visits.journey)[first]
        requests_of = np.bincount(visits.journey, requests)[first]
        many = np.zeros(max(int(pages_of.max()), int(whole.pages.max())) + 1)
        many[whole.pages] = whole.many
        weight = many[pages_of] / np.bincount(pages_of)[pages_of]
        at, place = np.unique(np.maximum(requests_of, 1.0), return_inverse=True)
        count = np.bincount(place, weight).astype(np.float64)
        return Tally(at, at, count, whole=True, unit="")

    @property
    def requests_per_journey(self) -> float:
        """The mean of `lengths_in_requests`."""
        return self.lengths_in_requests.mean


def find_journeys(
    requests: Requests,
    timeout_s: float,
    least_users: int = USERS_MIN,
    pages: bool = True,
    templates: Templates | None = None,
) -> Journeys:
    """Learn the requests of a population: ``requests`` are its own, at least one.

    Only paths that at least ``least_users`` requested are named. Without ``pages`` no page has
    embedded objects. ``templates`` are those of the requests' paths, if they were found before.

    Raises ValueError if there are no requests, or the timeout is not above 0.
    """
    if not len(requests):
        raise ValueError("there are no requests to learn journeys from")
    if not timeout_s > 0:
        raise ValueError(f"the session timeout must be above 0 s; it is {timeout_s}")
    found = templates or templates_of(requests)
    visits = find_visits(requests, found.of_path, timeout_s, pages)
    give_back(requests)
    embedded = _of_rows(visits.order, visits.embedded)
    counted = ~_of_rows(visits.order, visits.retry)
    path = requests.rows["path"].to_numpy()
    # A further attempt has the kind of the first one.
    if pages and not counted.all():
        embedded |= ~counted & requests.paths["object"].to_numpy()[path]
    found = set_apart(found, visits, path)
    kinds = find_kinds(requests, found, embedded, counted, least_users)
    give_back(requests)
    of_row = kinds.of_row[visits.order]
    of_page = of_row[visits.base]
    page_kinds = kinds.pages
    return Journeys(
        kinds=kinds,
        visits=visits,
        kind_of_page=of_page,
        chain=find_chain(visits, of_page, page_kinds, requests.span_s),
        thinks=find_think_times(visits, of_page, timeout_s, requests.resolution_s),
        embeddings=find_embeddings(requests, visits, of_row, of_page, page_kinds),
        answers=find_answers(requests, kinds.of_row, len(kinds.kinds)),
        retries=int(visits.retry.sum()),
        timeout_s=timeout_s,
        timed=requests.timed,
        least_users=least_users,
    )


def _of_rows(order: Kept, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Flags of rows in this order, by the places of the rows."""
    found: NDArray[np.bool_] = np.zeros(len(flags), dtype=bool)
    if flags.any():
        found[order] = flags
    return found
