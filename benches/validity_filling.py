"""How often `load` and `warm-up` doubt fine runs, and runs that begin empty.

    .venv/bin/python benches/validity_filling.py [--runs 300] [--first 5001] [--requests 20000]

Prints a Markdown table: of each kind of run, how many of the simulations, with warm-ups that were
found, each of the two checks called doubtful, and how many it could not look at, in per cent; and
the mean of the loads that were reached, in parts of the one that was asked for. Sessions are short
but for the last kinds, so that doubts of the others are false alarms; of the last ones a part is
missing, or chance may move the load far.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

import thinktime as tt
from thinktime.validity import DOUBTFUL, UNSEEN, validity_of
from thinktime.validity.load import NAME as LOAD
from thinktime.validity.warm_up import NAME as WARM_UP

EMPTY = 'start = "empty"\n'
OPEN = '[arrivals]\nmodel = "open"\nrate = 80\n'
CLOSED = '[arrivals]\nmodel = "closed"\nclients = 50\n{}[session]\nthink = "exp(500ms)"\n'


def partly(requests: str, think: str, start: str = "") -> str:
    """Sessions of a partly-open workload."""
    return (
        f'[arrivals]\nmodel = "partly-open"\nrate = 1\n{start}'
        f'[session]\nrequests = "{requests}"\nthink = "{think}"\n'
    )


KINDS = {
    "open, M/M/1 at 0.5": (OPEN, "exp(10ms)", 0.5),
    "open, M/M/1 at 0.8": (OPEN, "exp(10ms)", 0.8),
    "open, M/H2/1 at 0.7, C² = 8": (OPEN, "h2(10ms, cv2=8)", 0.7),
    "partly open, 4 requests, 1.5 s, at 0.7": (
        partly("geometric(4)", "exp(500ms)"), "exp(10ms)", 0.7,
    ),
    "the same, from nobody": (
        partly("geometric(4)", "exp(500ms)", EMPTY), "exp(10ms)", 0.7,
    ),
    "partly open, 5 requests each, 1.3 s, from nobody, at 0.7": (
        partly("5", "const(300ms)", EMPTY), "exp(10ms)", 0.7,
    ),
    "closed, 50 clients, at 0.8": (CLOSED.format(""), "exp(10ms)", 0.8),
    "the same, all begin as one": (CLOSED.format(EMPTY), "exp(10ms)", 0.8),
    "partly open, 20 requests, 200 s, at 0.8": (
        partly("geometric(20)", "exp(10s)"), "exp(60ms)", 0.8,
    ),
    "the same of 200 s, from nobody": (
        partly("geometric(20)", "exp(10s)", EMPTY), "exp(60ms)", 0.8,
    ),
}  # fmt: skip
"""Sessions, demand, and the held load."""


def main() -> None:
    """Measure all kinds of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--first", type=int, default=5001, help="the first seed")
    parser.add_argument("--requests", type=int, default=20_000)
    given = parser.parse_args()
    heads = (
        "load doubtful", "load could not look", "warm-up doubtful", "warm-up could not look",
        "reached",
    )  # fmt: skip
    print(f"| {given.runs} runs of {given.requests:,} requests | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for kind, (sessions, demand, load) in KINDS.items():
        system = tt.System(
            f'name = "one"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "{demand}"\n'
        )
        workload = tt.Workload(f'name = "fine"\n{sessions}').at_load(system, load)
        said: Counter[tuple[str, str]] = Counter()
        reached = []
        for seed in range(given.first, given.first + given.runs):
            made = tt.simulate(workload, system, requests=given.requests, seed=seed, rows="all")
            said.update((one.name, one.verdict) for one in validity_of(made))
            reached.append(made.summary["stations"]["server"]["load"] / load)
        shares = [
            f"{100 * said[name, word] / given.runs:.1f} %"
            for name in (LOAD, WARM_UP)
            for word in (DOUBTFUL, UNSEEN)
        ]
        print(f"| {kind} | {' | '.join(shares)} | {np.mean(reached):.3f} |", flush=True)


if __name__ == "__main__":
    main()
