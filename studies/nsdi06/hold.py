"""The think time that holds the load of a closed system, found by simulation.

The tool can do this itself (`--load`). Here it is done with fewer requests, since some two hundred
points need it, and from a start that is near: the exact think time under PS.
"""

from __future__ import annotations

from collections.abc import Callable

import thinktime as tt

STAGES = [(400_000, 100_000, 4), (1_500_000, 300_000, 2)]
"""Requests of a simulation, the least number in a short study, and the number of simulations."""

SLOPE_MIN = 0.05


def think_for_load(
    workload: Callable[[float], tt.Workload],
    system: tt.System,
    cycle: float,
    start: float,
    scale: float,
) -> float:
    """The mean think time in seconds at which a cycle of thinking and response has this length.

    The cycle of N clients at a load is N·E[S] / load. It grows with the think time: by as much
    without queueing, hardly at all near saturation, so that secants find the think time. All
    simulations have the same random numbers.
    """
    think, slope = start, 1.0
    for most, least, times in STAGES:
        requests = max(int(most * scale), least)
        before: tuple[float, float] | None = None
        for _ in range(times):
            used = workload(think)
            summary = tt.simulate(used, system, requests=requests, rows="none").summary
            found = (used.clients or 0) / summary["throughput"]
            if before is not None and think != before[0]:
                slope = min(max((found - before[1]) / (think - before[0]), SLOPE_MIN), 1.0)
            before = (think, found)
            think = max(think + (cycle - found) / slope, 0.01 * think)
    return think
