"""How often `explain` names the right kind of server, and how far its predictions are off.

    .venv/bin/python benches/explain.py [--seeds 10] [--requests 20000] [--served SECONDS]
                                        [--processes 1] [--server TEXT]

Prints a Markdown table: for each server of known kind, in how many of the seeds its kind was named,
refused or taken for another one; and of the models named, how far the predicted mean response time
was from that of a long simulation of the true server (median and largest over the seeds), and which
share of the three predictions is no further off than 15 %. What is measured is simulated, with
arrivals at a load of 0.7 and demands that `explain` does not see. With `--served` it is measured
over HTTP, from `thinktime serve`, for that number of seconds per seed. As that is mostly waiting, a
number of `--processes` may measure servers at the same time. `--server` selects servers whose names
contain this text.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import thinktime as tt
from thinktime.explain import explain_result
from thinktime.explain.explanation import Explanation

POOL = (
    '[[pool]]\nname = "places"\nsize = 4\n[[behaviour]]\n'
    'steps = [{ acquire = "places" }, { use = "server" }, { release = "places" }]\n'
)


def station(policy: str, demand: str, servers: int = 1, name: str = "server") -> str:
    """A station as a system file has it."""
    return (
        f'[[station]]\nname = "{name}"\npolicy = "{policy}"\ndemand = "{demand}"\n'
        f"servers = {servers}\n"
    )


Server = tuple[str, Callable[[int], str], int, float]
"""Its kind; its system, by the number of additional servers; its number of servers; and the rate of
requests a second."""

SERVERS: dict[str, Server] = {
    "M/M/1": ("fcfs", lambda more: station("fcfs", "exp(10ms)", 1 + more), 1, 70),
    "M/H2/4, C² = 8": ("fcfs", lambda more: station("fcfs", "h2(10ms, cv2=8)", 4 + more), 4, 280),
    "1 ms, and of 1,000 one 100 ms": (
        "fcfs",
        lambda more: station("fcfs", "mix(0.999: exp(1ms), 0.001: exp(100ms))", 1 + more), 1, 640,
    ),
    "M/H2/1 PS, C² = 4": ("ps", lambda more: station("ps", "h2(10ms, cv2=4)", 1 + more), 1, 70),
    "M/H2/1 SRPT, C² = 4": (
        "srpt", lambda more: station("srpt", "h2(10ms, cv2=4)", 1 + more), 1, 70,
    ),
    "two stations in a row, 10 and 6 ms": (
        "row",
        lambda more: station("fcfs", "exp(10ms)", 1 + more)
        + station("fcfs", "exp(6ms)", 1 + more, "second"),
        1, 70,
    ),
    "a pool of 4 around PS": (
        "pool", lambda more: station("ps", "h2(10ms, cv2=4)", 1 + more)
        + POOL.replace("size = 4", f"size = {4 + more}"), 1, 70,
    ),
    "PS, then FCFS: none of ours": (
        "none", lambda more: station("ps", "h2(10ms, cv2=4)", 1 + more)
        + station("fcfs", "exp(8ms)", 1 + more, "second"), 1, 70,
    ),
}  # fmt: skip

NEAR = 0.15

QUESTIONS = (
    "the measured workload", "same load, closed, 50 clients",
    "same load, partly open", "one more server",
)  # fmt: skip


def main() -> None:
    """Measure all servers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=101, help="the first seed")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--served", type=float, metavar="SECONDS")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--server", default="", metavar="TEXT")
    given = parser.parse_args()
    chosen = [name for name in SERVERS if given.server in name]
    print(f"| server | right | refused | wrong | {' | '.join(QUESTIONS)} | within 15 % |")
    print("|---|---|---|---|---|" + "---|" * len(QUESTIONS))
    # New interpreters: a copy of one with threads may wait for ever for their locks.
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        found = pool.map(partial(recovered, given=given), chosen)
        for name, cells in zip(chosen, found, strict=True):
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def recovered(name: str, given: argparse.Namespace) -> list[str]:
    """The cells of one server."""
    server = SERVERS[name]
    kind, text, _, rate = server
    truth = true_means(server)
    came: Counter[str] = Counter()
    off: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    for seed in range(given.first, given.first + given.seeds):
        found = explain_result(measured(text(0), rate, seed, given))
        named = found.kind or "none"
        right = named == kind
        came["right" if right else "refused" if named == "none" else "wrong"] += 1
        if found.refused:
            continue
        for question, apart in errors(found, truth):
            off[question].append(apart)
    cells = [f"{came[word]} of {given.seeds}" for word in ("right", "refused", "wrong")]
    cells += [
        f"{statistics.median(one):.0%}, {max(one):.0%}" if one else "–" for one in off.values()
    ]
    predicted = [apart for question in QUESTIONS[1:] for apart in off[question]]
    near = sum(apart <= NEAR for apart in predicted)
    return [*cells, f"{near} of {len(predicted)}" if predicted else "–"]


def errors(found: Explanation, truth: dict[str, float]) -> list[tuple[str, float]]:
    """By question, how far the predicted mean is from the true one."""
    return [
        (question, abs(one.mean_s / truth[question] - 1))
        for question in QUESTIONS
        for one in found.answers
        if question in one.question and one.mean_s is not None
    ]


def open_model(rate: float, seed: int) -> tt.Workload:
    """Requests that arrive by themselves."""
    return tt.Workload(f'name = "came"\nseed = {seed}\n[arrivals]\nmodel = "open"\nrate = {rate}\n')


def measured(text: str, rate: float, seed: int, given: argparse.Namespace) -> tt.Result:
    """The input of `explain`."""
    system = tt.System(f'name = "true"\n{text}')
    if given.served is None:
        return tt.simulate(
            open_model(rate, seed), system, requests=given.requests, rows="all", warmup=0.0
        )
    with tt.serve(system, seed=seed) as server:
        return tt.run(open_model(rate, seed), server.url, duration=given.served)


def true_means(server: Server) -> dict[str, float]:
    """Mean response times of the true server, from long simulations."""
    _, text, _, rate = server
    system = tt.System(f'name = "true"\n{text(0)}')
    more = tt.System(f'name = "true"\n{text(1)}')
    closed = tt.Workload(
        'name = "c"\n[arrivals]\nmodel = "closed"\nclients = 50\n[session]\nthink = "exp(1s)"\n'
    )
    partly = tt.Workload(
        f'name = "p"\n[arrivals]\nmodel = "partly-open"\nrate = {rate / 5}\n'
        '[session]\nrequests = "geometric(5)"\nthink = "exp(1s)"\n'
    )
    load = rate * max(one.demand.mean / one.servers for one in system.stations if one.demand)
    runs = (
        (open_model(rate, 99), system), (closed.at_load(system, load), system),
        (partly, system), (open_model(rate, 99), more),
    )  # fmt: skip
    return {
        question: tt.simulate(workload, one, requests=1_000_000, rows="none").summary[
            "response_time_s"
        ]["mean"]
        for question, (workload, one) in zip(QUESTIONS, runs, strict=True)
    }


if __name__ == "__main__":
    main()
