"""Putting rows in order, without a loop over them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core

Places = NDArray[np.int64]

Kept = NDArray[np.int32]
"""Places that are kept: a log's columns have fewer rows than 2^31."""


def bounds_of(numbers: NDArray[np.integer], many: int) -> list[int]:
    """Where each of the numbers below ``many`` begins once they are in order, and the end.

    They are put in order by `stable_order`, which puts -1 behind all others.
    """
    counts = np.bincount(numbers + 1, minlength=many + 1)[1 : many + 1]
    return [0, *np.cumsum(counts).tolist()]


def stable_order(numbers: NDArray[np.integer]) -> Kept:
    """The order in which whole numbers from 0 to 2^32 rise; what is equal stays as it is."""
    table = pl.DataFrame({"number": numbers.astype(np.uint32)})
    order: Kept = pl.DataFrame(_core.places_by_number(table))["place"].to_numpy()
    return order
