"""The formulas for the retries, to compare with the simulations."""

from __future__ import annotations

from typing import Any

from cases import LOAD
from distributions import demand

from thinktime.theory import late_fraction, retry_capacity, surely_stable

TIMEOUT_S = 0.015


def study() -> dict[str, Any]:
    """Capacities by the fixed point of repeated attempts, and the certain bounds."""
    served = demand("bimodal")
    late = late_fraction(served, TIMEOUT_S)
    capacities = {}
    for retries in (None, 1, 2, 3):
        capacity = retry_capacity(late, retries)
        capacities["no limit" if retries is None else str(retries)] = capacity.load
    return {
        "late_at_load_0.8": late(LOAD),
        "capacity": capacities,
        "surely_stable_with_one_retry_at_0.45": surely_stable(0.45, 1),
        "clients_that_fit_into_the_timeout": TIMEOUT_S / served.mean,
        "largest_safe_budget": 1 / LOAD - 1,
    }
