"""How often the 95 % intervals of differences between two results contain the true difference.

`python benches/difference.py [--pairs N] [--requests N] [--same-seed] [--model TEXT]`.

Pairs of simulations of one server, of which the second has demands that are a tenth longer, with
different seeds, or with the same. The true difference of means is exact by theory; those of
percentiles, throughput and errors come from simulations of ten million requests. Prints a table in
Markdown; docs/statistics.md shows it. Takes about five minutes on two cores with the defaults.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import thinktime as tt
from thinktime.comparison import Change, Comparison, compare

FIGURES = ("mean", "p50", "p90", "p99", "throughput", "errors")
LONG = 10_000_000


@dataclass(frozen=True)
class Case:
    """A server before and after its demands grew by a tenth."""

    name: str
    workload: tt.Workload
    before: tt.System
    after: tt.System


def main() -> None:
    """Measure all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--same-seed", action="store_true", help="pairs on the same arrivals")
    parser.add_argument("--model", default="", help="only models whose names have this in them")
    options = parser.parse_args()
    print(f"| model | {' | '.join(FIGURES)} | half-width of the mean's |")
    print("|" + "---|" * (len(FIGURES) + 2))
    for case in cases():
        if options.model in case.name:
            row = measured(case, options.pairs, options.requests, same=options.same_seed)
            print(row, flush=True)


def measured(case: Case, pairs: int, requests: int, *, same: bool) -> str:
    """A line of the table."""
    truth = true_differences(case)

    def one(number: int) -> Comparison:
        seeds = (2 * number, 2 * number + (0 if same else 1))
        before, after = (
            tt.simulate(case.workload, system, seed=seed, requests=requests, rows="all")
            for system, seed in zip((case.before, case.after), seeds, strict=True)
        )
        return compare(before, after)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(one, range(1, pairs + 1)))
    cells = [held(found, figure, truth) for figure in FIGURES]
    means = [one.changes["mean"] for one in found]
    widths = sorted((c.high - c.low) / 2 / c.before for c in means if isinstance(c, Change))
    return f"| {case.name} | {' | '.join(cells)} | {widths[len(widths) // 2]:.0%} |"


def held(found: list[Comparison], figure: str, truth: Mapping[str, float]) -> str:
    """The number of given intervals that contain the true difference."""
    given = [one for one in (c.changes[figure] for c in found) if isinstance(one, Change)]
    if figure not in truth:
        return "none"
    count = sum(one.low <= truth[figure] <= one.high for one in given)
    if 2 * len(given) < len(found):
        return f"{count} of {len(given)} given"
    return f"{count / len(given):.1%}" + (f" of {len(given)}" if len(given) < len(found) else "")


def true_differences(case: Case) -> dict[str, float]:
    """The true differences by figure."""
    before, after = truths(case.workload, case.before), truths(case.workload, case.after)
    known = {name: after[name] - before[name] for name in before}
    if before["errors"] == after["errors"] == 0:
        del known["errors"]
        known["throughput"] = 0.0
    return known


def truths(workload: tt.Workload, system: tt.System) -> dict[str, float]:
    """The long run's figures, with the exact mean if there is one."""
    found = tt.simulate(workload, system, seed=1, requests=LONG, rows="none")
    times = found.summary["response_time_s"]
    known = {name: times[name] for name in FIGURES if name in times}
    known["throughput"] = found.summary["throughput"]
    known["errors"] = found.summary["errors"] / found.summary["requests"]
    return known | ({} if found.theory is None else {"mean": found.theory.mean_s})


def cases() -> Iterator[Case]:
    """All of them; loads are those before the change."""
    for policy in ("fcfs", "ps"):
        for law in ("exp({}ms)", "h2({}ms, cv2=4)"):
            for load in (0.3, 0.5, 0.7, 0.8):
                yield case(f"{law.format(10)} {policy} at {load}", policy, law, load, "")
    timeout = '[[request]]\nname = "r"\nget = "/"\ntimeout = "50ms"'
    yield case("exp(10ms) fcfs at 0.7, timeout 50ms", "fcfs", "exp({}ms)", 0.7, timeout)


def case(name: str, policy: str, law: str, load: float, request: str) -> Case:
    """A model with one station."""
    arrivals = f"[arrivals]\nmodel = 'open'\nrate = '{100 * load}/s'"
    workload = tt.Workload(f"name = 'w'\n{arrivals}\n{request}")
    before, after = (
        tt.System(
            f"name = 's'\n[[station]]\nname = 'server'\npolicy = '{policy}'\n"
            f"demand = '{law.format(mean)}'"
        )
        for mean in (10, 11)
    )
    return Case(name, workload, before, after)


if __name__ == "__main__":
    main()
