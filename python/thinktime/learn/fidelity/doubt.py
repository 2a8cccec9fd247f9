"""Why nothing can be told of some logs: how far their figures hang on a single request."""

from __future__ import annotations

import numpy as np

from thinktime.learn.fidelity.stream import Stream
from thinktime.learn.fidelity.systems import queue_figures, response_times


def without_largest(log: Stream, policy: str) -> dict[str, float]:
    """By how much the figures under a policy change without the log's largest request.

    Ratios less 1 of `mean` and `p99`. It still counts, but brings no work: what changes is its own
    time, and how long others waited for it.
    """
    whole = queue_figures(policy, log)
    demand = log.demand_s.copy()
    demand[int(np.argmax(demand))] = 0.0
    times = response_times(policy, log.arrival_s, demand)
    rest = {"mean": float(times.mean()), "p99": float(np.quantile(times, 0.99))}
    return {name: rest[name] / max(of, 1e-12) - 1 for name, of in whole.items()}
