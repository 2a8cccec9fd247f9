"""Numbers that floating point cannot carry through the formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thinktime.theory._queue import Queue

if TYPE_CHECKING:
    from thinktime import Workload

_LEAST_S, _MOST_S = 1e-100, 1e100
_MOST_VARIABLE = 1e15


def out_of_reach(workload: Workload, stations: list[Queue]) -> str | None:
    """Why no formula is tried, where times lie so far out that a square would be no number."""
    for name, seconds in _times(workload, stations):
        if seconds != 0 and math.isfinite(seconds) and not _LEAST_S <= seconds <= _MOST_S:
            return f"{name} of {seconds:.3g} s is beyond what formulas can be computed for"
    for station in stations:
        cv2 = station.demand.cv2
        if math.isnan(cv2) or _MOST_VARIABLE < cv2 < math.inf:
            return f"a demand with a C² of {cv2:.3g} is beyond what formulas can be computed for"
    return None


def _times(workload: Workload, stations: list[Queue]) -> Iterator[tuple[str, float]]:
    for station in stations:
        yield "a mean demand", station.demand.mean
        for _, law in station.classes:
            yield "a mean demand", law.mean
    if workload.think is not None:
        yield "a mean think time", workload.think.mean
    rate = workload.request_rate
    if rate:
        yield "a mean time between requests", 1 / max(rate, 1e-300)
