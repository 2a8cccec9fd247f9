"""CPU time a request of Thinktime and its peers, interleaved, against one nginx.

.venv/bin/python benches/generators.py [--rounds N] [--seconds S] [CASE...]
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

from load import tools
from load.server import Server, nginx
from load.tools import Cost, Tool, Work

Cases = dict[str, tuple[Work, dict[str, Tool]]]


def cases(server: Server, seconds: float) -> Cases:
    """The kinds of load, each with the tools that can make it; the first tool is the reference."""
    closed = Work(server.http, seconds)
    ours = {"thinktime": tools.thinktime}
    return {
        "closed": (
            closed,
            {
                **ours,
                "thinktime, Luau": tools.luau,
                "wrk": tools.wrk,
                "oha": tools.oha,
                "h2load": tools.h2load,
                "k6": tools.k6,
                "vegeta": tools.vegeta,
            },
        ),
        "open-5000": (
            Work(server.http, seconds, rate=5000),
            {**ours, "oha": tools.oha, "k6": tools.k6, "vegeta": tools.vegeta},
        ),
        "open-20000": (
            Work(server.http, seconds, rate=20000),
            {**ours, "thinktime, 500us": tools.sparing, "oha": tools.oha, "vegeta": tools.vegeta},
        ),
        "http2": (
            Work(server.h2c, seconds, http2=True, clients=48),
            {**ours, "h2load": tools.h2load},
        ),
        "https": (Work(server.https, seconds), {**ours, "h2load": tools.h2load, "oha": tools.oha}),
    }


def main() -> None:
    """Measure, and print a table for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory() as directory,
        nginx(Path(directory), cores[0]) as server,
    ):
        known = cases(server, options.seconds)
        for name in options.cases or known:
            work, peers = known[name]
            print(f"\n{name}: medians of {options.rounds} rounds of {options.seconds:.0f} s")
            rounds = [
                {peer: tools.rested(tool, work, cores[-1]) for peer, tool in peers.items()}
                for _ in range(options.rounds)
            ]
            table(rounds, options.seconds)


def table(rounds: list[dict[str, Cost]], seconds: float) -> None:
    """A line for each tool: CPU time, and Thinktime's as a share of it, both medians."""
    print("| tool | requests/s | CPU a request | thinktime / tool | memory | p99 lateness |")
    print("|---|---|---|---|---|---|")
    for name in rounds[0]:
        costs = [one[name] for one in rounds]
        ratios = [one["thinktime"].cpu_us / one[name].cpu_us for one in rounds]
        late = [cost.lateness_p99_s for cost in costs if cost.lateness_p99_s is not None]
        print(
            f"| {name} | {median(cost.requests for cost in costs) / seconds:,.0f} "
            f"| {median(cost.cpu_us for cost in costs):.2f} us | {median(ratios):.2f} "
            f"| {median(cost.memory_kib for cost in costs) / 1024:.0f} MiB "
            f"| {f'{median(late) * 1e6:.0f} us' if late else '–'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
