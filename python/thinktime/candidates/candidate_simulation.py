"""A workload on a system, simulated: the figures that candidates are compared by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

import polars as pl

from thinktime._core import Workload
from thinktime.candidates.visits import Floats
from thinktime.inputs.files import GivenSystem, GivenWorkload, workload_of
from thinktime.operations import simulate
from thinktime.trials import here

FULL = 0.98
"""Above this load a system without a limit has no useful steady state."""

Times = Literal["response_time_s", "service_time_s"]
"""Whether times run from the scheduled time, or from sending to the answer."""

One = TypeVar("One")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Figures:
    """The figures of one simulation. Times are in seconds."""

    mean_s: float
    """The mean and the 99th percentile of the successful requests; NaN without any."""

    p99_s: float
    load: float
    """The share of the time that the servers of the busiest station worked."""

    throughput: float
    """Requests a second."""

    offered_rate: float
    warmup_s: float
    """The part that is left out, as given or found."""


def play(
    workload: GivenWorkload,
    system: GivenSystem,
    *,
    seed: int | None = None,
    times: Times = "response_time_s",
    **length: Any,
) -> Figures:
    """The figures of a workload on a system, under a seed; ``length`` as `simulate` takes it.

    Raises:
        InputError: if the workload or the system is wrong.
        RunError: if the simulation ended without a result.
    """
    found = simulate(workload, system, seed=seed, rows="none", **length).summary
    loads = [one["load"] or 0.0 for one in found["stations"].values()]
    mean_s, p99_s = found[times]["mean"], found[times]["p99"]
    known = (nan if mean_s is None else mean_s, nan if p99_s is None else p99_s)
    rates = found["throughput"], found["offered_rate"] or 0.0
    return Figures(*known, max(loads), *rates, found["warmup_s"])


def traced(arrival_s: Floats) -> Workload:
    """A workload of requests at these times, in seconds from the start of the run."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "times.parquet"
        pl.DataFrame({"time_s": arrival_s}).write_parquet(file)
        process = f"trace({file}, column=time_s, begin=0s)"
        return workload_of({"name": "trace", "arrivals": {"model": "open", "process": process}})


def each(do: Callable[[One], Found], those: Iterable[One]) -> list[Found]:
    """What `do` gives for each, on all cores. On Ctrl-C what has not begun is left out."""
    found = dict(here(lambda one, _: do(one), list(those)))
    return [found[place] for place in range(len(found))]
