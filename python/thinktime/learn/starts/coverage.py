"""The part of its span that a log covers, and its silences while requests were due."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Times = NDArray[np.float64]

SILENT_S = 30.0
"""Shorter silences are no lost part of a log."""

EXPECTED = 40.0
"""The number of independent requests that must be missing. A Poisson process has a silence that
long with probability 4e-18; with a hundredth of that rate's clumps the probability is still below
1e-6."""

WINDOW_S = 60.0

MOMENT_S = 1e-3

MOST = 0.5
"""If more than this share of a log is lost, its course in time cannot be replayed."""


@dataclass(frozen=True)
class Coverage:
    """The span of a log less its lost parts. Times are in seconds from the log's beginning."""

    span_s: float
    """From the beginning to the end, above 0."""

    lost: tuple[tuple[float, float], ...] = ()
    """The beginnings and ends of the lost parts, in order and apart from one another."""

    def __post_init__(self) -> None:
        if not 0 < self.span_s < np.inf:
            raise ValueError(f"a log's span is above 0 s; it is {self.span_s}")
        bounds = [bound for part in self.lost for bound in part]
        if bounds != sorted(bounds) or any(begin == end for begin, end in self.lost):
            raise ValueError(f"lost parts are in order and apart from one another: {self.lost}")

    @property
    def seconds(self) -> float:
        """The seconds that the log covers."""
        return float(self.upto(self.span_s))

    @property
    def mostly_lost(self) -> bool:
        """Whether most of the log is lost: the remaining parts then count as adjacent."""
        return self.seconds < (1 - MOST) * self.span_s

    def joined(self, time_s: ArrayLike) -> Times:
        """These times with lost parts cut out, and a moment between the parts before and after.

        Without it the last request before a lost part and the first after it would come at once.
        """
        at = np.asarray(time_s, dtype=np.float64)
        before = np.searchsorted([begin for begin, _ in self.lost], at)
        return np.asarray(self.upto(at) + MOMENT_S * before)

    def upto(self, time_s: ArrayLike) -> Times:
        """The seconds that the log covers from its beginning until these times."""
        at = np.clip(np.asarray(time_s, dtype=np.float64), 0.0, self.span_s)
        missing = np.zeros_like(at)
        for begin, end in self.lost:
            missing += np.clip(at, begin, end) - begin
        return at - missing

    def holds(self, time_s: ArrayLike) -> NDArray[np.bool_]:
        """Whether the log covers these times."""
        at = np.asarray(time_s, dtype=np.float64)
        inside = (at >= 0) & (at <= self.span_s)
        for begin, end in self.lost:
            inside &= (at < begin) | (at >= end)
        return np.asarray(inside)

    def settled(self, seconds: float) -> Coverage:
        """The same without the first seconds of each covered part.

        They are shortened if more than half of the covered time would go.
        """
        while seconds > 0:
            joined: list[tuple[float, float]] = []
            for begin, lost_till in ((0.0, 0.0), *self.lost):
                end = min(lost_till + seconds, self.span_s)
                if joined and begin <= joined[-1][1]:
                    joined[-1] = (joined[-1][0], max(joined[-1][1], end))
                else:
                    joined.append((begin, end))
            found = Coverage(self.span_s, tuple(joined))
            if 2 * found.seconds >= self.seconds:
                return found
            seconds = seconds / 2 if seconds > 1 else 0.0
        return self


def silences(times_s: Times, span_s: float) -> tuple[tuple[float, float], ...]:
    """The lost parts: a log has no request for too long there, in seconds from its beginning.

    ``times_s`` are all requests' times, in order. A silence counts if, by the quieter of its two
    sides, `EXPECTED` independent requests were due. Requests come in clumps, as users send several:
    variance over mean of the counts a minute gives the size of a clump.
    """
    if len(times_s) < EXPECTED:
        return ()
    gaps = np.diff(times_s)
    at = np.flatnonzero(gaps > SILENT_S)
    if not len(at):
        return ()
    begin, end = times_s[at], times_s[at + 1]
    longest = gaps[at]
    # As long before and after it, but within the log.
    came = at + 1 - np.searchsorted(times_s, begin - longest)
    follow = np.searchsorted(times_s, end + longest) - (at + 1)
    before = came * longest / np.maximum(np.minimum(longest, begin), 1e-9)
    after = follow * longest / np.maximum(np.minimum(longest, span_s - end), 1e-9)
    due = np.minimum(before, after) / _clump(times_s, span_s)
    return tuple(
        (float(first), float(last))
        for first, last, count in zip(begin, end, due, strict=True)
        if count >= EXPECTED
    )


def _clump(times_s: Times, span_s: float) -> float:
    """Variance over mean of the requests by minute against the next: slow changes cancel out."""
    minutes = np.bincount((times_s / WINDOW_S).astype(np.int64), minlength=1).astype(np.float64)
    minutes = minutes[: int(span_s // WINDOW_S)]
    one, other = minutes[:-1], minutes[1:]
    both = (one > 0) & (other > 0)
    if not both.any():
        return 1.0
    return max(float(np.sum((one - other)[both] ** 2) / np.sum((one + other)[both])), 1.0)
