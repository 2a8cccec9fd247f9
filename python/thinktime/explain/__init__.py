"""A model of the server of a result, and its answers for other systems.

from thinktime.explain import explain_result
found = explain_result(result)
print(found.sentence)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.explain.explanation import Explanation
    from thinktime.results.result import Result

__all__ = ["explain_result"]


def explain_result(
    result: Result,
    demand: str | None = None,
    requests_max: int | None = None,
    *,
    log: str | Path | None = None,
    format: str | None = None,
    low_load: Result | None = None,
    server_timing: bool = True,
    scale: float | None = None,
) -> Explanation:
    """Find the model of the server that a result is of, and ask it.

    Service demands come from one of `demand`, `log` and `low_load`; otherwise from the server's own
    times in its responses, if there are any; otherwise from the times of the result itself.

    Args:
        result: A run, or a simulation, with all its rows.
        demand: The law of service demands, as in 'exp(5ms)', if it is known; otherwise it is
            learned from the times.
        requests_max: If there are more requests, the first ones are used; 100,000 by default.
        log: The server's own access log, with durations, of the same requests at any time: demands
            are those of the requests that found the server idle.
        format: The log's format or its definition, as `thinktime learn` takes it; by default it is
            found from the first lines.
        low_load: A result of the same workload at low load: demands are the response times of the
            requests that found the server idle.
        server_timing: Take demands from the server's own times, if responses report them in the
            header Server-Timing.
        scale: Ask, too, what the measured workload would show with its rates and clients
            multiplied by this.

    Raises:
        InputError: if its rows were not kept, are too few, or many of its requests failed; the law
            or the factor is invalid; or the log or the result at low load does not show demands.
    """
    from thinktime.explain.demands import known_demands
    from thinktime.explain.explanation import explained

    if scale is not None:
        result.workload.scaled(scale)  # before all that takes long, reports what is wrong with it
    known = known_demands(result, demand, log, format, low_load)
    return explained(result, known, requests_max, scale, server_timing=server_timing)
