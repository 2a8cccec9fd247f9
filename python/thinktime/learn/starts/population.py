"""The starts of one population's sessions: all that is learned of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.starts.coverage import Coverage, Times
from thinktime.learn.starts.dispersion import WINDOWS_S, Counts, count, index
from thinktime.learn.starts.models import Model, models
from thinktime.learn.starts.poisson import MINUTE_S, Poisson, poisson
from thinktime.learn.starts.rates import Steps, steps
from thinktime.learn.starts.spread import spread

CHANCE = 2.576
"""This many standard errors are exceeded with a probability of 1 %."""


@dataclass(frozen=True)
class Starts:
    """The starts of one population's sessions."""

    times_ns: NDArray[np.int64] = field(repr=False)
    """Sorted, in nanoseconds from the log's beginning; those of coarse stamps spread."""

    covered: Coverage
    resolution_s: float
    """The steps of the stamps."""

    settled_s: float
    """The following fields leave out this many seconds at the log's beginning, and after each lost
    part: sessions in progress seem to begin there."""

    counts: Counts = field(repr=False)
    steps: Steps = field(repr=False)
    poisson: Poisson
    dispersion: tuple[float | None, ...]
    """Variance over mean of the starts in windows of `WINDOWS_S`: 1 for a Poisson process."""

    models: tuple[Model, ...]
    """The models for a workload file, the simplest first; the last one is the trace."""

    rate: float
    """Starts a second of the time that the log covers, after `settled_s`."""

    corrected: bool = False
    """Whether `rate` and models leave out sessions that were under way even after `settled_s`."""

    def at(self, rate: float) -> Starts:
        """The same with this rate, to which all models but the trace are scaled."""
        factor = rate / self.rate
        scaled = tuple(one if one.rates is None else one.times(factor) for one in self.models)
        return replace(self, rate=rate, models=scaled, corrected=True)

    @property
    def offered_rate(self) -> float:
        """Starts a second of the whole span with lost parts, as in a replay."""
        return len(self.times_ns) / self.covered.span_s

    @property
    def times_s(self) -> Times:
        """The times in seconds."""
        return np.asarray(self.times_ns * 1e-9, dtype=np.float64)


def learn_starts(
    times_ns: NDArray[np.int64],
    *,
    begin_ns: int,
    covered: Coverage,
    resolution_s: float,
    settled_s: float = 0.0,
) -> Starts:
    """Learn the starts of one population's sessions; there must be at least one.

    ``times_ns`` are the times of their first requests as logged (of an open population, of all
    requests), in any order; ``begin_ns`` is the log's beginning on the same clock. Stamps in steps
    of ``resolution_s`` seconds are spread over them.

    Sessions in progress at the log's beginning have lost their true start: they seem to begin with
    their first request in the log, all within its first minutes. A trace keeps them so, in place of
    the sessions at the start of a steady run. Rates, dispersion and models leave out the
    first ``settled_s`` seconds, in which this may be, there and after each lost part; a modelled
    run begins steady.

    If most of the log is lost, all figures are for the remaining time, as if its parts were
    adjacent; a session that is cut at the edge of a part counts as a session there.

    Raises ValueError if there are no times, or if one is outside the log.
    """
    spaced = _spread_within(times_ns, begin_ns, covered.span_s, resolution_s)
    del times_ns  # for millions of sessions it is large, and no other code may use it
    times_s = np.asarray(spaced * 1e-9, dtype=np.float64)
    if covered.mostly_lost:
        whole_s = float(covered.joined(covered.span_s))
        times_s, covered, settled_s = covered.joined(times_s), Coverage(whole_s), 0.0
        spaced = (times_s * 1e9).astype(np.int64)
    known = covered.settled(settled_s)
    inside = times_s[known.holds(times_s)] if known.lost else times_s
    if not len(inside):
        known, inside = covered, times_s
    counts = count(inside, known, resolution_s)
    found = steps(inside, known)
    dispersion = tuple(index(counts, window_s) for window_s in WINDOWS_S)
    longest = max(min(found.step_s, covered.span_s), MINUTE_S)
    rate = len(inside) / known.seconds
    return Starts(
        times_ns=spaced,
        covered=covered,
        resolution_s=resolution_s,
        settled_s=0.0 if known is covered else settled_s,
        counts=counts,
        steps=found,
        poisson=poisson(inside, known, counts, longest),
        dispersion=dispersion,
        rate=rate,
        models=models(counts, covered, found, dispersion),
    )


def _spread_within(
    times_ns: NDArray[np.int64], begin_ns: int, span_s: float, resolution_s: float
) -> NDArray[np.int64]:
    """Spread times from the log's beginning, all within it."""
    if not len(times_ns):
        raise ValueError("no session begins: there is nothing to learn")
    times_ns = np.asarray(times_ns, dtype=np.int64)
    first, last = float(times_ns.min() - begin_ns) * 1e-9, float(times_ns.max() - begin_ns) * 1e-9
    if first < -resolution_s or last > span_s + resolution_s:
        raise ValueError(
            f"starts lie from {first:.6g} s to {last:.6g} s, and the log from 0 s to {span_s:.6g} s"
        )
    spaced = spread(times_ns, resolution_s)
    spaced -= begin_ns
    return np.clip(spaced, 0, int(span_s * 1e9), out=spaced)


def as_dispersed(starts: Starts, within: float = 0.15) -> Callable[[Model], bool]:
    """Whether a model's counts vary as the log's do at every scale, for `choose`.

    Variances over means may differ by the share ``within``, and by the deviation that chance
    exceeds with a probability of 1 %: the standard error of one of W windows is sqrt(2 / W) of it
    for a Poisson process. This is quick, but uses counts alone: a simulation of both says more.
    """
    seconds = float(starts.counts.covered.sum())

    def agrees(model: Model) -> bool:
        scales = zip(model.dispersion, starts.dispersion, WINDOWS_S, strict=True)
        return all(
            abs(one - other) <= within * other + CHANCE * one * np.sqrt(2 * window_s / seconds)
            for one, other, window_s in scales
            if one is not None and other is not None
        )

    return agrees
