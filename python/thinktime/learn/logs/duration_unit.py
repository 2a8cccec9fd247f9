"""Whether durations without a unit can be seconds."""

from __future__ import annotations

import numpy as np

from thinktime.learn.logs.requests import Requests
from thinktime.present import units

SLOW_S = 1.0
"""If the median answer takes longer, milliseconds were probably taken for seconds."""

LONGEST = 2**32 - 2
"""In bytes and in microseconds: larger values are replaced by this; see `Requests`."""


def usual_s(requests: Requests) -> float:
    """The median duration in seconds; 0 if no answer has one."""
    taken_us = requests.rows["duration_us"].drop_nulls().to_numpy()
    return float(np.median(taken_us)) * 1e-6 if len(taken_us) else 0.0


def unit_doubt(requests: Requests, name: str) -> str | None:
    """Why durations without a unit, taken for seconds, are hardly seconds; None if they may be.

    It names the option that gives their unit, for a log of the format ``name``.
    """
    median_s = usual_s(requests)
    if median_s >= SLOW_S:
        why = f"half of the answers take {units.seconds(median_s)} or more"
    elif _all_whole(requests):
        why = "all answers take a whole number of seconds"
    else:
        return None
    # Milliseconds as long would be longer than any answer.
    longest = median_s * 1e6 >= LONGEST
    unit = "microseconds or nanoseconds" if longest else "milliseconds"
    key = "duration_us=COLUMN or :duration_ns" if longest else "duration_ms"
    return (
        f"{why}, if durations without a unit are seconds, as they were taken; if they are {unit}, "
        f"name their column: --format {name}:{key}=COLUMN"
    )


def _all_whole(requests: Requests) -> bool:
    taken_us = requests.rows["duration_us"].drop_nulls()
    return bool((taken_us > 0).any() and (taken_us % 1_000_000 == 0).all())
