"""Ordering rows without a loop over them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core

Places = NDArray[np.int64]

Kept = NDArray[np.int32]
"""Places that are kept for long: a log's columns have fewer rows than 2^31."""

FEW = 20_000
"""Fewer numbers are put in order by a sort of numpy, which needs no tables."""


def bounds_of(numbers: NDArray[np.integer], many: int) -> list[int]:
    """The beginning of each of the numbers below ``many`` in sorted order, and the end.

    They are sorted by `stable_order`, which puts -1 behind all others.
    """
    counts = np.bincount(numbers + 1, minlength=many + 1)[1 : many + 1]
    return [0, *np.cumsum(counts).tolist()]


def stable_order(numbers: NDArray[np.integer]) -> Kept:
    """The rising order of whole numbers from 0 to 2^32; equal numbers keep their order."""
    numbers = numbers.astype(np.uint32)
    if len(numbers) < FEW:
        return np.argsort(numbers, kind="stable").astype(np.int32)
    table = pl.DataFrame({"number": numbers})
    order: Kept = pl.DataFrame(_core.places_by_number(table))["place"].to_numpy()
    return order
