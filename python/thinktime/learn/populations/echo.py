"""The echo of answers.

In the traffic of many loops each request follows some answer, by their think time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.populations.streams import COARSE_S, Floats, Streams

SAMPLE = 2000
BEFORE = 400
"""The number of answers before each request that are used: at least as many clients are
recognised."""

WIDTHS = (0.01, 0.03, 0.1, 0.3)
"""Relative widths of the windows in which an echo is sought."""

ENOUGH = 0.5
"""The share of requests that must follow an answer by the interval, beyond chance."""


@dataclass(frozen=True)
class Echo:
    """The time after which requests come again."""

    interval_s: float
    width: float
    """The width relative to the interval."""

    share: float
    """The share of the requests, beyond chance."""

    sharp: float
    """The share of the requests within two steps of the stamps of one time, with those by
    chance."""


def echo(streams: Streams, after_answers: bool, resolution_s: float) -> Echo | None:
    """The sharpest echo of the largest stream; None if there is none."""
    largest = int(streams.counts.argmax())
    part = slice(streams.starts[largest], streams.starts[largest] + streams.counts[largest])
    starts = streams.time[part]
    if after_answers and streams.duration is None:
        return None
    ends = starts
    if after_answers and streams.duration is not None:
        ends = np.sort(starts + streams.duration[part])
    if len(starts) < 100:
        return None
    begin = min(BEFORE, len(starts) // 2)
    middle = begin + (len(starts) - begin) // 2
    chosen = starts[begin:] if len(starts) < SAMPLE else starts[middle : middle + SAMPLE]
    place = np.searchsorted(ends, chosen, side="left" if not after_answers else "right")
    back = np.arange(1, BEFORE + 1)
    index = place[:, None] - back[None, :]
    lags = np.where(index >= 0, chosen[:, None] - ends[np.maximum(index, 0)], np.nan)
    reach = float(np.nanmedian(lags[:, -1])) if np.isfinite(lags[:, -1]).any() else 0.0
    lags = lags[np.isfinite(lags) & (lags > 1e-3)]
    rate = len(chosen) / max(float(chosen[-1] - chosen[0]), 1e-9)
    return _first(lags, len(chosen), rate, reach, resolution_s)


def _first(lags: Floats, count: int, rate: float, reach: float, resolution_s: float) -> Echo | None:
    """The echo of the shortest time: if thinks are equal, their multiples are echoes, too."""
    found: Echo | None = None
    for width in WIDTHS if resolution_s < COARSE_S else WIDTHS[-1:]:
        one = _of_width(np.sort(np.log(lags)), width, count, rate, reach, resolution_s)
        if one is None or (found is not None and one > found.interval_s / 1.5):
            continue
        within = lags[np.abs(np.log(lags / one)) < np.log1p(width)]
        expected = rate * 2 * one * np.log1p(width)
        share = min(max(len(within) / count - expected, 0.0), 1.0)
        found = Echo(float(np.median(within)), width, share, _sharp(within, count, resolution_s))
    return found


def _of_width(
    logs: Floats, width: float, count: int, rate: float, reach: float, resolution_s: float
) -> float | None:
    """The times after which requests come again, by windows of a relative width.

    If stamps are coarse, windows are two steps wide.
    """
    if resolution_s >= COARSE_S:
        edges = np.log(np.arange(0.5, reach / resolution_s) * resolution_s)
    else:  # stamps are rounded at both ends of a lag
        least = max(logs[0], np.log(max(2.2 * resolution_s / width, 1e-3)))
        edges = np.arange(least, np.log(max(reach, 1e-2)), np.log1p(width) / 2)
    if len(edges) < 4:
        return None
    upto = np.searchsorted(logs, edges)
    inside = (upto[2:] - upto[:-2]) / count
    expected = rate * (np.exp(edges[2:]) - np.exp(edges[:-2]))
    beyond = inside - expected
    enough = np.maximum(ENOUGH, 5 * np.sqrt(np.maximum(expected, 1e-9) / count))
    peaks = np.flatnonzero(beyond > np.maximum(enough, 0.8 * min(beyond.max(), 1.0)))
    if not len(peaks):
        return None
    best = int(peaks[0] + beyond[peaks[0] : peaks[0] + 3].argmax())
    return float(np.exp(edges[best + 1]))


def _sharp(within: Floats, count: int, resolution_s: float) -> float:
    steps = max(2.2 * resolution_s, 1e-6)
    ordered = np.sort(within)
    return (
        float((np.searchsorted(ordered, ordered + steps) - np.arange(len(ordered))).max()) / count
    )
