"""The busiest second, minute and hour of a log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.starts.dispersion import Counts

WINDOWS_S = (1.0, 60.0, 3600.0)


@dataclass(frozen=True)
class Peak:
    """The busiest window of a length."""

    window_s: float
    at_s: float
    """The beginning, in seconds from the log's beginning."""

    count: int
    """The starts within it."""

    factor: float
    """The ratio to the mean."""


def peaks(counts: Counts, rate: float) -> tuple[Peak, ...]:
    """The busiest second, minute and hour, the first of equals.

    They may begin at any step of ``counts``. ``rate`` is the mean rate, in starts a second. Windows
    longer than the log, or shorter than its stamps can show, are left out.
    """
    upto = np.concatenate([[0], np.cumsum(counts.starts)])
    found = []
    for window_s in WINDOWS_S:
        many = round(window_s / counts.width_s)
        if many < 1 or many >= len(upto) or many * counts.width_s > window_s * 1.001:
            continue
        inside = upto[many:] - upto[:-many]
        at = int(np.argmax(inside))
        mean = rate * window_s
        factor = float(inside[at] / mean) if mean > 0 else 0.0
        found.append(Peak(window_s, at * counts.width_s, int(inside[at]), factor))
    return tuple(found)
