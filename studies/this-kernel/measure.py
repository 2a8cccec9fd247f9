"""Measures the case study's mix on this machine's kernel.

    .venv/bin/python studies/this-kernel/measure.py FOLDER [--cores 1,2] [--loads 0.5,0.8,0.95]
        [--threads per-request,8] [--duration 60s]

Each point is a `thinktime serve --burn` on its cores and a `thinktime run` against it, in this
process, that carries the demands along: `simulate(*model(point), ...)` follows the same sample
path. FOLDER gets a result directory and a system file a point, and `points.json`. Points
that are there already are not measured again, and Ctrl-C keeps those that are finished.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from burn_server import burning
from disturbance import Use, server_s
from generator_cores import beside

HERE = Path(__file__).parent
DRAIN = "60s"


@dataclass(frozen=True)
class Point:
    """A point of the measurement."""

    cores: int
    load: float
    """At the peak of the rate, of the cores together. The mean load is two thirds of it."""
    threads: str
    """`per-request`, or the size of a pool."""

    @property
    def name(self) -> str:
        """A file name."""
        return f"cores-{self.cores}-load-{self.load}-threads-{self.threads}"


def main() -> int:
    """Measure, and give the exit status."""
    arguments = parsed()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    try:
        for point in points(arguments):
            if not (arguments.folder / point.name / "point.json").exists():
                measured(point, arguments)
    except KeyboardInterrupt:
        print("interrupted; the points so far are kept", file=sys.stderr)
        return 130
    finally:
        gathered = gather(arguments.folder)
        print(table(gathered))
    return 0


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure this machine's kernel.")
    parser.add_argument("folder", type=Path, help="where the results go")
    parser.add_argument("--cores", default="1,2", help="numbers of cores")
    parser.add_argument("--loads", default="0.5,0.8,0.95", help="loads at the peak of the rate")
    parser.add_argument("--threads", default="per-request,8", help="per-request, or pool sizes")
    parser.add_argument("--duration", default="60s", help="no request begins later in a point")
    return parser.parse_args()


def points(arguments: argparse.Namespace) -> Iterator[Point]:
    """All points, in their order."""
    there = len(os.sched_getaffinity(0))
    for cores in map(int, arguments.cores.split(",")):
        if not 1 <= cores <= there:
            raise SystemExit(f"--cores {cores}: this process may use 1 to {there}")
        for load in map(float, arguments.loads.split(",")):
            for threads in arguments.threads.split(","):
                yield Point(cores, load, threads)


def model(point: Point) -> tuple[tt.Workload, tt.System]:
    """The workload and the system of a point, to be measured and to be simulated."""
    system = tt.System.load(HERE / "system.toml")
    system = system.with_value("machine.machine.cores", str(point.cores))
    system = system.with_value("machine.machine.threads", point.threads)
    # The load that at_load takes is that of the sine's mean, (1 + 1/3) / 2 of its peak.
    workload = tt.Workload.load(HERE / "workload.toml")
    return workload.at_load(system, point.load * 2 / 3), system


def typical(workload: tt.Workload, system: tt.System, work_s: float, duration: str) -> tt.Workload:
    """The workload with the first seed that brings this amount of work, within 1 %.

    A minute has some forty reports, so that most seeds bring a tenth more or less than the rate
    promises. Then a load of 0.95 would be another one.
    """
    demands = {name: demand_s(system, name) for name in workload.request_names}
    shared = system.with_value("machine.machine.os", "processor-sharing")
    for seed in range(1, 1000):
        candidate = workload.with_seed(seed)
        kinds = tt.simulate(candidate, shared, duration=duration, warmup=0).summary["by_request"]
        brought_s = sum(demand * kinds[name]["requests"] for name, demand in demands.items())
        if abs(brought_s / work_s - 1) < 0.01:
            return candidate
    raise SystemExit("no seed below 1000 brings the work of this load: take a longer --duration")


def seconds(text: str) -> float:
    """A time as in 75s or 2min."""
    return tt.Distribution(f"const({text})").mean


def demand_s(system: tt.System, name: str) -> float:
    """The demand of a request of this name, which is the same each time."""
    tables = tomllib.loads(system.to_toml())
    return tt.Distribution(tables["machine"][0]["demand"][name]).mean


def overhead(text: Path, cores: list[int], system: tt.System) -> dict[str, float]:
    """The further cost of a request, in seconds: pages one after another, unhindered.

    CPU time of the server beyond the demand, and time in which no thread of the server runs.
    """
    pages = 300
    with burning(text, cores) as server, beside(cores):
        result = tt.run(HERE / "workload-alone.toml", server.url, requests=pages, demands=system)
    demand = demand_s(system, "page")
    cpu = server_s(server.said) / pages - demand
    between = float(result.summary["response_time_s"]["p50"]) - demand - cpu
    return {"cpu_s": max(cpu, 0.0), "between_s": max(between, 0.0)}


def described(
    point: Point, arguments: argparse.Namespace, workload: tt.Workload, system: tt.System
) -> dict[str, Any]:
    """The known facts of a point before its measurement."""
    return {
        **asdict(point),
        "kernel": platform.release(),
        "machine_cores": os.cpu_count(),
        "seed": workload.seed,
        "duration_s": seconds(arguments.duration),
        "demand_s": {name: demand_s(system, name) for name in workload.request_names},
    }


def measured(point: Point, arguments: argparse.Namespace) -> None:
    """Measure a point into its folder."""
    say(f"{point.name}: {arguments.duration}")
    workload, system = model(point)
    work_s = point.load * 2 / 3 * point.cores * seconds(arguments.duration)
    workload = typical(workload, system, work_s, arguments.duration)
    text = arguments.folder / f"{point.name}.system.toml"
    text.write_text(system.to_toml())
    cores = sorted(os.sched_getaffinity(0))[-point.cores :]
    folder = arguments.folder / point.name
    besides = overhead(text, cores, system)
    with burning(text, cores) as server, beside(cores) as how:
        before = Use.now(cores)
        result = tt.run(
            workload,
            server.url,
            duration=arguments.duration,
            warmup=0,
            drain=DRAIN,
            demands=system,
            output=folder,
        )
        used = Use.now(cores) - before
    about = {
        **described(point, arguments, workload, system),
        "server_cores": cores,
        "generator": how,
        "server": server.said,
        "besides": besides,
        "others_s": used.busy_s - server_s(server.said),
        "stolen_s": used.stolen_s,
        "lateness_p99_s": result.summary["lateness_s"]["p99"],
        "errors": result.summary["errors"],
        "by_request": result.summary["by_request"],
    }
    (folder / "point.json").write_text(json.dumps(about, indent=1) + "\n")
    for line in server.said[2:]:
        say(f"  {line}")
    say(f"  others had {about['others_s']:.1f} s of these cores, the host {used.stolen_s:.1f} s")


def gather(folder: Path) -> list[dict[str, Any]]:
    """All finished points of a folder, which also go into `points.json`."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*/point.json"))]
    (folder / "points.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def table(gathered: list[dict[str, Any]]) -> str:
    """Medians of the response time by request name in ms, and possible disturbances."""
    names = sorted({name for point in gathered for name in point["by_request"]})
    rest = ["late p99 (ms)", "others (s)"]
    head = ["cores", "load", "threads", *(f"{name} (ms)" for name in names), *rest]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for point in gathered:
        medians = [point["by_request"][name]["response_time_s"]["p50"] for name in names]
        times = [f"{1000 * time_s:.2f}" for time_s in (*medians, point["lateness_p99_s"])]
        others = f"{point['others_s']:.1f}"
        cells = [*(str(point[key]) for key in ("cores", "load", "threads")), *times, others]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


START = time.monotonic()


def say(words: str) -> None:
    """A line of progress."""
    print(f"{time.monotonic() - START:5.0f} s  {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
