"""A queue, first come, first served, in a few lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fcfs(came: NDArray[np.float64], took: NDArray[np.float64], servers: int) -> NDArray[np.float64]:
    """When each request ends."""
    free, done = np.zeros(servers), np.empty(len(came))
    for n, (at, work) in enumerate(zip(came, took, strict=True)):
        first = int(free.argmin())
        free[first] = done[n] = max(at, free[first]) + work
    return done
