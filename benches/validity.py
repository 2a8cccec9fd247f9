"""How often the checks of validity doubt runs without errors.

    .venv/bin/python benches/validity.py [--runs 200] [--requests 20000] [--percentiles | --short]
    .venv/bin/python benches/validity.py --served SECONDS [--runs 96] [--processes 8]

Prints a Markdown table: of each kind of run, how many of the simulations each check called doubtful
or not to be trusted, in per cent of those at which it could look; and at how many `steady state`
could not look. All of them have warm-ups that were found, constant rates, and loads below 1, so
every doubt is a false alarm. The last column puts every five runs together, and counts in how many
of these sets they were said to settle on different values.

With `--served` they are real runs of that number of seconds, after two seconds of warm-up, against
a `thinktime serve` of M/M/1 at a load of 0.7 on this machine. That is mostly waiting, so that as
many `--processes` run at the same time; what `generator` and `punctuality` say is of the machine,
too. A second table has the same runs simulated: what is more in the first one is the machine's.

With `--short` they are runs of a few requests or seconds, runs with even gaps, and pages, whose
objects come together. The last column counts runs that end with status 3.

With `--percentiles` there is a table of which percentiles are known: of how many independent
requests the p99 of each kind truly is, by how the share beyond the true one varies between all
runs; the number that the runs say; the percentiles that the true number bounds; how many runs leave
one of these out; and how many show the lowest that is not bounded.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

import thinktime as tt
from thinktime.present import units
from thinktime.present.percentile import NEEDED, backed
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, agreement_of, validity_of
from thinktime.validity.checks import CHECKS

UNSEEN_STEADY = "steady state could not look"
WARM_UP_S = 2.0
TOGETHER = 5
"""The number of runs that are compared with each other."""

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
"""Sessions, policy, demand, servers, and the held load."""

EVEN = 'process = "even"\n'
SECONDS_10, SECONDS_20 = {"duration": "10s"}, {"duration": "20s"}
PAGES = (
    '[[request]]\nname = "home"\nobjects = { count = "COUNT", of = { a = 1 } }\n'
    '[[request]]\nname = "a"\n'
)
SESSIONS = '[session]\nrequests = "geometric(4)"\nthink = "exp(1s)"\n'
SHORT = {
    "even, 10/s, 10 s": ('model = "open"\nrate = "10/s"\n' + EVEN, SECONDS_10),
    "Poisson, 10/s, 10 s": ('model = "open"\nrate = "10/s"\n', SECONDS_10),
    "pages of 13 requests, 1/s, 20 s": (
        'model = "open"\nrate = "1/s"\n' + PAGES.replace("COUNT", "12"), SECONDS_20
    ),
    "pages of 13 on average, 1/s, 20 s": (
        'model = "open"\nrate = "1/s"\n' + PAGES.replace("COUNT", "geometric(12)"), SECONDS_20
    ),
    "the same, even": (
        'model = "open"\nrate = "1/s"\n' + EVEN + PAGES.replace("COUNT", "geometric(12)"),
        SECONDS_20,
    ),
    "the same, sessions of 4 pages": (
        'model = "partly-open"\nrate = "1/s"\n' + SESSIONS
        + PAGES.replace("COUNT", "geometric(12)"), SECONDS_20,
    ),
    **{
        f"open, {units.counted(n, 'request')}": ('model = "open"\nrate = "10/s"\n', {"requests": n})
        for n in (1, 3, 10, 50)
    },
    **{
        f"closed, {units.counted(n, 'request')}": (
            'model = "closed"\nclients = 3\n[session]\nthink = "const(1s)"\n', {"requests": n}
        )
        for n in (1, 10, 50)
    },
}  # fmt: skip
"""Arrivals with requests, and the length."""


def main() -> None:
    """Measure all kinds of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--percentiles", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--served", type=float, metavar="SECONDS")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    if given.served is not None:
        print_served(given.runs, given.served, given.processes)
        return
    if given.percentiles:
        print_percentiles(given.runs, given.requests)
        return
    if given.short:
        print_short(given.runs)
        return
    others = ("generator", "link", "punctuality", "percentiles")
    names = [name for name in CHECKS if name not in others]
    heads = [*names, UNSEEN_STEADY, "agreement"]
    print(f"| {given.runs} runs of {given.requests:,} requests | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for kind in KINDS:
        doubted, looked = doubts(kind, given.runs, given.requests)
        cells = [
            f"{100 * doubted[name] / looked[name]:.1f} %" if looked[name] else "–" for name in heads
        ]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def print_served(runs: int, seconds: float, processes: int) -> None:
    """The table of real runs, and that of the same runs simulated: what each check said."""
    # New interpreters: a copy of one with threads may wait for ever for their locks.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for kind in ("real", "simulated"):
            one = partial(verdicts, seconds=seconds, real=kind == "real")
            print_verdicts(f"{runs} {kind} runs of {seconds:g} s", pool.map(one, range(runs)))


def print_verdicts(title: str, runs: Iterable[dict[str, str]]) -> None:
    """A table of the number of runs with each verdict of each check."""
    found, words = list(runs), (FINE, DOUBTFUL, SPOILT, UNSEEN)
    print(f"| {title} | {' | '.join(words)} |")
    print("|---|" + "---|" * len(words))
    for name in CHECKS:
        said = Counter(one[name] for one in found if name in one)
        if said:
            print(f"| {name} | {' | '.join(str(said[word]) for word in words)} |")
    print(flush=True)


def verdicts(seed: int, seconds: float, real: bool) -> dict[str, str]:
    """The verdict of each check of one run against M/M/1 at a load of 0.7."""
    system = tt.System('name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n')
    workload = tt.Workload(
        f'name = "w"\nseed = {seed}\n[arrivals]\nmodel = "open"\nrate = "70/s"\n'
    )
    length = {"duration": seconds + WARM_UP_S, "warmup": WARM_UP_S}
    if real:
        with tt.serve(system, seed=seed) as server:
            result = tt.run(workload, server.url, **length)
    else:
        result = tt.simulate(workload, system, rows="all", **length)
    return {one.name: one.verdict for one in validity_of(result)}


def inputs(kind: str) -> tuple[tt.Workload, tt.System]:
    """The simulated model."""
    sessions, policy, demand, servers, load = KINDS[kind]
    system = tt.System(
        f'name = "one"\n[[station]]\nname = "server"\npolicy = "{policy}"\n'
        f'demand = "{demand}"\nservers = {servers}\n'
    )
    return tt.Workload(f'name = "fine"\n{sessions}').at_load(system, load), system


def print_short(runs: int) -> None:
    """The table of short runs: doubts by check, of all runs."""
    names = ("arrivals", "load", "warm-up", "steady state", "counts", "failures")
    print(f"| {runs} runs | {' | '.join(names)} | status 3 |")
    print("|---|" + "---|" * (len(names) + 1))
    system = tt.System(
        'name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "exp(2ms)"\n'
    )
    for kind, (text, length) in SHORT.items():
        workload = tt.Workload(f'name = "w"\n[arrivals]\n{text}')
        doubted: Counter[str] = Counter()
        for seed in range(1, runs + 1):
            made = tt.simulate(workload, system, seed=seed, rows="all", **length)
            doubted["status 3"] += made.untrusted is not None
            doubted.update(
                one.name for one in validity_of(made) if one.verdict in (DOUBTFUL, SPOILT)
            )
        cells = [f"{100 * doubted[name] / runs:.1f} %" for name in (*names, "status 3")]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def print_percentiles(runs: int, requests: int) -> None:
    """The table of the percentiles alone."""
    heads = ("p99 is that of", "said", "bounded", "left out", "shown all the same")
    print(f"| {runs} runs of {requests:,} requests | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for kind in KINDS:
        workload, system = inputs(kind)
        seen = [
            Seen.of(tt.simulate(workload, system, requests=requests, seed=seed, rows="none"))
            for seed in range(1, runs + 1)
        ]
        worth = {name: true_worth(seen, name, requests) for name in NEEDED if name != "p99.99"}
        good = [name for name in worth if all(backed(n, worth[n]) for n in up_to(name))]
        bad = [name for name in worth if name not in good]
        out = sum(any(not backed(name, one.independent) for name in good) for one in seen)
        shown = sum(bool(bad) and backed(bad[0], one.independent) for one in seen)
        cells = [
            f"{worth['p99']:,.0f}",
            f"{np.median([one.independent for one in seen]):,.0f}",
            f"up to {good[-1]}" if good else "none",
            f"{100 * out / runs:.1f} %",
            f"{100 * shown / runs:.1f} %" if bad else "–",
        ]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def up_to(name: str) -> list[str]:
    """A percentile and those below it."""
    names = list(NEEDED)
    return names[: names.index(name) + 1]


@dataclass
class Seen:
    """The kept data of a run: its response times, and the number of independent requests."""

    times_s: np.ndarray
    longer: np.ndarray
    summary: dict[str, float]
    independent: float

    @classmethod
    def of(cls, result: tt.Result) -> Seen:
        """Those of a result."""
        times, worth = result.summary["response_time_s"], result.summary["independent_requests"]
        return cls(*result.survival(), times, worth)

    def beyond(self, time_s: float) -> float:
        """The share of requests that took longer."""
        place = int(np.searchsorted(self.times_s, time_s, side="right"))
        return float(self.longer[place - 1]) if place else 1.0


def true_worth(seen: list[Seen], name: str, requests: int) -> float:
    """The number of independent requests behind a percentile, from the spread over such runs."""
    truth = float(np.mean([one.summary[name] for one in seen]))
    share = np.array([one.beyond(truth) for one in seen])
    middle = float(share.mean())
    return min(middle * (1 - middle) / max(float(share.var(ddof=1)), 1e-12), float(requests))


def doubts(kind: str, runs: int, requests: int) -> tuple[Counter[str], Counter[str]]:
    """By check, the number of runs in doubt, and the number that it could judge."""
    workload, system = inputs(kind)
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
            doubted[one.name] += one.verdict in (DOUBTFUL, SPOILT)
            if one.name == "steady state":
                looked[UNSEEN_STEADY] += 1
                doubted[UNSEEN_STEADY] += one.verdict == UNSEEN
    return doubted, looked


if __name__ == "__main__":
    main()
