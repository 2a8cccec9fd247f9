"""Answers of requests, and users' think times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LARGEST = 4_294_967_294


def answers(kind: Ints, path: Ints, size: Ints, status: Ints, kinds: int) -> list[tuple[Any, ...]]:
    """Statuses and their counts; paths, whole answers, their bytes; the extremes of sizes."""
    found = []
    for one in range(kinds):
        own = kind == one
        whole = own & (status // 100 == 2) & (size <= LARGEST)
        many = np.bincount(path[whole], minlength=1)
        paths = np.flatnonzero(many)
        sums = np.bincount(path[whole], size[whole].astype(np.float64), 1)[paths]
        sizes = size[whole] if whole.any() else np.zeros(1, np.int64)
        statuses = np.unique(status[own], return_counts=True)
        found.append((*statuses, paths, many[paths], sums, int(sizes.min()), int(sizes.max())))
    return found


def think_times(visits: Any) -> tuple[NDArray[np.float64], Ints]:
    """The times from a page's arrival to the next page's request; and the former page."""
    leading = np.maximum(visits.previous, visits.opener)
    after = np.flatnonzero(leading >= 0)
    return visits.start_s[after] - visits.end_s[leading[after]], leading[after]
