"""Checks of arguments, shared by the whole package. Each raises ``ValueError`` in words."""

from __future__ import annotations

import math


class PrecisionError(ValueError):
    """A formula is known, but its value cannot be computed to the precision that is promised."""


def positive(name: str, value: float) -> float:
    """Return ``value`` if it is finite and above 0."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be finite and above 0; it is {value}")
    return value


def non_negative(name: str, value: float) -> float:
    """Return ``value`` if it is finite and 0 or above."""
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be finite and 0 or above; it is {value}")
    return value


def count(name: str, value: int) -> int:
    """Return ``value`` if it is a whole number, 1 or above."""
    if value != int(value) or value < 1:
        raise ValueError(f"{name} must be a whole number, 1 or above; it is {value}")
    return int(value)


def probability(name: str, value: float) -> float:
    """Return ``value`` if 0 <= value < 1."""
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and below 1; it is {value}")
    return value


def load_below_one(load: float) -> float:
    """Return ``load`` if 0 < load < 1: at 1 and above an open queue grows without bound."""
    if not 0 < load < 1:
        raise ValueError(
            f"the load must be above 0 and below 1; it is {load:.6g}: "
            "change the rate, the service demand or the number of servers"
        )
    return load
