"""The measured time in a few equally long parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.results.finding import NoData
from thinktime.validity.evidence import Evidence

PARTS = 20
LEAST = 10
"""Fewer parts show nothing."""


@dataclass(frozen=True)
class Stretches:
    """Sums over each part, in the order of time."""

    begin_s: NDArray[np.float64]
    length_s: float
    scheduled: NDArray[np.float64]
    completed: NDArray[np.float64]
    busy_s: NDArray[np.float64]
    """The sum of the response times of completed requests."""

    in_system: NDArray[np.float64]
    """The mean number of requests in the system, at the ends of the intervals."""


def stretches(seen: Evidence, parts: int = PARTS) -> Stretches:
    """The series in `parts` parts of equally many intervals; the rest at the beginning is left out.

    Raises:
        NoData: if there is no series, or it is too short.
    """
    table = seen.series
    if seen.interrupted:
        table = table.head(max(len(table) - 1, 0))
    each = len(table) // parts
    if not each:
        parts, each = len(table), 1
    if parts < LEAST:
        raise NoData(
            f"the measured time has {parts} intervals of the series, and {LEAST} are needed"
        )
    kept = table.tail(parts * each)
    columns = {
        name: kept[name].to_numpy().astype(np.float64).reshape(parts, each)
        for name in ("scheduled", "completed", "busy_s", "in_system")
    }
    starts = kept["start_s"].to_numpy().reshape(parts, each)[:, 0]
    return Stretches(
        begin_s=starts,
        length_s=float(kept["interval_s"][0]) * each,
        scheduled=columns["scheduled"].sum(axis=1),
        completed=columns["completed"].sum(axis=1),
        busy_s=columns["busy_s"].sum(axis=1),
        in_system=columns["in_system"].mean(axis=1),
    )
