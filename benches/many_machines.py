"""What it costs to make a load from several generators on a Ray cluster, and what a sweep gains.

All of it on this machine, against nginx on its last core. CPU time is that of a generator's event
loop, as its run reports it, and of the process that keeps the book, which alone has Ray's part too.

    .venv/bin/python benches/many_machines.py [--rate 5000] [--seconds 8] [--most 8]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from load.server import nginx

import thinktime as tt
from thinktime.distributed import connection
from thinktime.sweeping import sweep

ROUNDS = 3
POINTS = 8


@contextmanager
def cluster(cores: int) -> Iterator[None]:
    """Connect to a cluster of so many cores for the time being."""
    os.environ.update(connection.SURROUNDINGS)
    import ray

    ray.init(
        address="local", num_cpus=cores, include_dashboard=False, logging_level="error",
        log_to_driver=False,
    )  # fmt: skip
    try:
        yield
    finally:
        ray.shutdown()


def generators(workload: dict[str, Any], target: str, seconds: float, most: int) -> None:
    """A line for a run without a cluster, and one for each number of generators."""
    print("generators | requests/s | loop's CPU us/request | book's CPU us/request | "
          "mean lateness us | p99 lateness us | begun late us, at most")  # fmt: skip
    numbers: list[int | None] = [None, *(2**n for n in range(10) if 2**n <= most)]
    for number in numbers:
        lines = [once(workload, target, seconds, number) for _ in range(ROUNDS)]
        middle = (f"{statistics.median(column):10.1f}" for column in zip(*lines, strict=True))
        print(f"{number or 'no cluster':>10} | " + " | ".join(middle), flush=True)


def once(
    workload: dict[str, Any], target: str, seconds: float, number: int | None
) -> tuple[float, ...]:
    """The figures of one run."""
    where: dict[str, Any] = {} if number is None else {"on": "auto", "generators": number}
    used = time.process_time()
    done = tt.run(workload, target, duration=seconds, rows="none", **where).summary
    used = time.process_time() - used
    requests = done["requests"]
    # Of several loops only the busiest is known: they do equal parts.
    loops = done["generator"]["cpu_share"] * done["duration_s"] * done["generator"]["loops"]
    late = done["lateness_s"]
    begun = max((one["begun_late_s"] for one in done["generators"]), default=0.0)
    per_request = (loops / requests * 1e6, used / requests * 1e6)
    return (done["throughput"], *per_request, late["mean"] * 1e6, late["p99"] * 1e6, begun * 1e6)


def sweeps(workload: dict[str, Any]) -> None:
    """The time of one sweep on one worker and on two."""
    system = {"name": "s", "station": [{"name": "s", "policy": "ps", "demand": "exp(1ms)"}]}
    points = {"load": [0.5 + 0.05 * n for n in range(POINTS)]}
    took = []
    for cores in (1, 2):
        with cluster(cores):
            sweep(workload, system, points, on="auto", requests=10_000)  # workers are started
            begun = time.perf_counter()
            sweep(workload, system, points, on="auto", requests=10_000_000)
            took.append(time.perf_counter() - begun)
        print(f"sweep of {POINTS} points, {cores} workers: {took[-1]:.1f} s", flush=True)
    print(f"on two workers {took[0] / took[1]:.2f} times as fast as on one")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=5000, help="requests a second in all")
    parser.add_argument("--seconds", type=float, default=8, help="length of each run")
    parser.add_argument("--most", type=int, default=8, help="generators at most")
    given = parser.parse_args()
    workload = {
        "name": "w",
        "arrivals": {"model": "open", "rate": given.rate},
        "request": [{"name": "page", "get": "/"}],
    }
    with tempfile.TemporaryDirectory() as folder:
        core = (os.cpu_count() or 1) - 1
        with nginx(Path(folder), core) as server, cluster(2):
            generators(workload, server.http, given.seconds, given.most)
    sweeps(workload)


if __name__ == "__main__":
    main()
