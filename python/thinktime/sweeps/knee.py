"""The knee of a curve over load: where throughput over the mean response time is greatest.

Below the knee more load costs little time; above it time grows faster than throughput. An M/G/1
FCFS queue has it at a load of 1 / (1 + sqrt((1 + C²) / 2)): a half for M/M/1.

Source: Kleinrock, 'Power and deterministic rules of thumb for probabilistic problems in computer
communications' (ICC 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from thinktime.sweeps.curves import Row, SweepCurves

_LEAST = 3
_APART = 1.2
"""Rates that differ by a smaller factor count as one load."""

KNEE = "the knee, where throughput over mean response time is greatest"


def loaded(rows: Sequence[Row]) -> list[Row]:
    """The points that have times, by their offered rate; empty if the rate hardly differs."""
    known = [row for row in rows if row.get("offered_rate") and row.get("response_mean_s")]
    rates = [row["offered_rate"] for row in known]
    if len(known) < _LEAST or max(rates) < _APART * min(rates):
        return []
    return sorted(known, key=lambda row: float(row["offered_rate"]))


def knee_of(rows: Sequence[Row]) -> Row | None:
    """The point at the knee; None if it is at an end of the points, or not known."""
    known = loaded(rows)
    power = [(row.get("throughput") or 0.0) / row["response_mean_s"] for row in known]
    place = max(range(len(power)), key=power.__getitem__, default=0)
    if not 0 < place < len(power) - 1 or not math.isfinite(power[place]):
        return None
    return known[place]


def knee_sentence(swept: SweepCurves) -> list[str]:
    """A sentence on the knees, if there are any."""
    found = [knee_of(curve.rows) for curve in swept.drawn]
    words = [swept.point_words(row) for row in found if row is not None]
    return [f"{KNEE[0].upper()}{KNEE[1:]}, is at {'; '.join(words)}."] if words else []
