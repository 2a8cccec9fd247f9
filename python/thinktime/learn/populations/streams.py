"""Streams: the requests of each user, or of each user for one path, and their evenness.

All is computed for all streams at once. A stream's requests lie side by side, in the order of time.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

GROUPS = (8, 32, 128, 512, 2048, 8192)
"""The numbers of requests in a group, for the evenness of a stream."""

HANDS = (64, 256, 1024)
"""The numbers of requests in a group, for the work in progress."""

STEPS = (8, 32, 128)
"""The numbers of steps in its place if stamps are coarse."""

COARSE_S = 0.1
"""From this step on, stamps hide which of two requests in a step came first."""

EARLY_S = 0.002
"""A request that comes before the answer to the one before by no more than this waits for it."""

GROUPS_LEAST = 14
HANDS_LEAST = 10
_BITS = 42
"""The bits of a time in microseconds: 50 days; longer ones count as that."""


class Streams:
    """Some rows of a log, each in one stream."""

    def __init__(
        self,
        rows: Ints,
        ids: Ints,
        time: Floats,
        duration: Floats | None,
        step_s: float,
        counts: Ints | None = None,
    ) -> None:
        """Rows are places in the arrays of times, in seconds; ``ids`` count streams from 0.

        Both are stream by stream, and in a stream in the order of time. ``step_s`` are the steps of
        the stamps, ``counts`` the numbers of rows of the streams, if known.
        """
        self.step_s = step_s
        self.rows, self.ids = rows, ids
        self.counts = np.bincount(ids) if counts is None else counts
        self.starts = np.cumsum(self.counts) - self.counts
        self._times, self._durations = time, duration

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def time(self) -> Floats:
        """The time of each request."""
        return np.asarray(self._times[self.rows])

    @cached_property
    def duration(self) -> Floats | None:
        """The duration of each, if it is known."""
        return None if self._durations is None else np.asarray(self._durations[self.rows])

    @cached_property
    def first(self) -> Floats:
        """The time of each stream's first request."""
        return np.asarray(self.time[self.starts])

    @cached_property
    def last(self) -> Floats:
        return np.asarray(self.time[self.starts + self.counts - 1])

    @cached_property
    def follows(self) -> Flags:
        """Whether a request has one before it in its stream."""
        follows = np.ones(len(self.ids), dtype=bool)
        follows[self.starts] = False
        return follows

    @cached_property
    def inner(self) -> Ints:
        """The places of requests with one before them in their stream."""
        return np.flatnonzero(self.follows)

    @cached_property
    def gaps(self) -> Floats:
        """From each request to the next of its stream."""
        return np.diff(self.time)[self.follows[1:]]

    @cached_property
    def thinks(self) -> Floats:
        """From each answer to the next request; the gaps, if durations are not known."""
        if self.duration is None:
            return self.gaps
        return self.gaps - self.duration[self.inner - 1]

    def sums(self, values: Floats | Flags) -> Floats:
        """The sum of values over each stream, one for each of `rows`."""
        return np.asarray(np.bincount(self.ids, values, len(self)), dtype=np.float64)

    @cached_property
    def usual_gaps(self) -> list[Floats]:
        """The 10th, 50th and 90th percentiles of each stream's gaps."""
        return self.quantiles(self.gaps, 0.1, 0.5, 0.9)

    @cached_property
    def usual_thinks(self) -> list[Floats]:
        """Those of its thinks."""
        if self.duration is None:
            return self.usual_gaps
        return self.quantiles(self.thinks, 0.1, 0.5, 0.9)

    def quantiles(self, values: Floats, *parts: float) -> list[Floats]:
        """Quantiles of the gaps or thinks of each stream; NaN if a stream has none."""
        return _quantiles(self.ids[self.inner], values, len(self), *parts)

    @property
    def early_s(self) -> float:
        """The time by which a request that waits may seem to come before the answer."""
        return EARLY_S + (2 * self.step_s if self.step_s >= COARSE_S else 0.0)

    @cached_property
    def overlaps(self) -> Floats:
        """The share of requests that came before the answer to the one before."""
        early = np.bincount(self.ids[self.inner], self.thinks < -self.early_s, len(self))
        return np.asarray(early / np.maximum(self.counts - 1, 1))

    @cached_property
    def dispersion(self) -> Floats:
        """The unevenness of the arrivals, relative to a Poisson process, which has 1.

        Neighbouring groups of m requests take times whose differences have the variance 2 m c², in
        squares of the mean gap, if gaps are independent with the squared coefficient of variation
        c². Slow changes of the rate do not affect differences, and holes in a log do not affect
        medians. A fixed number of clients that think evenly have a small value once m is larger
        than their number: the result is the least over `GROUPS`, each with an allowance for its
        error. Infinite if nothing can be judged. Index of dispersion for intervals: Cox and Lewis,
        The Statistical Analysis of Series of Events, 1966, section 4.4.
        """
        least = np.full(len(self), np.inf)
        for many in GROUPS:
            if self.counts.max(initial=0) < many * GROUPS_LEAST:
                break
            value = self.dispersion_of_groups(many, self.step_s)
            least = np.fmin(least, value)
        return least

    def _groups(self, many: int) -> tuple[Ints, Ints]:
        """The places of every ``many``-th request of a stream, and of those with one before."""
        place = np.arange(len(self.ids)) - self.starts[self.ids]
        chosen = np.flatnonzero((place % many == 0) & (self.counts[self.ids] >= many))
        return chosen, np.flatnonzero(self.ids[chosen][1:] == self.ids[chosen][:-1]) + 1

    def dispersion_of_groups(self, many: int, step_s: float) -> Floats:
        """The same for groups of this many requests; infinite if they last for a few steps only."""
        chosen, inner = self._groups(many)
        took = self.time[chosen[inner]] - self.time[chosen[inner - 1]]
        ids = self.ids[chosen[inner]]
        (middle,) = _quantiles(ids, took, len(self), 0.5)
        beside = np.flatnonzero(ids[1:] == ids[:-1]) + 1
        differences = np.abs(took[beside] - took[beside - 1])
        (swing,) = _quantiles(ids[beside], differences, len(self), 0.5)
        number = np.bincount(ids, minlength=len(self))
        with np.errstate(all="ignore"):
            value = many / 2 * (1.4826 * swing / middle) ** 2 * (1 + 3 / np.sqrt(number))
        known = (number >= GROUPS_LEAST) & (middle >= 10 * step_s)
        return np.where(known, value, np.inf)

    @cached_property
    def held(self) -> tuple[Floats, Floats]:
        """The variation of the work in progress; and its ratio to that of the number of requests.

        A fixed number N of clients without think time have N seconds of work in progress in each
        second: the durations of a group of requests sum to N times the time that the group took,
        and long durations make it long. Both variations are relative to those of independent
        requests, which have 1. Requests that come by a clock may have little variation of work,
        too, if answers take about the same; but that of their number is smaller still. Both are
        taken at the size of groups with the least work. Infinite if nothing can be judged.
        """
        least, beside = np.full(len(self), np.inf), np.full(len(self), np.inf)
        if self.duration is None or self.counts.max(initial=0) < HANDS[0] * HANDS_LEAST:
            return least, beside
        coarse = self.step_s >= COARSE_S
        for many in STEPS if coarse else HANDS:
            ids, each, work, number = self._by_steps(many) if coarse else self._by_groups(many)
            busy = self._variety(ids, each, work, 0.5)
            usual = self._variety(ids, each, number, 0.0)
            less = busy < least
            with np.errstate(all="ignore"):
                beside[less] = (busy / usual)[less]
            least[less] = busy[less]
        return least, beside

    def _by_groups(self, many: int) -> tuple[Ints, Floats, Floats, Floats]:
        """Of groups of this many requests: stream, requests, work a second, requests a second."""
        assert self.duration is not None
        chosen, inner = self._groups(many)
        upto = np.concatenate(([0.0], np.cumsum(self.duration)))
        work = upto[chosen[inner]] - upto[chosen[inner - 1]]
        took = self.time[chosen[inner]] - self.time[chosen[inner - 1]]
        kept = took > 0
        ids, took = self.ids[chosen[inner]][kept], took[kept]
        return ids, np.full(len(self), float(many)), work[kept] / took, many / took

    def _by_steps(self, many: int) -> tuple[Ints, Floats, Floats, Floats]:
        """The same of answers in this many steps of stamps, whose bounds are no part of a step.

        A stream's first and last ones are left out.
        """
        assert self.duration is not None
        rows = np.flatnonzero((self.counts >= HANDS[0] * HANDS_LEAST)[self.ids])
        width_s = many * self.step_s
        at = np.floor((self.time[rows] + self.duration[rows]) / width_s + 1e-6).astype(np.int64)
        key, place = np.unique(self.ids[rows] << 32 | at, return_inverse=True)
        ids = (key >> 32).astype(np.int64)
        number = np.bincount(place).astype(np.float64) / width_s
        work = np.bincount(place, self.duration[rows]) / width_s
        inner = np.zeros(len(ids), dtype=bool)
        inner[1:-1] = (ids[1:-1] == ids[:-2]) & (ids[1:-1] == ids[2:])
        sums = np.bincount(ids[inner], number[inner], len(self)) * width_s
        each = sums / np.maximum(np.bincount(ids[inner], minlength=len(self)), 1)
        return ids[inner], each.astype(np.float64), work[inner], number[inner]

    def _variety(self, ids: Ints, each: Floats, values: Floats, above: float) -> Floats:
        """The variation of values of groups, of ``each`` requests, if more than ``above``."""
        low, middle, high = _quantiles(ids, values, len(self), 0.25, 0.5, 0.75)
        number = np.bincount(ids, minlength=len(self))
        with np.errstate(all="ignore"):
            # The quartiles of a normal law lie 1.349 standard deviations apart.
            value = each * ((high - low) / 1.349 / middle) ** 2 * (1 + 3 / np.sqrt(number))
        return np.where((number >= HANDS_LEAST) & (middle > above), value, np.inf)


def _quantiles(ids: Ints, values: Floats, streams: int, *parts: float) -> list[Floats]:
    """Quantiles of the values of each stream, by the sorting of one array."""
    least = -3600.0
    # All values are moved to be positive: thinks may be a little negative.
    scaled = np.clip((values - least) * 1e6, 0, (1 << _BITS) - 1).astype(np.uint64)
    key = np.sort(ids.astype(np.uint64) << np.uint64(_BITS) | scaled)
    counts = np.bincount(ids, minlength=streams)
    starts = np.cumsum(counts) - counts
    found = []
    for part in parts:
        place = starts + np.minimum((counts * part).astype(np.int64), np.maximum(counts - 1, 0))
        there = counts > 0
        value = np.full(streams, np.nan)
        mask = np.uint64((1 << _BITS) - 1)
        value[there] = (key[place[there]] & mask).astype(np.float64) * 1e-6 + least
        found.append(value)
    return found
