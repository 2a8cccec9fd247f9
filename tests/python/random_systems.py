"""Random workloads on random systems whose exact load and mean are known.

Run as a program it checks systems of a fresh seed, or of a given one:

    .venv/bin/python tests/python/random_systems.py [--seed S] [--count N]
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

import thinktime as tt
from thinktime.theory.match import Theory, theory_for

DEMAND_S = 0.01
"""The mean service demand at the first station."""

REPLICATIONS = 20
FALSE_ALARM = 1e-6
"""The threshold of each comparison, if the replications' figures were normal: two comparisons for
each system, so 300 systems fail by chance once in 1,600 times. The figures are not quite normal:
under heavy tails and at high loads they are skewed, which is why no load is above 0.85 and no C²
above 8."""


@dataclass(frozen=True)
class Pair:
    """A workload on a system, and their exact figures."""

    workload: tt.Workload
    system: tt.System
    load: float | None
    requests: int
    theory: Theory


def systems(seed: int) -> Iterator[Pair]:
    """One after another, all from one seed."""
    number = 0
    while True:
        pair = draw(f"{seed}/{number}")
        number += 1
        if pair is not None:
            yield pair


def draw(seed: str) -> Pair | None:
    """The pair of a seed; None if no formula holds for it."""
    chance = random.Random(seed)
    model = chance.choice(["open", "closed", "partly-open"])
    held = chance.random() < 0.3
    load = chance.uniform(0.3, 0.85)
    stations = _stations(chance, model)
    system = tt.System("name = 'random'\n" + "\n".join(stations))
    arrivals = {"open": _open, "closed": _closed, "partly-open": _partly_open}[model]
    seed_line = f"name = 'random'\nseed = {chance.randrange(1, 2**31)}\n"
    workload = tt.Workload(seed_line + arrivals(chance))
    target = load if held or model != "closed" else None
    try:
        theory = theory_for(workload, system, target)
    except ValueError:
        return None  # so few clients cannot bring it to that load
    # A closed system is brought to a load by its think time.
    thinks = model != "closed" or (workload.think is not None and workload.think.mean > 0)
    if theory is None or theory.load > 0.97 or (target is not None and not thinks):
        return None
    # The more requests come together in sessions, the later the queue forgets its empty start: too
    # late for runs of 10,000, whose mean is then up to a fifth too small.
    requests = round(10_000 * max(1.0, _together(workload) / 5))
    return Pair(workload, system, target, requests, theory)


# ---- workloads


def _open(chance: random.Random) -> str:
    return "[arrivals]\nmodel = 'open'\nrate = '1/s'\n"


def _closed(chance: random.Random) -> str:
    clients = round(10 ** chance.uniform(0, 2.3))
    return f"[arrivals]\nmodel = 'closed'\nclients = {clients}\n[session]\n{_think(chance)}"


def _partly_open(chance: random.Random) -> str:
    mean = 10 ** chance.uniform(0, 1.7)
    length = chance.choice(
        [
            f"geometric({mean:.4g})",
            f"{max(1, round(mean))}",
            f"uniform(0, {2 * mean:.4g})",
            f"lognormal(mu={np.log(mean) - 0.5:.4g}, sigma=1)",
            f"poisson({mean:.4g})",
            f"zipf(n={max(2, round(4 * mean))}, s=1)",
            f"discrete(0.7: 1, 0.3: {max(2, round(3 * mean))})",
        ]
    )
    arrivals = "[arrivals]\nmodel = 'partly-open'\nrate = '1/s'\n"
    return f"{arrivals}[session]\nrequests = '{length}'\n{_think(chance)}"


def _think(chance: random.Random) -> str:
    """From no think time to a thousand mean service demands."""
    if chance.random() < 0.15:
        return "think = '0s'\n"
    mean = DEMAND_S * 10 ** chance.uniform(-1, 3)
    law = chance.choice(
        [
            f"exp({mean:.6g}s)",
            f"{mean:.6g}s",
            f"uniform(0s, {2 * mean:.6g}s)",
            f"h2({mean:.6g}s, cv2={chance.uniform(2, 10):.3g})",
            f"lognormal(mu={np.log(mean) - 0.5:.6g}, sigma=1)",
            f"bounded_pareto(shape=1.5, lo={mean / 3:.6g}s, hi={mean * 300:.6g}s)",
            f"discrete(0.9: {mean / 2:.6g}s, 0.1: {mean * 5.5:.6g}s)",
        ]
    )
    return f"think = '{law}'\n"


# ---- systems


def _demand(chance: random.Random, mean: float) -> str:
    """Laws with a density, so that closed systems do not run in lock step."""
    return chance.choice(
        [
            f"exp({mean:.6g}s)",
            f"h2({mean:.6g}s, cv2={chance.uniform(1.5, 8):.3g})",
            f"erlang({chance.randrange(2, 6)}, {mean:.6g}s)",
            f"uniform({mean / 2:.6g}s, {mean * 1.5:.6g}s)",
            f"weibull(shape=1.5, scale={mean / 0.902745:.6g}s)",
            f"lognormal(mu={np.log(mean) - 0.32:.6g}, sigma=0.8)",
        ]
    )


def _stations(chance: random.Random, model: str) -> list[str]:
    count = 1 if model == "open" else chance.choice([1, 1, 1, 2, 3])
    means = [DEMAND_S, *(DEMAND_S * chance.uniform(0.2, 1) for _ in range(count - 1))]
    one = _any_station if model == "open" else _product_form_station
    return [one(chance, f"s{at}", mean) for at, mean in enumerate(means)]


def _any_station(chance: random.Random, name: str, mean: float) -> str:
    policy = chance.choice(
        ["fcfs", "lcfs", "plcfs", "ps", "sjf", "ljf", "psjf", "srpt", "las", "servers"]
    )
    if policy == "servers":
        return _product_form_station(chance, name, mean)
    return _station(name, policy, 1, _demand(chance, mean))


def _product_form_station(chance: random.Random, name: str, mean: float) -> str:
    policy = chance.choice(["fcfs", "lcfs", "ps", "plcfs"])
    servers = 1 if policy == "plcfs" else chance.choice([1, 1, 2, 4])
    law = f"exp({mean:.6g}s)" if policy in ("fcfs", "lcfs") else _demand(chance, mean)
    return _station(name, policy, servers, law)


def _station(name: str, policy: str, servers: int, demand: str) -> str:
    return (
        f"[[station]]\nname = '{name}'\npolicy = '{policy}'\nservers = {servers}\n"
        f"demand = '{demand}'\n"
    )


# ---- the check


def wrong(pair: Pair) -> str | None:
    """The figures of a simulation that do not fit the exact values; None if all do."""
    result = tt.simulate(
        pair.workload,
        pair.system,
        load=pair.load,
        requests=pair.requests,
        replications=REPLICATIONS,
        rows="none",
    )
    summary = result.summary
    means = np.array(summary["replication_means_s"])
    off = [_off("mean", means, pair.theory.mean_s)]
    load = max(station["load"] for station in summary["stations"].values())
    # The replications' loads are not in the summary: chance moves the load no more, relative to
    # itself, than it moves the sum of as many demands and gaps.
    spread = 6 * _load_deviation(pair)
    if abs(load - pair.theory.load) > spread + 0.002:
        off.append(f"load {load:.4f}, exact {pair.theory.load:.4f} ± {spread:.4f}")
    if result.untrusted is not None:
        off.append(f"not trusted: {result.untrusted}")
    found = [one for one in off if one]
    return "; ".join(found) + f"\n{describe(pair)}" if found else None


def _off(what: str, values: np.ndarray, exact: float) -> str | None:
    count = len(values)
    quantile = float(student.ppf(1 - FALSE_ALARM / 2, count - 1))
    half = quantile * float(values.std(ddof=1)) / count**0.5
    if abs(values.mean() - exact) <= half + 1e-9 * exact:
        return None
    return f"{what} {values.mean():.6g}, exact {exact:.6g} ± {half:.2g}"


def _load_deviation(pair: Pair) -> float:
    """The standard deviation of the load: from the number of requests, and from their demands."""
    total = REPLICATIONS * pair.requests
    demands = [law for at in range(9) if (law := _law(pair.system, at)) is not None]
    cv2 = max(law.cv2 for law in demands)
    return pair.theory.load * ((_together(pair.workload) + cv2) / total) ** 0.5


def _together(workload: tt.Workload) -> float:
    """The mean number of requests in the session of a request: E[N²] / E[N], or a little more."""
    length = workload.session_length
    if length is None:
        return 1.0
    return (length.second_moment + length.mean + 1.25) / max(1.0, length.mean)


def _law(system: tt.System, at: int) -> tt.Distribution | None:
    stations = system.stations
    return stations[at].demand if at < len(stations) else None


def describe(pair: Pair) -> str:
    """The pair's files, to be simulated by hand."""
    files = f"{pair.workload.to_toml()}\n{pair.system.to_toml()}"
    return f"--load {pair.load}\n{files}\n{pair.theory}"


def main() -> int:
    """Check fresh systems; prints the errors, and the commands to see them again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--count", type=int, default=300)
    given = parser.parse_args()
    print(f"{given.count} systems of seed {given.seed}", flush=True)
    found = check(given.seed, given.count, lambda text: print(f"\n{text}", flush=True))
    print(f"{found} of {given.count} are wrong")
    return 1 if found else 0


def check(seed: int, count: int, tell: Callable[[str], None]) -> int:
    """The number of wrong ones among `count` systems."""
    source = systems(seed)
    pairs = [next(source) for _ in range(count)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(wrong, pairs) if text is not None]
    for text in found:
        tell(text)
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
