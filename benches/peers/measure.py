"""The common part of the Python scripts: run a model several times and print one JSON line.

python -m peers.TOOL_peer MODEL REQUESTS RUNS
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from peers.models import MODELS, Model

Simulate = Callable[[Model, int, int], tuple[int, float]]
"""Takes model, requests and seed; returns the number of simulated requests and their mean response
time."""


class NotOfferedError(Exception):
    """The tool has no such model, or not yet; the message says why."""


def main(version: str, simulate: Simulate) -> None:
    """Run the model that the command line names, the first time cold, and print the result."""
    model, requests, runs = MODELS[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3])
    report: dict[str, object] = {"version": version, "model": model.name}
    counts, seconds, means = [], [], []
    try:
        for seed in range(1, runs + 2):
            start = time.perf_counter()
            count, mean = simulate(model, requests, seed)
            seconds.append(time.perf_counter() - start)
            counts.append(count)
            means.append(mean)
        report |= {"requests": counts, "seconds": seconds, "means": means}
    except NotOfferedError as error:
        report["not_offered"] = str(error)
    print(json.dumps(report), flush=True)
