"""The known figures of a log as soon as it is read, before learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.logs.busiest import busiest_of
from thinktime.learn.logs.log import Log
from thinktime.theory.law import FloatArray

INTERVALS_MAX = 400
"""The largest number of intervals for the log's time."""

_NS = 1e9


@dataclass(frozen=True)
class UnreadLines:
    """Unreadable lines with one reason."""

    reason: str
    count: int
    first: str
    """The place of the first of them: its file and number."""


@dataclass(frozen=True)
class Overview:
    """Counts of a log that was read."""

    lines: int
    requests: int
    dropped: int
    """Requests that `only` and `without` left out."""

    users: int
    refused: tuple[UnreadLines, ...]
    """The most frequent reason first."""

    span_s: float
    """From the first request to the last, one step of the stamps included."""

    busiest: int
    """The requests of the busiest second."""

    busiest_s: float
    """The beginning of that second, from the first request on."""

    starts_s: FloatArray
    """The beginnings of intervals, from the first request on."""

    rates: FloatArray
    """Requests a second in each of them."""


def overview_of(log: Log) -> Overview:
    """The counts of a log; if it is a sample, scaled to all its users."""
    times_ns = log.requests.rows["time_ns"].to_numpy()
    begin_ns = int(times_ns[0])
    span_s = log.requests.span_s
    second = busiest_of((times_ns - begin_ns) // int(_NS), span_s)[0]
    starts_s, rates = _rates(times_ns, begin_ns, span_s)
    many = log.one_in
    return Overview(
        lines=log.lines, requests=log.count, dropped=log.dropped,
        users=len(log.requests.users) * many, refused=_refused(log), span_s=span_s,
        busiest=second.requests * many, busiest_s=second.at_s,
        starts_s=starts_s, rates=rates * many,
    )  # fmt: skip


def _rates(times_ns: np.ndarray, begin_ns: int, span_s: float) -> tuple[FloatArray, FloatArray]:
    """The starts of intervals, in whole seconds if the log has at least one, and their rates."""
    width_s = max(np.ceil(span_s / INTERVALS_MAX), min(span_s, 1.0), 1 / _NS)
    many = max(int(np.ceil(span_s / width_s - 1e-9)), 1)
    edges_s = width_s * np.arange(many + 1)
    places = np.searchsorted(times_ns, begin_ns + np.round(edges_s[:-1] * _NS).astype(np.int64))
    counts = np.diff(np.append(places, len(times_ns)))
    # The last interval may be cut short.
    lengths = np.minimum(np.diff(edges_s), span_s - edges_s[:-1])
    return edges_s[:-1], counts / np.maximum(lengths, 1 / _NS)


def _refused(log: Log) -> tuple[UnreadLines, ...]:
    found: dict[str, UnreadLines] = {}
    for bad in log.bad_lines:
        known = found.get(bad.reason) or UnreadLines(bad.reason, 0, f"{bad.file}:{bad.line}")
        found[bad.reason] = UnreadLines(known.reason, known.count + bad.count, known.first)
    return tuple(sorted(found.values(), key=lambda one: -one.count))
