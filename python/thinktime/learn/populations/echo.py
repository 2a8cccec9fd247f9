"""The echo of answers.

In the traffic of many loops each request follows some answer, by their think time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.populations.streams import Streams

SAMPLE = 2000
BEFORE = 400
"""So many answers before each request are looked at: at least as many clients are recognised."""

WIDTHS = (0.01, 0.03, 0.1, 0.3)
"""Relative widths of the windows in which an echo is looked for."""

ENOUGH = 0.5
"""The share of requests that must follow an answer by the interval, beyond chance."""


@dataclass(frozen=True)
class Echo:
    """After which time requests come again."""

    interval_s: float
    width: float
    """Relative to the interval."""

    share: float
    """Of the requests, so many beyond chance."""


def echo(streams: Streams, after_answers: bool) -> Echo | None:
    """The sharpest echo of the largest stream; none where there is none."""
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
    return _sharpest(lags, len(chosen), rate, reach)


def _sharpest(lags: np.ndarray, count: int, rate: float, reach: float) -> Echo | None:
    logs = np.sort(np.log(lags))
    for width in WIDTHS:
        edges = np.arange(logs[0], np.log(max(reach, 1e-2)), np.log1p(width) / 2)
        if len(edges) < 4:
            continue
        upto = np.searchsorted(logs, edges)
        inside = (upto[2:] - upto[:-2]) / count
        expected = rate * (np.exp(edges[2:]) - np.exp(edges[:-2]))
        beyond = inside - expected
        enough = np.maximum(ENOUGH, 5 * np.sqrt(np.maximum(expected, 1e-9) / count))
        # The first: where thinks are the same, twice and three times as much is an echo, too.
        peaks = np.flatnonzero(beyond > np.maximum(enough, 0.8 * min(beyond.max(), 1.0)))
        if len(peaks):
            best = int(peaks[0] + beyond[peaks[0] : peaks[0] + 3].argmax())
            within = lags[(lags > np.exp(edges[best])) & (lags < np.exp(edges[best + 2]))]
            return Echo(float(np.median(within)), width, min(float(beyond[best]), 1.0))
    return None
