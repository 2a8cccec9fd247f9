"""Why some logs allow no verdict: their figures depend on a single request."""

from __future__ import annotations

import numpy as np

from thinktime.learn.fidelity.stream import Stream
from thinktime.learn.fidelity.systems import queue_figures, response_times


def without_largest(log: Stream, policy: str) -> dict[str, float]:
    """The change of the figures under a policy without the log's largest request.

    Ratios less 1 of `mean` and `p99`. The request still counts, but brings no work: its own time
    changes, and the waits of others behind it.
    """
    whole = queue_figures(policy, log)
    demand = log.demand_s.copy()
    demand[int(np.argmax(demand))] = 0.0
    times = response_times(policy, log.arrival_s, demand)
    rest = {"mean": float(times.mean()), "p99": float(np.quantile(times, 0.99))}
    return {name: rest[name] / max(of, 1e-12) - 1 for name, of in whole.items()}
