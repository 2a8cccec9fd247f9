"""CPU limits, request by request, against a second implementation (`reference_bandwidth.py`)."""

from __future__ import annotations

import random

import polars as pl
import pytest
import reference_bandwidth
from reference_bandwidth import MS, Step

import thinktime as tt

Kinds = dict[str, tuple[int, list[Step]]]
"""The service of each request, and its steps."""

KINDS: Kinds = {
    "short": (0, [("use", 1_100_001)]),
    "long": (0, [("use", 7_000_003), ("sleep", 3_000_011), ("use", 2_000_007)]),
    "batch": (1, [("use", 12_000_019)]),
    "free": (2, [("use", 900_007), ("sleep", 1_000_003), ("use", 400_009)]),
}
WEIGHTS = {"short": 5, "long": 3, "batch": 1, "free": 2}

SCHEDULER = """
time_sharing.boosts           = false
time_sharing.starvation       = false
time_sharing.slice.length     = "1000s"
time_sharing.slice.wait_costs = false
balancing.dynamic             = false
"""
"""First come, first served on each core, and a core for each new task in turn."""

Limit = tuple[int, int, int]
"""Quota, period and burst, in nanoseconds."""


def workload(rate: float, weights: dict[str, int], seed: int) -> tt.Workload:
    requests = [
        f'[[request]]\nname = "{name}"\nweight = {weight}\n' for name, weight in weights.items()
    ]
    arrivals = f'[arrivals]\nmodel = "open"\nrate = "{rate}/s"\n'
    return tt.Workload(f'name = "w"\nseed = {seed}\n{arrivals}{"".join(requests)}')


def system(cores: int, shop: Limit, batch: Limit, kinds: Kinds) -> tt.System:
    def service(name: str, limit: Limit) -> str:
        quota, period, burst = limit
        keys = f'quota = "{quota}ns"\nperiod = "{period}ns"\nburst = "{burst}ns"\n'
        return f'[[service]]\nname = "{name}"\nmachine = "m"\n{keys}'

    def behaviour(name: str, service: int, steps: list[Step]) -> str:
        use = ("shop", "batch", "m")[service]
        written = [
            f'{{ use = "{use}", demand = "{span}ns" }}'
            if kind == "use"
            else f'{{ delay = "{span}ns" }}'
            for kind, span in steps
        ]
        return f'[[behaviour]]\nrequest = "{name}"\nsteps = [{", ".join(written)}]\n'

    machine = f'name = "s"\n[[machine]]\nname = "m"\nos = "windows-server-2003"\ncores = {cores}\n'
    behaviours = [behaviour(name, *kinds[name]) for name in kinds]
    tables = [service("shop", shop), service("batch", batch), *behaviours]
    return tt.System(machine + "[machine.scheduler]\n" + SCHEDULER + "".join(tables))


def differing(
    cores: int, shop: Limit, batch: Limit, kinds: Kinds, given: tt.Workload, requests: int
) -> list[tuple[int, int, int, int]]:
    """The requests that end at different times: number, arrival, end there, end here."""
    simulated = system(cores, shop, batch, kinds)
    result = tt.simulate(given, simulated, requests=requests, warmup=0, rows="all")
    rows = pl.DataFrame(result.requests).sort("scheduled_ns")
    arrivals = list(zip(rows["scheduled_ns"], rows["name"], strict=True))
    machine = reference_bandwidth.Machine(cores, [shop, batch, None])
    expected = machine.run([(at, *kinds[name]) for at, name in arrivals])
    ends = zip(arrivals, expected, rows["done_ns"], strict=True)
    return [(n, at, want, got) for n, ((at, _), want, got) in enumerate(ends) if want != got]


@pytest.mark.parametrize(
    ("cores", "rate", "shop", "batch"),
    [
        (1, 100, (50 * MS, 100 * MS, 0), (30 * MS, 100 * MS, 0)),
        (1, 60, (5 * MS, 10 * MS, 0), (20 * MS, 70 * MS, 20 * MS)),
        (2, 200, (70 * MS, 100 * MS, 0), (40 * MS, 100 * MS, 0)),
        (2, 150, (70 * MS, 100 * MS, 70 * MS), (20 * MS, 50 * MS, 10 * MS)),
        (4, 350, (120 * MS, 100 * MS, 30 * MS), (40 * MS, 90 * MS, 0)),
        (4, 20, (13 * MS, 100 * MS, 0), (11 * MS, 300 * MS, 0)),
    ],
)
def test_each_request_ends_at_the_very_nanosecond(
    cores: int, rate: int, shop: Limit, batch: Limit
) -> None:
    for seed in range(1, 4):
        given = workload(rate, WEIGHTS, seed)
        found = differing(cores, shop, batch, KINDS, given, 1500)
        assert not found, (seed, len(found), found[:3])


def random_limit(draw: random.Random, cores: int) -> Limit:
    """A tenth of a core to all cores and more, in 1 ms to 1 s, with any burst."""
    period = round(MS * 10 ** draw.uniform(0, 3))
    quota = max(MS, round(period * draw.uniform(0.1, 1.2 * cores)))
    return quota, period, draw.choice([0, draw.randint(0, quota), quota])


def random_kinds(draw: random.Random) -> Kinds:
    """Requests of 0.1 to 20 ms with sleeps between, of all three services."""

    def steps() -> list[Step]:
        found: list[Step] = [("use", round(MS * 10 ** draw.uniform(-1, 1.3)))]
        for _ in range(draw.randint(0, 2)):
            found.append(("sleep", round(MS * 10 ** draw.uniform(-1, 2))))
            found.append(("use", round(MS * 10 ** draw.uniform(-1, 1.3))))
        return found

    return {name: (n % 3, steps()) for n, name in enumerate("abcdef")}


@pytest.mark.parametrize("seed", range(1, 11))
def test_random_limits_and_requests_agree_as_well(seed: int) -> None:
    """25 cases each: 1 to 6 cores, from idle cores to overloaded limits."""
    draw = random.Random(seed)
    for case in range(25):
        cores, kinds = draw.randint(1, 6), random_kinds(draw)
        weights = {name: draw.randint(1, 5) for name in kinds}
        work = sum(
            weights[name] * sum(span for kind, span in steps if kind == "use")
            for name, (_, steps) in kinds.items()
        )
        mean_s = work / sum(weights.values()) * 1e-9
        rate = cores * draw.uniform(0.05, 0.9) / mean_s
        shop, batch = random_limit(draw, cores), random_limit(draw, cores)
        given = workload(rate, weights, 100 * seed + case)
        found = differing(cores, shop, batch, kinds, given, 80)
        assert not found, (case, cores, rate, shop, batch, kinds, found[:3])


def test_figures_are_in_the_summary() -> None:
    """A request of 200 ms under 50 ms in 100 ms is throttled two to four times, and waits for
    nothing else. The figures end with the last arrival, and so without the last request."""
    text = (
        'name = "s"\n[[machine]]\nname = "m"\nos = "windows-server-2003"\n'
        'demand = "200ms"\nquota = "50ms"\n'
    )
    given = workload(0.01, {"one": 1}, 1)
    result = tt.simulate(given, tt.System(text), requests=40, warmup=0, rows="all")
    limit = result.summary["machines"]["m"]["limits"]["m"]
    assert 2 * 39 <= limit["throttled_periods"] <= 4 * 39
    assert limit["throttled_periods"] < limit["periods"]
    rows = pl.DataFrame(result.requests).sort("scheduled_ns").head(39)
    waited_s = float((rows["done_ns"] - rows["scheduled_ns"]).sum()) * 1e-9 - 39 * 0.2
    assert limit["throttled_s"] == pytest.approx(waited_s)
    assert limit["waited_s"] == pytest.approx(limit["throttled_s"]), "one thread on one core"
