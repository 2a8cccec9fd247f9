"""The behaviour of one population of a log, in numbers: tallies, series and counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.learn.fit import Tally
from thinktime.learn.logs.log import Log

RESOLUTION_MATTERS_S = 1e-3
"""Stamps of this resolution and coarser count as rounded, finer ones as exact."""

HALF_BYTE = 0.5
"""A size that is drawn is rounded to whole bytes."""


@dataclass(frozen=True)
class Traffic:
    """The behaviour of one population of a log. Times are in seconds."""

    raw: dict[str, Any] = field(repr=False)
    """The result of `thinktime._core.LogColumns.sessions`."""

    one_in: int
    """The requests of one user in this many are here, if the log is very large."""

    resolution_s: float
    """The steps of the stamps: those of the coarsest file."""

    timeout_s: float
    """The session timeout."""

    @property
    def duration_s(self) -> float:
        """From the first request to the last, one step of the stamps included."""
        length = (self.raw["end_ns"] - self.raw["start_ns"]) * 1e-9
        return float(length + self.resolution_s)

    def count(self, name: str) -> int:
        """A count by its name: requests, pages, users, sessions and so on."""
        return int(self.raw[name]) * self.one_in

    @property
    def session_seconds(self) -> float:
        """The sum of the lengths of all sessions, from the first to the last request."""
        return float(self.raw["session_seconds"]) * self.one_in

    @property
    def requests_per_session(self) -> float:
        """The mean over sessions that the log's edges do not cut; NaN without sessions."""
        return self.count("whole_requests") / (self.count("whole_sessions") or np.nan)

    @property
    def active_mean(self) -> float:
        """The mean number of sessions in progress, from their first request to their last."""
        return self.session_seconds / max(self.duration_s, 1e-9)

    @property
    def active_max(self) -> int:
        """The most sessions in progress in any one minute."""
        active, begun = self.minutes("active"), self.minutes("sessions")
        before = np.concatenate([[0], active[:-1]]) if len(active) else active
        return int(max(before + begun, default=0))

    def times(self, name: str, limit_s: float | None = None) -> Tally:
        """A tally of times, by its name without unit: gaps, thinks, page_thinks, object_gaps."""
        low, high, count = _columns(self.raw[f"{name}_us"])
        low, high, resolution = low * 1e-6, high * 1e-6, self.resolution_s
        if resolution < RESOLUTION_MATTERS_S:
            return Tally(low, high, count, limit=limit_s)
        first = np.ceil(low / resolution - 1e-9)
        last = np.maximum(np.ceil(high / resolution - 1e-9) - 1, first)
        alone = first == last
        high = np.where(alone, first, last + 1) * resolution
        return Tally(first * resolution, high, count, resolution, limit_s)

    def durations(self) -> Tally:
        """The durations of requests; empty if they are not logged."""
        low, high, count = _columns(self.raw["durations_us"])
        return Tally(low * 1e-6, high * 1e-6, count)

    def sizes(self) -> Tally:
        """Response sizes in bytes, which are whole: a bin reaches half a byte to either side."""
        low, high, count = _columns(self.raw["bytes"])
        some = low > 0
        high = np.where(some, high - HALF_BYTE, np.minimum(high, HALF_BYTE))
        return Tally(np.where(some, low - HALF_BYTE, 0.0), high, count, unit="B")

    def lengths(self, of: str = "requests") -> Tally:
        """Requests, or pages, a session."""
        low, high, count = _columns(self.raw[f"session_{of}"])
        alone = high == low + 1
        return Tally(low, np.where(alone, low, high), count, whole=True, unit="")

    def minutes(self, of: str) -> NDArray[np.int64]:
        """Requests, sessions begun, or sessions active, by the minute."""
        return np.asarray(self.raw[f"minute_{of}"], dtype=np.int64) * self.one_in

    @property
    def starts(self) -> tuple[NDArray[np.float64], int]:
        """The starts of sessions in every n-th minute, in seconds from the first minute; and n.

        Raises KeyError after `without_starts`.
        """
        times, stride = self.raw["starts"]
        first = self.raw["minutes_start_ns"]
        return (times - first) * 1e-9, int(stride)

    def without_starts(self) -> Traffic:
        """The same without `starts`, which take much memory and are used once."""
        return replace(self, raw={name: of for name, of in self.raw.items() if name != "starts"})


def _columns(bins: tuple[list[int], list[int], list[int]]) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.asarray(part, dtype=np.float64) for part in bins)


def traffic_of(
    log: Log,
    timeout_s: float,
    labels: NDArray[np.uint8] | None = None,
    label: int = 0,
    pages: bool = True,
) -> Traffic:
    """The behaviour of the population with this label; of all the log without labels."""
    marks = None if labels is None else labels.tobytes()
    raw = log.columns.sessions(marks, label, timeout=timeout_s, pages=pages)
    times, stride = raw["starts"]
    raw["starts"] = pl.DataFrame(times)["start_ns"].to_numpy(), stride
    return Traffic(raw, log.one_in, log.requests.resolution_s, timeout_s)
