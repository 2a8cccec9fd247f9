"""Numbers that are too large or too small for the formulas in floating point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from thinktime.theory._queue import Queue
from thinktime.theory._users import Users

_LEAST_S, _MOST_S = 1e-100, 1e100
_MOST_VARIABLE = 1e15


def out_of_reach(users: Sequence[Users], stations: Sequence[Queue]) -> str | None:
    """Why no formula is tried: times are so long that their square would overflow."""
    for name, seconds in _times(users, stations):
        if seconds != 0 and math.isfinite(seconds) and not _LEAST_S <= seconds <= _MOST_S:
            return f"{name} of {seconds:.3g} s is beyond what formulas can be computed for"
    for station in stations:
        cv2 = station.demand.cv2
        if math.isnan(cv2) or _MOST_VARIABLE < cv2 < math.inf:
            return f"a demand with a C² of {cv2:.3g} is beyond what formulas can be computed for"
    return None


def _times(users: Sequence[Users], stations: Sequence[Queue]) -> Iterator[tuple[str, float]]:
    for station in stations:
        yield "a mean demand", station.demand.mean
        for _, law in station.classes:
            yield "a mean demand", law.mean
    for one in users:
        for think in one.thinks:
            if think is not None:
                yield "a mean think time", think.mean
        if one.rate:
            yield "a mean time between requests", 1 / max(one.rate, 1e-300)
