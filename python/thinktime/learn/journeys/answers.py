"""The answers to requests, kind by kind: statuses, durations, and sizes with their laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.fit import Tally, fit
from thinktime.learn.fit.empirical_law import outcomes
from thinktime.learn.journeys.laws import NEAR
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept, bounds_of, stable_order

TARGETS_LEAST = 300
"""A law of sizes is fitted to at least this many targets; sizes of fewer are written as
outcomes."""

OUTCOMES_MAX = 12
"""The number of outcomes for sizes that no law fits."""

FITTED_MAX = 6
"""The largest number of kinds with fitted laws of sizes: those with the most bytes."""

LAWS = ("exp", "lognormal", "weibull", "bounded_pareto", "pareto")
QUANTILES = (0.5, 0.9, 0.99)
_LONGEST = 4_294_967_294


@dataclass(frozen=True)
class Answers:
    """The answers to requests of one kind."""

    statuses: dict[int, int]
    """The number of answers with each status."""

    size_law: str | None
    """The size of a target in bytes as a workload writes it, with the mean of the requests; None if
    sizes are not logged."""

    duration_s: tuple[float, ...]
    """The `QUANTILES` of the durations; empty if they are not logged."""


def find_answers(requests: Requests, of_row: Kept, kinds: int) -> list[Answers]:
    """The answers to the requests of each kind; ``of_row`` is the kind of each row."""
    rows = requests.rows.select("path", "bytes", "status").with_columns(kind=pl.Series(of_row))
    notes = [
        (pl.DataFrame(statuses), pl.DataFrame(sizes), least, largest)
        for statuses, sizes, least, largest in _core.answered(rows, kinds, requests.paths.height)
    ]
    durations = _durations(requests, of_row, kinds)
    many_bytes = [int(sizes["bytes"].sum()) for _, sizes, _, _ in notes]
    heavy = sorted(range(kinds), key=lambda one: -many_bytes[one])[:FITTED_MAX]
    found = []
    for kind, (statuses, sizes, least, largest) in enumerate(notes):
        taken_s, whole = durations[kind], int(sizes["whole"].sum())
        found.append(
            Answers(
                statuses=dict(zip(statuses["status"], statuses["answers"], strict=True)),
                size_law=f"{least}B"
                if whole and least == largest
                else _size_law(sizes, kind in heavy),
                duration_s=tuple(np.quantile(taken_s, QUANTILES).tolist()) if len(taken_s) else (),
            )
        )
    return found


def _durations(requests: Requests, of_row: Kept, kinds: int) -> list[NDArray[np.float64]]:
    """The durations of the requests of each kind, in seconds, as far as they are logged."""
    if not requests.timed:
        return [np.empty(0)] * kinds
    took = requests.rows["duration_us"].fill_null(_LONGEST + 1).to_numpy()
    order, bounds = stable_order(of_row), bounds_of(of_row, kinds)
    own = (took[order[low:high]] for low, high in pairwise(bounds))
    return [each[each <= _LONGEST] * 1e-6 for each in own]


def _size_law(sizes: pl.DataFrame, fitted: bool) -> str | None:
    """The law of the sizes of targets, whose mean is that of the answers."""
    if not len(sizes):
        return None
    whole, total = (sizes[name].to_numpy().astype(np.float64) for name in ("whole", "bytes"))
    each, mean = total / whole, float(total.sum() / whole.sum())
    if fitted and len(sizes) >= TARGETS_LEAST:
        law = _fitted(each, mean)
        if law is not None:
            return law
    law = outcomes(np.rint(each), whole, most=OUTCOMES_MAX, digits=0)
    return law if "(" in law else f"{law}B"


def _fitted(each: NDArray[np.float64], mean: float) -> str | None:
    """A law of the sizes of targets, scaled so that its mean is ``mean``."""
    scale = mean / float(each.mean())
    for _ in range(2):
        best = fit(Tally.from_values(each * scale, unit="B", width=0.05), LAWS)
        usable = [one for one in best if one.plausible and math.isfinite(one.mean)]
        if not usable:
            return None
        if abs(usable[0].mean - mean) <= NEAR * mean:
            return usable[0].notation
        scale *= mean / usable[0].mean
    return usable[0].notation
