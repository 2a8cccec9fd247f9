"""Putting rows in order, without a loop over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Places = NDArray[np.int64]

Kept = NDArray[np.int32]
"""Places that are kept: a log's columns have fewer rows than 2^31."""


def stable_order(numbers: ArrayLike) -> Places:
    """The order in which whole numbers from 0 to 2^32 rise; what is equal stays as it is.

    By their lower and their upper half: of 16 bits numpy sorts by counting.
    """
    row = np.asarray(numbers).astype(np.uint32)
    order = np.argsort((row & np.uint32(0xFFFF)).astype(np.uint16), kind="stable")
    upper = (row >> np.uint32(16)).astype(np.uint16)
    if len(row) and upper.max() > 0:
        order = order[np.argsort(upper[order], kind="stable")]
    return order.astype(np.int64)
