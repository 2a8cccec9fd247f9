"""Checks of samples, shared by the whole package. Each raises ``ValueError`` in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def sample(values: ArrayLike, least: int) -> NDArray[np.float64]:
    """The values as an array, if they are one row of at least ``least`` finite numbers."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or len(found) < least:
        raise ValueError(f"give one row of at least {least} values; the shape is {found.shape}")
    if not np.all(np.isfinite(found)):
        raise ValueError("every value must be finite")
    return found


def fraction(name: str, value: float) -> float:
    """Return ``value`` if it lies above 0 and below 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} is a fraction, above 0 and below 1 (0.99, not 99); it is {value}")
    return value


def varying(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``values`` if they are not all the same."""
    if np.ptp(values) == 0:
        raise ValueError("all values are the same")
    return values
