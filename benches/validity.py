"""How often the checks of validity doubt runs in which nothing is wrong.

    .venv/bin/python benches/validity.py [--runs 200] [--requests 20000]

Prints a Markdown table: of each kind of run, how many of the simulations each check called doubtful
or not to be trusted, in per cent. All of them have warm-ups that were found, constant rates, and
loads below 1, so every doubt but that of percentiles is a false alarm; percentiles are doubted
rightly where a run is short for its load. The last column puts every five runs together, and counts
in how many of these sets they were said to settle on different values.
"""

from __future__ import annotations

import argparse
from collections import Counter

import thinktime as tt
from thinktime.validity import UNSEEN, agreement_of, validity_of
from thinktime.validity.checks import CHECKS

TOGETHER = 5
"""So many runs are held against each other."""

OPEN = '[arrivals]\nmodel = "open"\nrate = 80\n'
SHORT_SESSIONS = (
    '[arrivals]\nmodel = "partly-open"\nrate = 20\n'
    '[session]\nrequests = "geometric(4)"\nthink = "exp(500ms)"\n'
)
LONG_SESSIONS = (
    '[arrivals]\nmodel = "partly-open"\nrate = 4\n'
    '[session]\nrequests = "geometric(20)"\nthink = "exp(2s)"\n'
)
CLOSED = '[arrivals]\nmodel = "closed"\nclients = 50\n[session]\nthink = "exp(500ms)"\n'
ERLANG = '[arrivals]\nmodel = "open"\nrate = 80\nprocess = "erlang(4, 1s)"\n'

KINDS = {
    "open, M/M/1 at 0.5": (OPEN, "fcfs", "exp(10ms)", 1, 0.5),
    "open, M/M/1 at 0.8": (OPEN, "fcfs", "exp(10ms)", 1, 0.8),
    "open, M/M/1 at 0.9": (OPEN, "fcfs", "exp(10ms)", 1, 0.9),
    "open, M/H2/1 PS at 0.7, C² = 8": (OPEN, "ps", "h2(10ms, cv2=8)", 1, 0.7),
    "open, M/H2/4 FCFS at 0.7, C² = 8": (OPEN, "fcfs", "h2(10ms, cv2=8)", 4, 0.7),
    "open, E4/M/1 at 0.7": (ERLANG, "fcfs", "exp(10ms)", 1, 0.7),
    "partly open, 4 requests, at 0.7": (SHORT_SESSIONS, "ps", "exp(10ms)", 1, 0.7),
    "partly open, 20 requests, at 0.5": (LONG_SESSIONS, "ps", "exp(10ms)", 1, 0.5),
    "closed, 50 clients, at 0.8": (CLOSED, "fcfs", "exp(10ms)", 1, 0.8),
}
"""Sessions, policy, demand, servers, and the load that is held."""


def main() -> None:
    """Measure all kinds of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--requests", type=int, default=20_000)
    given = parser.parse_args()
    names = [name for name in CHECKS if name not in ("generator", "punctuality")]
    heads = [*names, "agreement"]
    print(f"| {given.runs} runs of {given.requests:,} requests | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for kind in KINDS:
        doubted, looked = doubts(kind, given.runs, given.requests)
        cells = [
            f"{100 * doubted[name] / looked[name]:.1f} %" if looked[name] else "–" for name in heads
        ]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def doubts(kind: str, runs: int, requests: int) -> tuple[Counter[str], Counter[str]]:
    """By check, in how many runs it was in doubt, and in how many it could look."""
    sessions, policy, demand, servers, load = KINDS[kind]
    system = tt.System(
        f'name = "one"\n[[station]]\nname = "server"\npolicy = "{policy}"\n'
        f'demand = "{demand}"\nservers = {servers}\n'
    )
    workload = tt.Workload(f'name = "fine"\n{sessions}').at_load(system, load)
    doubted: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    together: list[tt.Result] = []
    for seed in range(1, runs + 1):
        result = tt.simulate(workload, system, requests=requests, seed=seed, rows="all")
        found = validity_of(result)
        together.append(result)
        if len(together) == TOGETHER:
            found = [*found, agreement_of(together)]
            together = []
        for one in found:
            looked[one.name] += one.verdict != UNSEEN
            doubted[one.name] += one.verdict in ("doubtful", "not to be trusted")
    return doubted, looked


if __name__ == "__main__":
    main()
