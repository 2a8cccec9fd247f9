"""CPU limits, request by request, against a second implementation (`reference_bandwidth.py`)."""

from __future__ import annotations

import polars as pl
import pytest
import reference_bandwidth
from reference_bandwidth import MS, Step

import thinktime as tt

STEPS: dict[str, tuple[int, list[Step]]] = {
    "short": (0, [("use", 1_100_001)]),
    "long": (0, [("use", 7_000_003), ("sleep", 3_000_011), ("use", 2_000_007)]),
    "batch": (1, [("use", 12_000_019)]),
    "free": (2, [("use", 900_007), ("sleep", 1_000_003), ("use", 400_009)]),
}
"""The service of each request, and its steps."""

WORKLOAD = """
name = "w"
[arrivals]
model = "open"
rate  = "{rate}/s"
[[request]]
name   = "short"
weight = 5
[[request]]
name   = "long"
weight = 3
[[request]]
name   = "batch"
weight = 1
[[request]]
name   = "free"
weight = 2
"""

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


def system(cores: int, shop: Limit, batch: Limit) -> tt.System:
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
    behaviours = [behaviour(name, *STEPS[name]) for name in STEPS]
    tables = [service("shop", shop), service("batch", batch), *behaviours]
    return tt.System(machine + "[machine.scheduler]\n" + SCHEDULER + "".join(tables))


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
        workload = tt.Workload(WORKLOAD.format(rate=rate)).with_seed(seed)
        result = tt.simulate(
            workload, system(cores, shop, batch), requests=1500, warmup=0, rows="all"
        )
        rows = pl.DataFrame(result.requests).sort("scheduled_ns")
        arrivals = list(zip(rows["scheduled_ns"], rows["name"], strict=True))
        machine = reference_bandwidth.Machine(cores, [shop, batch, None])
        expected = machine.run([(at, *STEPS[name]) for at, name in arrivals])
        differing = [
            (row, at, want, got)
            for row, ((at, _), want, got) in enumerate(
                zip(arrivals, expected, rows["done_ns"], strict=True)
            )
            if want != got
        ]
        assert not differing, (seed, len(differing), differing[:3])


def test_figures_are_in_the_summary() -> None:
    """A request of 200 ms under 50 ms in 100 ms is throttled three times, or four."""
    text = (
        'name = "s"\n[[machine]]\nname = "m"\nos = "windows-server-2003"\n'
        'demand = "200ms"\nquota = "50ms"\n'
    )
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "0.01/s"\n[[request]]\nname = "one"\n'
    )
    result = tt.simulate(workload, tt.System(text), requests=40, warmup=0)
    limit = result.summary["machines"]["m"]["limits"]["m"]
    assert 3 * 40 <= limit["throttled_periods"] <= 4 * 40
    assert limit["throttled_periods"] < limit["periods"]
    assert 0.12 * 40 <= limit["throttled_s"] <= 0.2 * 40
