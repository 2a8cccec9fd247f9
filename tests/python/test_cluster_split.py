"""A random split of a Poisson process is a queue M/G/1 for each server, whatever the demands."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

import pytest

import thinktime as tt

OPEN = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "100/s"\n'
DEMAND = "h2(10ms, cv2=4)"
MEAN_S, CV2 = 0.010, 4.0


def cluster(dispatch: str, policy: str, servers: int = 5) -> tt.System:
    return tt.System(
        f'name = "s"\n[[cluster]]\nname = "web"\nservers = {servers}\ndispatch = "{dispatch}"\n'
        f'[[cluster.station]]\nname = "cpu"\npolicy = "{policy}"\ndemand = "{DEMAND}"\n'
    )


def station(policy: str) -> tt.System:
    return tt.System(
        f'name = "s"\n[[station]]\nname = "cpu"\npolicy = "{policy}"\ndemand = "{DEMAND}"\n'
    )


def exact_mean_s(policy: str, load: float) -> float:
    """PS: E[S] / (1 - load), whatever the law; FCFS: Pollaczek and Khinchine."""
    if policy == "ps":
        return MEAN_S / (1 - load)
    return MEAN_S + load * (1 + CV2) * MEAN_S / (2 * (1 - load))


@pytest.mark.parametrize("policy", ["ps", "fcfs"])
def test_means_are_those_of_m_g_1(policy: str) -> None:
    """The 95 % interval widened to 4 standard errors: a false alarm in 15,000 seeds, one is fixed.

    With 4 times the variance of exponential demands the mean under FCFS is 2.2 times that under PS.
    """
    summary = tt.simulate(
        tt.Workload(OPEN), cluster("random", policy), load=0.8, requests=2_000_000, seed=3,
        rows="none",
    ).summary  # fmt: skip
    times = summary["response_time_s"]
    assert abs(times["mean"] - exact_mean_s(policy, 0.8)) < times["ci95"] * 4 / 1.96
    assert times["ci95"] < 0.04 * times["mean"]


def p99s(system: tt.System, seeds: Iterable[int]) -> list[float]:
    """The 99th percentile of independent runs."""
    runs = (
        tt.simulate(
            tt.Workload(OPEN), system, load=0.7, requests=100_000, seed=seed, rows="none"
        )
        for seed in seeds
    )  # fmt: skip
    return [run.summary["response_time_s"]["p99"] for run in runs]


def difference(one: list[float], other: list[float]) -> tuple[float, float]:
    """The difference of the means of two samples, and its standard error."""
    variances = [statistics.variance(sample) / len(sample) for sample in (one, other)]
    return statistics.mean(one) - statistics.mean(other), math.sqrt(sum(variances))


def test_the_99th_percentile_under_fcfs_is_that_of_one_station() -> None:
    """30 runs of 5 servers against 30 of one station, with other seeds, which are fixed.

    Student's t with 58 degrees of freedom is beyond 4.5 for one right program in 30,000.
    """
    single = p99s(station("fcfs"), range(101, 131))
    found, error = difference(p99s(cluster("random", "fcfs"), range(1, 31)), single)
    assert abs(found) < 4.5 * error
    # Precise enough to detect a split that is not random: one that looks at queues, and turns.
    assert error < 0.025 * statistics.mean(single)
    for dispatch in ("jsq(2)", "round-robin"):
        found, error = difference(p99s(cluster(dispatch, "fcfs"), range(1, 31)), single)
        assert found < -4.5 * error
