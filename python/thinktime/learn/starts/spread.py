"""Stamps of a coarse clock, spread over the steps of that clock.

Source: Kim and Whitt, 'Are call center and hospital arrivals well modeled by nonhomogeneous Poisson
processes?' (Manufacturing and Service Operations Management 16, 2014), section 4: un-rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def spread(times_ns: NDArray[np.int64], resolution_s: float, seed: int = 1) -> NDArray[np.int64]:
    """Times that were rounded down to multiples of the resolution, spread again; sorted.

    Each stays within its step: it becomes later by less than ``resolution_s`` seconds. A Poisson
    process becomes one again. The same times and seed give the same times.
    """
    step = round(resolution_s * 1e9)
    if step <= 1:
        return np.sort(times_ns)
    # In place: of millions of sessions each array takes tens of megabytes.
    spaced = np.random.default_rng(seed).integers(0, step, len(times_ns))
    spaced += times_ns
    spaced.sort()
    return spaced
