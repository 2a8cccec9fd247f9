"""What a log holds, counted: the tallies, series and counts of its requests and sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime import _core
from thinktime.learn.fit import Tally
from thinktime.report import units

Progress = Callable[[int, float, int], None]
"""Called with the entries read, the share of the logs read (0 if unknown), and bytes unpacked."""

RESOLUTION_MATTERS_S = 1e-3
"""Stamps of this resolution and coarser are taken as rounded, finer ones as exact."""

GAP_SHARE = 0.5
GAP_MINUTES = 600


@dataclass(frozen=True)
class BadLines:
    """Lines of a file that could not be read for one reason."""

    file: str
    reason: str
    count: int
    line: int
    """The number of the first one, from 1."""
    example: str


@dataclass(frozen=True)
class Traffic:
    """What one or several logs hold. Times are in seconds; programs' requests are set apart."""

    raw: dict[str, Any] = field(repr=False)
    """What `thinktime._core.read_log` gave."""

    timeout_s: float
    """The session timeout."""

    @property
    def resolution_s(self) -> float:
        """The steps of the stamps: the coarsest file's."""
        return max((file["resolution_s"] for file in self.raw["files"]), default=0.0)

    @property
    def duration_s(self) -> float:
        """From the first request to the last, one step of the stamps included."""
        length = (self.raw["end_ns"] - self.raw["start_ns"]) * 1e-9
        return float(length + self.resolution_s)

    @property
    def lines(self) -> int:
        """The lines of all files."""
        return sum(file["lines"] for file in self.raw["files"])

    @property
    def formats(self) -> list[str]:
        """The formats found, each once."""
        return list(dict.fromkeys(file["format"] for file in self.raw["files"]))

    @property
    def bad_lines(self) -> list[BadLines]:
        """What could not be read, by file and reason."""
        return [BadLines(file["name"], *bad) for file in self.raw["files"] for bad in file["bad"]]

    def count(self, name: str) -> int:
        """A count by its name: requests, pages, users, sessions, apart_requests and so on."""
        return int(self.raw[name])

    @property
    def requests_per_session(self) -> float:
        """The mean over sessions that the log's edges do not cut; NaN without sessions."""
        return self.count("whole_requests") / (self.count("whole_sessions") or np.nan)

    @property
    def active_mean(self) -> float:
        """The mean number of sessions under way, from their first request to their last."""
        return float(self.raw["session_seconds"] / max(self.duration_s, 1e-9))

    @property
    def active_max(self) -> int:
        """The most sessions that were under way in any one minute."""
        active, begun = self.minutes("active"), self.minutes("sessions")
        before = np.concatenate([[0], active[:-1]]) if len(active) else active
        return int(max(before + begun, default=0))

    @property
    def warnings(self) -> list[str]:
        """What is odd about the log, in words."""
        found = []
        back = self.count("backwards")
        if back:
            times = units.counted(back, "time")
            found.append(f"the log's time goes back by more than two minutes {times}")
        busy = np.flatnonzero(self.minutes("requests"))
        longest = int(max(np.diff(busy), default=0))
        far = self.duration_s > 2 * 60 * (len(self.minutes("requests")) + GAP_MINUTES)
        if far or longest > max(GAP_SHARE * len(self.minutes("requests")), GAP_MINUTES):
            found.append(
                "for most of the time from the first stamp to the last nothing was asked for: is "
                "one of them wrong? Rates are those of the whole time"
            )
        return found

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
        """The durations of requests; empty where they are not logged."""
        low, high, count = _columns(self.raw["durations_us"])
        return Tally(low * 1e-6, high * 1e-6, count)

    def sizes(self) -> Tally:
        """Response sizes in bytes."""
        low, high, count = _columns(self.raw["bytes"])
        return Tally(low, high, count, unit="B")

    def lengths(self, of: str = "requests") -> Tally:
        """Requests, or pages, a session."""
        low, high, count = _columns(self.raw[f"session_{of}"])
        alone = high == low + 1
        return Tally(low, np.where(alone, low, high), count, whole=True, unit="")

    def minutes(self, of: str) -> NDArray[np.int64]:
        """Requests, sessions begun, or sessions active, by the minute."""
        return np.asarray(self.raw[f"minute_{of}"], dtype=np.int64)

    @property
    def starts(self) -> tuple[NDArray[np.float64], int]:
        """When sessions began, in seconds from the first minute; one in so many minutes is kept."""
        times, stride = self.raw["starts"]
        first = self.raw["minutes_start_ns"]
        return (np.asarray(times, dtype=np.int64) - first) * 1e-9, int(stride)


def _columns(bins: tuple[list[int], list[int], list[int]]) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.asarray(part, dtype=np.float64) for part in bins)


def read(
    logs: Sequence[str | Path], timeout_s: float, *, progress: Progress | None = None, **how: Any
) -> Traffic:
    """Read logs, with a session timeout in seconds; ``how`` as for `thinktime._core.read_log`.

    Raises InputError where a log cannot be read, or holds no request at all.
    """
    names = [str(log) for log in logs]
    raw = _core.read_log(names, timeout=timeout_s, progress=progress, **how)
    traffic = Traffic(raw, timeout_s)
    if traffic.count("requests") + traffic.count("apart_requests") == 0:
        raise _core.InputError(f"{', '.join(names)}: no request in it could be read")
    if traffic.count("requests") == 0:
        raise _core.InputError(
            f"{', '.join(names)}: all {traffic.count('apart_requests'):,} requests are of "
            "crawlers, monitors and other programs; to learn from them, take them along "
            "(--crawlers with)"
        )
    return traffic
