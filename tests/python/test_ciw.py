"""The simulator against Ciw, another one by others (https://pypi.org/project/ciw).

Each side gives the means of `REPLICATIONS` independent replications with fixed seeds. They may
differ by `WIDE` standard errors of their difference, most of which is Ciw's: Student's t with 9
degrees of freedom is beyond 5.3 with probability 5e-4, the false-alarm probability of a comparison,
were the seeds not fixed.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import Any

import ciw
import pytest

import thinktime as tt

REPLICATIONS = 10
WIDE = 5.3
WARMUP, END = 100.0, 1600.0
"""In mean service times, which are 1 s."""


def of_ciw(node: Any = None, end: float = END, **network: Any) -> dict[str, list[float]]:
    """The mean times in the system by kind of customer, of each replication."""
    made = ciw.create_network(**network)
    means: dict[str, list[float]] = defaultdict(list)
    for seed in range(REPLICATIONS):
        ciw.seed(seed)
        run = ciw.Simulation(made, node_class=node) if node else ciw.Simulation(made)
        run.simulate_until_max_time(end)
        begun: dict[tuple[int, str], float] = {}
        ended: dict[tuple[int, str], float] = {}
        for record in run.get_all_records(only=["service"]):
            who = (record.id_number, record.original_customer_class)
            begun[who] = min(begun.get(who, math.inf), record.arrival_date)
            ended[who] = max(ended.get(who, 0), record.exit_date)
        times: dict[str, list[float]] = defaultdict(list)
        for who, begin in begun.items():
            if begin >= WARMUP:
                times[who[1]].append(ended[who] - begin)
        for kind, found in times.items():
            means[kind].append(statistics.fmean(found))
    return means


def of_thinktime(workload: str, system: str) -> dict[str, list[float]]:
    """The same, over twenty times as many requests."""
    means: dict[str, list[float]] = defaultdict(list)
    for seed in range(REPLICATIONS):
        summary = tt.simulate(
            tt.Workload(f'name = "w"\nseed = {seed}\n[arrivals]\nmodel = "open"\n{workload}'),
            tt.System(f'name = "s"\n{system}'),
            duration=20 * END,
            warmup=WARMUP,
            rows="none",
        ).summary
        for kind, found in summary["by_request"].items():
            means[kind].append(found["response_time_s"]["mean"])
    return means


def error(means: list[float]) -> float:
    return statistics.stdev(means) / math.sqrt(len(means))


def assert_agree(ours: list[float], theirs: list[float]) -> None:
    assert len(ours) == len(theirs) == REPLICATIONS
    allowed = WIDE * math.hypot(error(ours), error(theirs))
    difference = statistics.fmean(ours) - statistics.fmean(theirs)
    assert abs(difference) < allowed, (statistics.fmean(ours), statistics.fmean(theirs), allowed)
    # A comparison that would let 20 % pass proves nothing.
    assert allowed < 0.2 * statistics.fmean(ours)


def station(policy: str, servers: int, demand: str, name: str = "x") -> str:
    quoted = demand if demand.startswith("{") else f'"{demand}"'
    return (
        f'[[station]]\nname = "{name}"\npolicy = "{policy}"\nservers = {servers}\n'
        f"demand = {quoted}\n"
    )


def single(rate: float, servers: float, service: Any, **more: Any) -> dict[str, Any]:
    return {
        "arrival_distributions": [ciw.dists.Exponential(rate=rate)],
        "service_distributions": [service],
        "number_of_servers": [servers],
    } | more


def one_station() -> dict[str, tuple[float, str, dict[str, list[float]]]]:
    """name -> (rate, system, the means of Ciw)."""
    exponential = ciw.dists.Exponential(rate=1)
    even = ciw.dists.Uniform(lower=0, upper=2)
    last = {"service_disciplines": [ciw.disciplines.LIFO]}
    shared = single(0.6, math.inf, even)
    return {
        "M/M/3": (2.1, station("fcfs", 3, "exp(1s)"), of_ciw(**single(2.1, 3, exponential))),
        "M/U/1": (0.7, station("fcfs", 1, "uniform(0s, 2s)"), of_ciw(**single(0.7, 1, even))),
        "lcfs": (
            1.3,
            station("lcfs", 2, "uniform(0s, 2s)"),
            of_ciw(**single(1.3, 2, even, **last)),
        ),
        "ps": (0.6, station("ps", 1, "uniform(0s, 2s)"), of_ciw(ciw.PSNode, **shared)),
        "ps of two": (
            1.3,
            station("ps", 2, "uniform(0s, 2s)"),
            of_ciw(ciw.PSNode, **single(1.3, math.inf, even, ps_thresholds=[2])),
        ),
    }


def test_one_station() -> None:
    for rate, system, theirs in one_station().values():
        ours = of_thinktime(f"rate = {rate}\n", system)
        assert_agree(ours["request"], theirs["Customer"])


KINDS = '[[request]]\nname = "gold"\nweight = 2\n[[request]]\nname = "base"\n'


@pytest.mark.parametrize("preempt", ["resume", False])
@pytest.mark.parametrize("servers", [1, 2])
def test_priority_classes(preempt: str | bool, servers: int) -> None:
    """Gold before base; a preempted job resumes its service."""
    rate = 0.6 * servers
    theirs = of_ciw(
        # One server that is not preempted gives the widest spread.
        end=END if preempt or servers > 1 else 2 * END,
        arrival_distributions={
            "gold": [ciw.dists.Exponential(rate=rate * 2 / 3)],
            "base": [ciw.dists.Exponential(rate=rate / 3)],
        },
        service_distributions={
            "gold": [ciw.dists.Uniform(lower=0, upper=1.4)],
            "base": [ciw.dists.Exponential(rate=1 / 1.6)],
        },
        number_of_servers=[servers],
        priority_classes=({"gold": 0, "base": 1}, [preempt]),
    )
    policy = "priority" if preempt else "priority(preemptive=no)"
    demand = '{ gold = "uniform(0s, 1.4s)", base = "exp(1.6s)" }'
    system = station(policy, servers, demand) + "priority.gold = 1\npriority.base = 2\n"
    ours = of_thinktime(f"rate = {rate}\n{KINDS}", system)
    for kind in ("gold", "base"):
        assert_agree(ours[kind], theirs[kind])


def test_a_network_of_two_stations() -> None:
    """Gold moves on to the second station, base leaves after the first; nobody is ever blocked."""
    first, second = ciw.dists.Uniform(lower=0, upper=1.6), ciw.dists.Exponential(rate=1 / 1.8)
    theirs = of_ciw(
        arrival_distributions={
            "gold": [ciw.dists.Exponential(rate=0.6), None],
            "base": [ciw.dists.Exponential(rate=0.3), None],
        },
        service_distributions={"gold": [first, second], "base": [first, second]},
        number_of_servers=[1, 2],
        routing={"gold": [[0.0, 1.0], [0.0, 0.0]], "base": [[0.0, 0.0], [0.0, 0.0]]},
    )
    system = station("fcfs", 1, "uniform(0s, 1.6s)")
    system += station("fcfs", 2, '{ gold = "exp(1.8s)" }', "y")
    ours = of_thinktime(f"rate = 0.9\n{KINDS}", system)
    for kind in ("gold", "base"):
        assert_agree(ours[kind], theirs[kind])
