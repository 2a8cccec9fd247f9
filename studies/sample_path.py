"""A workload at a load, on a sample path that really brings it.

A run of half a minute with very variable demands may bring a fifth more work than its rate
promises. Such a run shows nothing about the requested load.
"""

from __future__ import annotations

from typing import Any

import thinktime as tt

SEEDS = 24


def at_load(
    workload: dict[str, Any], system: Any, station: str, load: float, duration_s: float
) -> tt.Workload:
    """The workload at this load of a station, with the seed that comes nearest to it.

    `duration_s` is the length of the run. The first tried seed within half a percentage point is
    taken at once.
    """
    held = None
    chosen, best = None, float("inf")
    for seed in range(1, SEEDS + 1):
        one = tt.simulate(
            held or workload, system, load=None if held else load, seed=seed,
            duration=duration_s, warmup=0, rows="none",
        )  # fmt: skip
        held = held or one.workload
        away = abs(one.summary["stations"][station]["load"] - load)
        if away < best:
            best, chosen = away, one.workload
        if best < 0.005:
            break
    assert chosen is not None
    return chosen
