"""Percentiles for display: a number if enough independent requests bound it, else a dash.

Tables, pages, charts and views for people take each percentile from here. The outputs for programs
(`summary.json`, `--json`, Parquet, metrics) have all numbers.
"""

from __future__ import annotations

from thinktime.present import units
from thinktime.present.table import Cell

NEEDED = {"p50": 6, "p90": 36, "p95": 72, "p99": 368, "p99.9": 3688, "p99.99": 36887}
"""The number of independent requests that bound it: `thinktime.stats.minimum_samples` at 95 %."""


def backed(name: str, requests: float) -> bool:
    """Whether this many independent requests bound a percentile from both sides."""
    return requests >= NEEDED.get(name, 0)


def known(name: str, time_s: float | None, requests: float | None) -> float | None:
    """A time in seconds that may be shown; None if unknown, or from too few requests.

    Args:
        name: As in summary.json: `p50` to `p99.99`; any other figure, as `mean`, needs no more.
        time_s: The found time, in seconds.
        requests: The number of independent response times behind it; None if unknown.
    """
    if time_s is None or not backed(name, requests or 0):
        return None
    return time_s


def text(name: str, time_s: float | None, requests: float | None) -> str:
    """The same in words: as in '4.70 ms', or a dash."""
    return units.seconds(known(name, time_s, requests))


def cell(name: str, time_s: float | None, requests: float | None) -> Cell:
    """The same as a cell of a table."""
    return Cell(text(name, time_s, requests))
