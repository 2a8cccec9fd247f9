"""The cost of a load from several generators on a Ray cluster, and the gain of a sweep.

All of it on this machine, against nginx on its last core, in turns. CPU time is that of the event
loops, as the run reports it; of the whole processes of the generators; of this process, which
gathers the rows (and is the generator itself without a cluster); and of Ray's own processes, which
depend on time and not on requests.

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

from load import processes
from load.server import nginx

import thinktime as tt
from thinktime.distributed import connection
from thinktime.sweeps import sweep

ROUNDS = 3
POINTS = 8


@contextmanager
def cluster(cores: int) -> Iterator[None]:
    """Connect to a cluster of this number of cores for the duration of the block."""
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


HEAD = (
    "generators", "requests/s", "loops' CPU us/request", "generators' CPU us/request",
    "this process's CPU us/request", "Ray's own CPU share", "mean lateness us", "p99 lateness us",
    "begun late us, at most",
)  # fmt: skip


def generators(workload: dict[str, Any], target: str, seconds: float, most: int) -> None:
    """A line for a run without a cluster, and one for each number of generators."""
    print("| " + " | ".join(HEAD) + " |")
    numbers: list[int | None] = [None, *(2**n for n in range(10) if 2**n <= most)]
    lines: dict[int | None, list[tuple[float, ...]]] = {number: [] for number in numbers}
    for _ in range(ROUNDS):  # in turns, as other programs may disturb
        for number in numbers:
            lines[number].append(once(workload, target, seconds, number))
    for number in numbers:
        middle = (statistics.median(column) for column in zip(*lines[number], strict=True))
        shown = " | ".join(f"{one:.3g}" if one < 100 else f"{one:.0f}" for one in middle)
        print(f"| {number or 'no cluster'} | {shown} |", flush=True)
    print(f"load average: {os.getloadavg()[0]:.1f}")


def once(
    workload: dict[str, Any], target: str, seconds: float, number: int | None
) -> tuple[float, ...]:
    """The figures of one run."""
    where: dict[str, Any] = {} if number is None else {"on": "auto", "generators": number}
    begun = time.monotonic()
    with processes.cpu_seconds(kind_of) as used:
        done = tt.run(workload, target, duration=seconds, rows="none", **where).summary
    took = time.monotonic() - begun
    requests = done["requests"]
    # Of several loops only the busiest is known: they do equal parts.
    loops = done["generator"]["cpu_share"] * done["duration_s"] * done["generator"]["loops"]
    late = done["lateness_s"]
    at_most = max((one["begun_late_s"] for one in done.get("generators", [])), default=0.0)
    per_request = (loops, used["generator"], used["self"])
    return (
        done["throughput"],
        *(one / requests * 1e6 for one in per_request),
        used["Ray"] / took,
        late["mean"] * 1e6,
        late["p99"] * 1e6,
        at_most * 1e6,
    )


def kind_of(command: str) -> str:
    """The kind of a process: a generator, Ray's own, or the server."""
    if command.startswith("ray::Generator"):
        return "generator"
    return "server" if "nginx" in command else "Ray"


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
