"""How often `met` and `not met` are wrong: M/M/1, each limit at the exact value.

    .venv/bin/python benches/verdicts.py [--runs 200]

Prints a Markdown table: of each load and number of requests, in how many of the runs a word was
said of a mean, a median and a p99 of all requests, and of a p99 of half of them by name. There
each word should come in at most 2.5 %, because nothing can tell a figure from its own exact value.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter

import thinktime as tt

SYSTEM = tt.System('name = "one"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n')
WORKLOAD = """
name = "limits"
seed = {seed}
[arrivals]
model = "open"
rate = "{rate}/s"
[[request]]
name = "page"
get = "/"
[[request]]
name = "other"
get = "/other"
[slo]
mean = "{mean}s"
p50 = "{p50}s"
p99 = "{p99}s"
page.p99 = "{p99}s"
"""
NAMES = ("mean", "p50", "p99", "page: p99")


def main() -> None:
    """Measure all loads and lengths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print("| load | requests | " + " | ".join(NAMES) + " |")
    print("|---|---|" + "---|" * len(NAMES))
    for load in (0.5, 0.8, 0.9):
        for requests in (500, 5000, 50_000):
            cells = said(load, requests, runs)
            print(f"| {load} | {requests:,} | {' | '.join(cells)} |", flush=True)


def said(load: float, requests: int, runs: int) -> list[str]:
    """The percentages of runs in which each is reported as met, and as not met."""
    mean = 0.01 / (1 - load)  # the response time of M/M/1 is exponential
    limits = {"mean": mean, "p50": mean * math.log(2), "p99": mean * math.log(100)}
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(runs):
        workload = tt.Workload(WORKLOAD.format(seed=seed, rate=100 * load, **limits))
        result = tt.simulate(workload, SYSTEM, requests=requests, rows="none")
        for one in result.objectives:
            name = one.name if one.of is None else f"{one.of}: {one.name}"
            found[name, one.verdict] += 1
    share = 100 / runs
    return [
        f"{share * found[name, 'met']:.3g} / {share * found[name, 'not met']:.3g} %"
        for name in NAMES
    ]


if __name__ == "__main__":
    main()
