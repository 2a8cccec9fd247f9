"""Stamps of a coarse clock, spread over the steps of that clock.

Source: Kim and Whitt, 'Are call center and hospital arrivals well modeled by nonhomogeneous Poisson
processes?' (Manufacturing and Service Operations Management 16, 2014), section 4: un-rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEPS_S = (3600, 900, 600, 300, 120, 60, 30, 20, 15, 10, 5, 2)
"""The interval at which collectors of logs write, in seconds."""

STRAYS = 0.001
"""This share of stamps may be off the steps, such as those of the lines of a restart."""

STAMPS_LEAST = 20
"""Fewer different stamps may lie on a step by chance."""


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


def step_s(stamps_ns: NDArray[np.int64], resolution_s: float) -> float:
    """The real steps of the stamps: those of a collector are coarser than their format's.

    ``stamps_ns`` are as they stand in the log: if a log stamps ends, times with durations.
    """
    second = 1_000_000_000
    if resolution_s > STEPS_S[0] or not len(stamps_ns):
        return resolution_s
    for step in STEPS_S:
        if step <= resolution_s:
            break
        whole = step * second
        within = stamps_ns % whole
        # Collectors that began at any time write at another part of the minute.
        often = int(np.median(within))
        if np.mean(within != often) > STRAYS:
            continue
        first, last = int(stamps_ns.min()) // whole, int(stamps_ns.max()) // whole
        seen = len(np.unique(stamps_ns // whole))
        if seen >= min(STAMPS_LEAST, last - first + 1) and seen > 1:
            return float(step)
    return resolution_s
