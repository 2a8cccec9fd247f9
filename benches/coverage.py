"""How often 95 % intervals contain the exact value.

`python benches/coverage.py [--runs N] [--model TEXT]`.

Many short simulations with different seeds, each with its own interval of the mean and of the
99th percentile, against the exact values. Prints a table in Markdown; docs/statistics.md shows
one. Takes about ten minutes on two cores with the default of 1000 runs.
"""

from __future__ import annotations

import argparse
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import thinktime as tt
from thinktime.theory.match import Theory

LENGTHS = (100_000, 1_000_000)


@dataclass(frozen=True)
class Case:
    """A model whose exact values are known."""

    name: str
    workload: tt.Workload
    system: tt.System
    requests: int
    theory: Theory


def main() -> None:
    """Measure all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--model", default="", help="only models whose names have this in them")
    options = parser.parse_args()
    runs = options.runs
    print("| model | requests | runs | mean held | p99 held | half-width |")
    print("|---|---|---|---|---|---|")
    for case in cases():
        if options.model in case.name:
            print(row(case, runs), flush=True)


def row(case: Case, runs: int) -> str:
    """A line of the table."""

    def one(seed: int) -> tuple[bool, bool | None, float]:
        summary = tt.simulate(
            case.workload, case.system, seed=seed, requests=case.requests, rows="none"
        ).summary
        times, law = summary["response_time_s"], case.theory.law
        mean_held = abs(times["mean"] - case.theory.mean_s) <= times["ci95"]
        interval = summary["response_time_ci95"].get("p99")
        if law is None or interval is None:
            return mean_held, None, times["ci95"] / times["mean"]
        exact = law.percentile(0.99)
        # The histogram's bins are 0.1 % wide.
        p99_held = interval[0] * 0.999 <= exact <= interval[1] * 1.001
        return mean_held, p99_held, times["ci95"] / times["mean"]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(one, range(1, runs + 1)))
    known = [p99 for _, p99, _ in found if p99 is not None]
    width = sorted(width for *_, width in found)[runs // 2]
    p99 = "no formula" if case.theory.law is None else f"{sum(known)} of {len(known)} given"
    if 2 * len(known) >= runs:
        p99 = share(sum(known), len(known))
    held = share(sum(mean for mean, *_ in found), runs)
    return f"| {case.name} | {case.requests:,} | {runs} | {held} | {p99} | {width:.1%} |"


def share(count: int, runs: int) -> str:
    """A share with its own 95 % interval."""
    p = count / runs
    return f"{p:.1%} ± {1.96 * math.sqrt(p * (1 - p) / runs):.1%}"


def cases() -> list[Case]:
    """All of them."""
    found = []
    for policy, demand in (
        ("fcfs", "exp(10ms)"),
        ("fcfs", "h2(10ms, cv2=4)"),
        ("fcfs", "h2(10ms, cv2=8)"),
        ("fcfs", "h2(10ms, cv2=49)"),
        ("fcfs", "lognormal(mu=-6.605, sigma=2)"),
        ("ps", "h2(10ms, cv2=8)"),
        ("srpt", "h2(10ms, cv2=8)"),
        ("las", "h2(10ms, cv2=8)"),
    ):
        arrivals = "model = 'open'\nrate = '90/s'"
        for requests in LENGTHS:
            found.append(case(f"open {demand} {policy}", arrivals, policy, demand, requests))
    closed = "model = 'closed'\nclients = 100\n[session]\nthink = 'exp(0.937s)'"
    sessions = (
        "model = 'partly-open'\nrate = '18/s'\n[session]\nrequests = 'geometric(5)'\n"
        "think = 'exp(1s)'"
    )
    long_sessions = sessions.replace("18/s", "4.5/s").replace("geometric(5)", "geometric(20)")
    for requests in LENGTHS:
        found.append(case("partly open exp(10ms) ps", sessions, "ps", "exp(10ms)", requests))
        name = "partly open, 20 requests a session, exp(10ms) ps"
        found.append(case(name, long_sessions, "ps", "exp(10ms)", requests))
        found.append(
            case("closed 100 h2(10ms, cv2=8) fcfs", closed, "fcfs", "h2(10ms, cv2=8)", requests)
        )
        found.append(case("partly open exp(10ms) fcfs", sessions, "fcfs", "exp(10ms)", requests))
    return found


def case(name: str, arrivals: str, policy: str, demand: str, requests: int) -> Case:
    """A model with one station at a load of 0.9 or about."""
    workload = tt.Workload(f"name = 'w'\n[arrivals]\n{arrivals}")
    station = f"name = 'server'\npolicy = '{policy}'\ndemand = '{demand}'"
    system = tt.System(f"name = 's'\n[[station]]\n{station}")
    from thinktime.theory.match import theory_for

    theory = theory_for(workload, system)
    assert theory is not None
    return Case(name, workload, system, requests, theory)


if __name__ == "__main__":
    main()
