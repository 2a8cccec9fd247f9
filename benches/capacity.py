"""How often `capacity`'s interval contains the exact capacity, if that is known.

Run as `.venv/bin/python benches/capacity.py [RUNS]`; 100 runs of each case by default.
"""

from __future__ import annotations

import math
import sys
from statistics import fmean, pstdev

import thinktime as tt

OPEN = 'name="w"\n[arrivals]\nmodel="open"\nrate="50/s"\n[slo]\n'
CLOSED = (
    'name="w"\n[arrivals]\nmodel="closed"\nclients=4\n'
    '[session]\nthink="exp(100ms)"\n[slo]\nmean="30ms"\n'
)


def station(mean_ms: int) -> tt.System:
    """One server with exponential demands."""
    return tt.System(f'name="s"\n[[station]]\nname="server"\ndemand="exp({mean_ms}ms)"\n')


def clients_within(mean_s: float, demand_s: float, think_s: float) -> int:
    """The most clients whose mean response time is within the limit, by mean value analysis."""
    clients, queue = 0, 0.0
    while (response := demand_s * (1 + queue)) <= mean_s:
        clients += 1
        queue = clients / (think_s + response) * response
    return clients


def main(runs: int) -> None:
    """Print a line for each case."""
    # In M/M/1 the response time is exponential with mean 1 / (mu - lambda).
    p99 = 1000 - math.log(100) / 0.02
    cases = [
        ("open, p99 20 ms", OPEN + 'p99="20ms"\n', 1, p99, {}),
        ("open, mean 5 ms", OPEN + 'mean="5ms"\n', 1, 800, {}),
        ("open, p99, 2 %", OPEN + 'p99="20ms"\n', 1, p99, {"precision": 0.02}),
        ("open, p99, 60 s probes", OPEN + 'p99="20ms"\n', 1, p99, {"duration": "60s"}),
        ("closed, mean 30 ms", CLOSED, 5, clients_within(0.03, 0.005, 0.1), {}),
    ]
    for name, text, mean_ms, exact, options in cases:
        found = [
            tt.capacity(tt.Workload(f"seed={1000 * run + 7}\n{text}"), station(mean_ms), **options)
            for run in range(runs)
        ]
        errors = [one.value / exact - 1 for one in found]
        held = sum(one.low <= exact <= one.high for one in found)
        print(
            f"{name}: held {held} of {runs}, {fmean(len(one.probes) for one in found):.1f} probes, "
            f"bias {fmean(errors):+.2%}, deviation {pstdev(errors):.2%}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
