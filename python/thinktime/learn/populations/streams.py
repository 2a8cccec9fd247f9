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
        counts: Ints | None = None,
    ) -> None:
        """Rows are places in the arrays of times, in seconds; ``ids`` count streams from 0.

        Both are stream by stream, and in a stream in the order of time. ``counts`` are the numbers
        of rows of the streams, if known.
        """
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

    def quantiles(self, values: Floats, *parts: float) -> list[Floats]:
        """Quantiles of the gaps or thinks of each stream; NaN if a stream has none."""
        return _quantiles(self.ids[self.inner], values, len(self), *parts)

    @cached_property
    def overlaps(self) -> Floats:
        """The share of requests that came before the answer to the one before."""
        late = np.bincount(self.ids[self.inner], self.thinks < -0.002, len(self))
        return np.asarray(late / np.maximum(self.counts - 1, 1))

    def dispersion(self, resolution_s: float) -> Floats:
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
            value, _ = self._dispersion(many, resolution_s)
            least = np.fmin(least, value)
        return least

    def _groups(self, many: int) -> tuple[Ints, Ints]:
        """The places of every ``many``-th request of a stream, and of those with one before."""
        place = np.arange(len(self.ids)) - self.starts[self.ids]
        chosen = np.flatnonzero((place % many == 0) & (self.counts[self.ids] >= many))
        return chosen, np.flatnonzero(self.ids[chosen][1:] == self.ids[chosen][:-1]) + 1

    def _dispersion(self, many: int, resolution_s: float) -> tuple[Floats, Floats]:
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
        told = (number >= GROUPS_LEAST) & (middle >= 10 * resolution_s)
        return np.where(told, value, np.inf), middle

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
        for many in HANDS:
            if self.duration is None or self.counts.max(initial=0) < many * HANDS_LEAST:
                break
            work = self._variety(many, self.duration, 0.5)
            number = self._variety(many, np.ones(len(self.ids)), 0.0)
            less = work < least
            with np.errstate(all="ignore"):
                beside[less] = (work / number)[less]
            least[less] = work[less]
        return least, beside

    def _variety(self, many: int, values: Floats, above: float) -> Floats:
        """The variation of sums of values over groups, per second, if more than ``above``."""
        chosen, inner = self._groups(many)
        upto = np.concatenate(([0.0], np.cumsum(values)))
        sums = upto[chosen[inner]] - upto[chosen[inner - 1]]
        took = self.time[chosen[inner]] - self.time[chosen[inner - 1]]
        ids = self.ids[chosen[inner]]
        kept = took > 0
        ratio, ids = sums[kept] / took[kept], ids[kept]
        low, middle, high = _quantiles(ids, ratio, len(self), 0.25, 0.5, 0.75)
        number = np.bincount(ids, minlength=len(self))
        with np.errstate(all="ignore"):
            # The quartiles of a normal law lie 1.349 standard deviations apart.
            value = many * ((high - low) / 1.349 / middle) ** 2 * (1 + 3 / np.sqrt(number))
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
