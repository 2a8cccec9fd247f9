"""The busiest second, minute and hour of a log's requests, of all populations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.log import Log
from thinktime.present import units

WINDOWS_S = {"second": 1, "minute": 60, "hour": 3600}
"""By name, in seconds."""


@dataclass(frozen=True)
class Busiest:
    """The busiest window of a length, which may begin at any second after the first request."""

    window_s: int
    at_s: float
    """Its beginning, in seconds after the log's first request; the first of equals."""

    requests: int
    factor: float
    """The ratio to the mean of such a window."""


def busiest(log: Log) -> list[Busiest]:
    """The busiest windows; those that are longer than the log are left out."""
    times_ns = log.requests.rows["time_ns"].to_numpy()
    seconds = times_ns - times_ns[0]
    seconds //= 1_000_000_000
    found = busiest_of(seconds, log.requests.span_s)
    many = log.one_in
    return [Busiest(one.window_s, one.at_s, one.requests * many, one.factor) for one in found]


def busiest_of(seconds: NDArray[np.int64], span_s: float) -> list[Busiest]:
    """The same, from the second of each request; they must not fall, and there must be one."""
    begins = np.append(0, np.flatnonzero(seconds[1:] != seconds[:-1]) + 1)
    there, upto = seconds[begins], np.append(begins, len(seconds))
    found = []
    for window_s in WINDOWS_S.values():
        if window_s > max(span_s, 1.0):
            continue
        inside = upto[np.searchsorted(there, there + window_s)] - begins
        place = int(inside.argmax())
        mean = len(seconds) * window_s / max(span_s, window_s)
        count = int(inside[place])
        found.append(Busiest(window_s, float(there[place]), count, count / mean))
    return found


def busiest_words(log: Log) -> str:
    """As in `41 requests in a second, 120 in a minute (12 and 3.1 times the mean)`."""
    found = busiest(log)
    names = {length_s: name for name, length_s in WINDOWS_S.items()}
    first, *rest = (f"in {_a(names[one.window_s])}" for one in found)
    requests = units.counted(found[0].requests, "request")
    counts = [f"{requests} {first}"]
    counts += [f"{units.count(one.requests)} {of}" for one, of in zip(found[1:], rest, strict=True)]
    factors = units.listed([units.number(one.factor) for one in found])
    return f"{units.listed(counts)} ({factors} times the mean)"


def _a(name: str) -> str:
    return f"an {name}" if name == "hour" else f"a {name}"
