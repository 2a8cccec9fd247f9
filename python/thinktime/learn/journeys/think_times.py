"""Think times: from the end of a page, with its embedded objects, to the journey's next page."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.fit import Fit, Tally, fit
from thinktime.learn.fit.empirical_law import outcomes
from thinktime.learn.fit.tally import counted
from thinktime.learn.journeys.laws import bounded
from thinktime.learn.journeys.visits import Visits
from thinktime.learn.logs.row_order import Kept

FINE = 500
"""Stamps count as exact if the median think time is at least this many of their steps."""

FEW = 0.01
"""Up to this share of zeros, zeros count as short times that were rounded."""

WIDTH = 0.04
"""Think times are counted in bins of this relative width."""

DECISIVE = 100_000
"""The choice of laws is as fine as with this many think times: smaller differences make no
difference to a workload."""

LEAST = 200
"""Kinds with fewer think times have no law of their own."""

OWN_MAX = 8
"""The largest number of kinds with a law of their own: those that differ most."""


@dataclass(frozen=True)
class ThinkTimes:
    """The laws of think times."""

    law: str | None
    """The session's, as a workload writes it; None if no page follows another."""

    own: dict[int, str]
    """The laws of kinds whose think times differ from the others' by more than chance."""

    mean_s: float
    median_s: float
    count: int

    pause: tuple[float, float] | None = None
    """For a closed population that is not always at work: the share of think times that are pauses
    between journeys, and their mean in seconds. They are in `law`, and in no other figure."""

    stretch: float = 1.0
    """For a closed population: the ratio of think times in `law` to those in the log."""


def find_think_times(
    visits: Visits, kind: Kept, timeout_s: float, resolution_s: float
) -> ThinkTimes:
    """Fit think times; ``kind`` is that of each page."""
    think, page = _times(visits)
    of = kind[page]
    apart = _apart(think, of, resolution_s)
    others = ~np.isin(of, apart) if apart else np.ones(len(of), bool)
    if not others.any() and apart:  # all differ from one another: the largest is the session's
        largest = max(apart, key=lambda one: int(np.sum(of == one)))
        apart = [one for one in apart if one != largest]
        others = of == largest
    rest = think[others] if apart else think
    median_s = float(np.median(think)) if len(think) else 0.0
    best = _best(rest, timeout_s, resolution_s, None if apart else median_s)
    apart_s = {one: think[of == one] for one in apart}
    own = {
        one: _law(_best(some, timeout_s, resolution_s), some, timeout_s)
        for one, some in apart_s.items()
    }
    return ThinkTimes(
        law=_law(best, rest, timeout_s),
        own={one: law for one, law in own.items() if law is not None},
        mean_s=float(think.mean()) if len(think) else 0.0,
        median_s=median_s,
        count=len(think),
    )


def times(visits: Visits) -> NDArray[np.float64]:
    """The think times in seconds; those that would be below 0 are 0."""
    return _times(visits)[0]


def _times(visits: Visits) -> tuple[NDArray[np.float64], Kept]:
    """From the end of a page to the request for the next one, 0 or more; the former page."""
    pages = pl.DataFrame(
        {
            "previous": visits.previous, "opener": visits.opener,
            "start_s": visits.start_s, "end_s": visits.end_s,
        }
    )  # fmt: skip
    table = pl.DataFrame(_core.think_times(pages)[0])
    return table["think_s"].to_numpy(), table["page"].to_numpy()


def tally(
    values: NDArray[np.float64],
    limit_s: float | None,
    resolution_s: float,
    median_s: float | None = None,
) -> Tally:
    """Times in bins; if stamps are coarse, in whole steps of them.

    Only times up to ``limit_s`` could be observed, if it is given; ``median_s`` is that of the
    values, if it is known.
    """
    if len(values) and median_s is None:
        median_s = float(np.median(values))
    if median_s is None or resolution_s * FINE <= median_s:
        if np.sum(values == 0) <= FEW * len(values):  # rounded down, or a moment too early
            values = np.maximum(values, resolution_s / 2)
        return Tally.from_values(values, limit=limit_s, width=WIDTH)
    steps, count = counted(np.rint(values / resolution_s))
    # For long times several steps make a bin: single steps do not matter there.
    group = np.where(steps < 1 / WIDTH, steps, np.floor(np.log(np.maximum(steps, 1)) / WIDTH) + 1e9)
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    last = np.zeros(len(first))
    np.maximum.at(last, place, steps)
    low = steps[first]
    high = np.where(low == last, low, last + 1)
    total = np.bincount(place, count).astype(np.float64)
    return Tally(low * resolution_s, high * resolution_s, total, resolution_s, limit_s)


def _best(
    values: NDArray[np.float64], limit_s: float, resolution_s: float, median_s: float | None = None
) -> Fit | None:
    fits = fit(tally(values, limit_s, resolution_s, median_s))
    return fits[0] if fits else None


def _law(best: Fit | None, values: NDArray[np.float64], limit_s: float) -> str | None:
    if best is None:
        return None
    if not best.plausible:
        return outcomes(values, digits=3)
    return bounded(best, limit_s)


def _apart(think: NDArray[np.float64], of: Kept, resolution_s: float) -> list[int]:
    """The kinds whose think times differ from the others' by more than chance.

    By BIC of histograms whose bins hold about equally many think times: a kind is separate if its
    own shares explain its think times better, by more than they cost, than those of the rest.
    """
    if not len(think) or (of == of[0]).all():
        return []
    least = max(resolution_s, 1e-3)
    edges = np.unique(np.quantile(np.maximum(think, least), np.linspace(0, 1, 21)[1:-1]))
    bins = len(edges) + 1
    place = np.searchsorted(edges, think, side="right")
    kinds = int(of.max()) + 1
    counts = np.bincount(of * bins + place, minlength=kinds * bins).reshape(kinds, bins)
    table = counts * min(1.0, DECISIVE / len(think))
    cost = (bins - 1) * math.log(min(len(think), DECISIVE))
    rest = np.flatnonzero(np.bincount(of, minlength=kinds) >= LEAST).tolist()
    apart: list[int] = []
    while len(rest) > 1 and len(apart) < OWN_MAX:
        pooled = table.sum(axis=0) - table[apart].sum(axis=0)
        gains = [_gain(table[one], pooled - table[one]) - cost for one in rest]
        most = int(np.argmax(gains))
        if gains[most] <= 0:
            break
        apart.append(rest.pop(most))
    return apart


def _gain(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """2 ln of the likelihood ratio of two rows of counts with and without own shares (G²)."""
    both = one + other

    def information(row: NDArray[np.float64]) -> float:
        used = row[row > 0]
        return float(np.sum(used * np.log(used / row.sum()))) if len(used) else 0.0

    return 2 * (information(one) + information(other) - information(both))
