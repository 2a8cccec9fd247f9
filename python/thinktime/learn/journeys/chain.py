"""The order of pages: a Markov chain of kinds, if it says more than independent draws.

Three models are compared by BIC on all journeys: kinds drawn independently by weight with a law of
the number of pages; a chain of kinds that comes to its end; and a chain without an end, with a law
of the number of pages. Source: Katz, 'On some criteria for estimating the order of a Markov chain'
(Technometrics 23, 1981).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.fit import Tally, fit
from thinktime.learn.journeys.laws import counts_law
from thinktime.learn.journeys.lengths import Lengths, counted, of_mean, tilted, whole
from thinktime.learn.journeys.visits import Visits
from thinktime.learn.logs.row_order import Kept

Matrix = NDArray[np.float64]

WEIGHTS, JOURNEY, COUNTED_JOURNEY = "weights", "journey", "counted journey"
"""The three models."""


@dataclass(frozen=True)
class Chain:
    """The order of pages."""

    model: str
    """`WEIGHTS`, `JOURNEY` or `COUNTED_JOURNEY`."""

    bic: dict[str, float]
    """BIC by model: less is better."""

    first: Matrix
    """The share of journeys that begin with each kind."""

    next: Matrix
    """The shares of the kinds that follow each kind, row by row; the last column is the end.

    Journeys that a log's edge or a failure cut off are not counted as ended.
    """

    offered: Matrix
    """The same, with the odds of ends changed so that journeys have `pages_mean` pages."""

    visits: NDArray[np.int64]
    """The number of visits of each kind."""

    weights: Matrix
    """The share of each kind in all pages."""

    lengths: Lengths
    """The numbers of pages of journeys behind the written law."""

    pages_mean: float
    """The mean number of pages of a journey: at first that in the log, whose edges cut some off."""

    whole: Lengths
    """The numbers of pages of journeys as if the log's edges cut none off."""

    logged: Lengths
    """The numbers of pages of journeys in the log, cut off or not."""

    settled_s: float
    """Up to this many seconds after the log's beginning, journeys in progress seem to begin."""

    cut: int
    """The number of journeys that an edge of the log or a failure cut off."""

    @cached_property
    def pages_law(self) -> str:
        """The number of pages of a journey as a workload writes it."""
        return counts_law(self.lengths.pages, self.lengths.many)

    def pages_within(self, most: Matrix) -> Matrix:
        """The mean of the pages of a journey as the file has them, limited to this many.

        Pages of a chain that comes to its end are taken as geometric.
        """
        if self.model != JOURNEY:
            return self.lengths.pages_within(most)
        going = max(1 - 1 / max(self.pages_mean, 1.0), 0.0)
        return np.asarray(self.pages_mean * (1 - going**most))

    def with_pages(self, mean: float, within: float | None = None) -> Chain:
        """The same with ``mean`` pages a journey, 1 or more, as far as possible.

        The odds of an end are changed alike after all pages; journeys that all have one number of
        pages keep it. With ``within`` the mean is reached but for this share. If need be, journeys
        that are cut off count as whole; if that is not enough, all have about the same length.
        """
        lengths = tilted(self.whole, mean)
        if within is not None:
            lengths = of_mean([self.whole, self.logged], mean, within)
        ending = _ending(self.next, self.visits)
        return replace(
            self,
            offered=_calibrated(self.first, ending, mean),
            lengths=lengths,
            pages_mean=mean,
        )


def find_chain(visits: Visits, kind: Kept, kinds: int, span_s: float) -> Chain:
    """Find the order of pages; ``kind`` is that of each page, one of ``kinds``."""
    pages = pl.DataFrame(
        {
            "previous": visits.previous, "journey": visits.journey, "kind": kind,
            "start_s": visits.start_s, "failed": visits.failed,
        }
    )  # fmt: skip
    found = _core.page_steps(pages, kinds, span_s)
    total = np.array(found["visited"], np.int64)
    firsts, judged_firsts = _counts(found["first"]), _counts(found["judged_first"])
    counts, judged = (_counts(found[name], kinds) for name in ("next", "judged_next"))
    counts[:, -1] = total - counts.sum(axis=1)
    _reachable(judged, judged_firsts, counts, firsts)
    lengths = counted(np.array(found["lengths"], np.int64))
    mean = len(kind) / max(int(firsts.sum()), 1)
    bic = _bic(counts, firsts, total, lengths)
    after = _shares(np.where(judged.sum(axis=1, keepdims=True) > 0, judged, counts))
    first = _shares((judged_firsts if judged_firsts.sum() else firsts)[None])[0]
    return Chain(
        model=min(bic, key=lambda model: bic[model]) if len(kind) > firsts.sum() else WEIGHTS,
        bic=bic,
        first=first,
        next=after,
        offered=_calibrated(first, _ending(after, total), mean),
        visits=total,
        weights=total / max(total.sum(), 1),
        lengths=lengths,
        pages_mean=mean,
        whole=whole(np.array(found["seen"]), np.array(found["ended"]))
        if found["seen"]
        else lengths,
        logged=lengths,
        settled_s=found["settled_s"],
        cut=found["cut"],
    )


def _counts(of: list[int], kinds: int | None = None) -> Matrix:
    """Counts by kind; or those of a table with a row for each kind."""
    counts = np.array(of, np.float64)
    return counts if kinds is None else counts.reshape(kinds, kinds + 1)


def _reachable(judged: Matrix, judged_firsts: Matrix, counts: Matrix, firsts: Matrix) -> None:
    """Use the counts that a log's edge cuts off for kinds that no other counts reach."""
    reached = judged_firsts > 0
    for _ in range(len(reached)):
        reached = reached | (reached @ judged[:, :-1] > 0)
    lost = np.flatnonzero(~reached)
    judged[:, lost] = counts[:, lost]
    judged_firsts[lost] = firsts[lost]


def _shares(counts: Matrix) -> Matrix:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300))


def _information(counts: Matrix) -> float:
    """Σ n ln(share) over the entries of rows."""
    shares = _shares(counts)
    return float(np.sum(counts[counts > 0] * np.log(shares[counts > 0])))


def _bic(
    counts: Matrix, firsts: Matrix, total: NDArray[np.int64], lengths: Lengths
) -> dict[str, float]:
    """-2 ln L + k ln n of each model, for the same journeys."""
    used = int(np.sum(total > 0))
    cost = math.log(max(float(total.sum()), 2))
    pages = lengths.pages.astype(np.float64)
    whole = fit(Tally(pages, pages, lengths.many, whole=True, unit=""))
    lasting = whole[0].log_likelihood if whole else 0.0
    begin = _information(firsts[None])
    found = {
        WEIGHTS: (_information(total[None].astype(np.float64)) + lasting, used - 1 + 2),
        JOURNEY: (begin + _information(counts), used - 1 + used * used),
        COUNTED_JOURNEY: (
            begin + _information(counts[:, :-1]) + lasting,
            used - 1 + used * (used - 1) + 2,
        ),
    }
    return {name: -2 * likely + free * cost for name, (likely, free) in found.items()}


def _ending(after: Matrix, total: NDArray[np.int64]) -> Matrix:
    """Rows from all of which an end can be reached."""
    after = after.copy()
    inner, end = after[:, :-1] > 0, after[:, -1] > 0
    while True:
        further = end | (inner @ end.astype(np.float64) > 0)
        if np.array_equal(further, end):
            break
        end = further
    caught = ~end
    after[caught] *= (1 - 1 / (total[caught] + 2))[:, None]
    after[caught, -1] = 1 - after[caught, :-1].sum(axis=1)
    return after


def mean_pages(first: Matrix, after: Matrix) -> float:
    """The mean number of pages of a journey: f (I - P)^-1 1."""
    chain = after[:, :-1]
    visits = np.linalg.solve(np.eye(len(chain)) - chain.T, first)
    return float(visits.sum())


def _calibrated(first: Matrix, after: Matrix, mean: float) -> Matrix:
    """Rows with the odds of ends changed so that journeys have ``mean`` pages."""
    if mean <= 1 + 1e-12:
        return np.hstack([np.zeros((len(after), len(after))), np.ones((len(after), 1))])
    low, high = math.log(1e-3), math.log(1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if mean_pages(first, _with_ends(after, math.exp(middle))) > mean:
            low = middle
        else:
            high = middle
    return _with_ends(after, math.exp((low + high) / 2))


def _with_ends(after: Matrix, factor: float) -> Matrix:
    """Rows in which the odds of the end are multiplied."""
    changed = after.copy()
    changed[:, -1] *= factor
    return _shares(changed)
