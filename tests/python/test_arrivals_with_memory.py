"""Arrivals that depend on those before, and phase-type demands, against exact formulas.

Means of ten replications are within 4.09 standard errors of the exact one, which Student's t with 9
degrees of freedom exceeds with probability 0.27 %, were the seeds not fixed.
"""

from __future__ import annotations

from dataclasses import replace

import cases
import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from validity_runs import verdict
from volume import oracle, volume

import thinktime as tt
from thinktime import theory
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT
from thinktime.validity.evidence import of_result

Floats = NDArray[np.float64]

MMPP = "mmpp(2s: 20/s, 500ms: 120/s)"
MAP = "map('-60 10; 4 -30', '45 5; 0 26')"


def queue_mean(hidden: Floats, seen: Floats, demand_s: float) -> float:
    """The mean response time of a MAP/M/1 queue, by its matrix-geometric solution: R of Neuts,
    Matrix-Geometric Solutions in Stochastic Models (1981), chapter 3."""
    rate, one = 1 / demand_s, np.eye(len(hidden))
    through, found = np.linalg.inv(rate * one - hidden), np.zeros_like(hidden)
    for _ in range(20_000):
        # R = D1 (mu I - D0)^-1 + R^2 mu (mu I - D0)^-1
        new = (seen + found @ found * rate) @ through
        if np.abs(new - found).max() < 1e-15:
            break
        found = new
    # Level 0: x (D0 + R mu) = 0, and x (I - R)^-1 e = 1.
    ones = np.ones(len(hidden))
    left = np.vstack([(hidden + found * rate).T, np.linalg.solve(one - found, ones)])
    empty = np.linalg.lstsq(left, np.append(np.zeros(len(hidden)), 1.0), rcond=None)[0]
    inverse = np.linalg.inv(one - found)
    present = empty @ found @ inverse @ inverse @ ones
    return float(present / (stationary(hidden + seen) @ seen @ ones))


def stationary(generator: Floats) -> Floats:
    size = len(generator)
    left = np.vstack([generator.T, np.ones(size)])
    return np.asarray(np.linalg.lstsq(left, np.append(np.zeros(size), 1.0), rcond=None)[0])


def modulated(stays_s: list[float], rates: list[float]) -> tuple[Floats, Floats]:
    """D0 and D1 of an MMPP of two states."""
    leave, seen = 1 / np.array(stays_s), np.diag(rates)
    return np.array([[-leave[0], leave[0]], [leave[1], -leave[1]]]) - seen, seen


def simulated(process: str, demand: str = "exp(10ms)", rate: str = "") -> dict[str, float]:
    text = f'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "{process}"\n{rate}\n'
    result = tt.simulate(
        tt.Workload(text),
        cases.system(("fcfs", demand)),
        requests=volume(60_000, 1_000_000),
        warmup=100,
        replications=10,
        rows="none",
    )
    return result.summary["response_time_s"]


def expected() -> dict[str, tuple[str, str, float]]:
    """name -> (process with its rate, demand, exact mean in seconds)."""
    mmpp = modulated([2.0, 0.5], [20.0, 120.0])
    calm = modulated([0.2, 0.05], [20.0, 120.0])
    map_of = np.array([[-60.0, 10], [4, -30]]), np.array([[45.0, 5], [0, 26]])
    demand = theory.Hyperexponential.balanced(0.01, 4)
    return {
        "MMPP/M/1": (f'"{MMPP}"', "exp(10ms)", queue_mean(*mmpp, 0.01)),
        "MMPP/M/1 of short states": (
            '"mmpp(200ms: 20/s, 50ms: 120/s)"', "exp(10ms)", queue_mean(*calm, 0.01),
        ),
        "MAP/M/1": (f'"{MAP}"', "exp(10ms)", queue_mean(*map_of, 0.01)),
        "MAP/M/1 at another rate": (
            f'"{MAP}"\nrate = "70/s"', "exp(10ms)", at_rate(map_of, 70.0, 0.01),
        ),
        # E[X] = 3, E[X²] = 15 (Gross et al., Fundamentals of Queueing Theory, 4th ed., 3.1).
        "batches, M^X/M/1": (
            '"batches(poisson, size=geometric(3))"\nrate = "60/s"',
            "exp(10ms)",
            0.01 * (15 + 3) / (2 * 3 * (1 - 0.6)),
        ),
        "M/PH/1": (
            '"poisson"\nrate = "70/s"',
            "phase_type('0.5 0.5', '-400 200; 0 -80')",
            theory_of_phases(70.0, np.array([0.5, 0.5]), np.array([[-400.0, 200], [0, -80]])),
        ),
        "PH with a balanced H2's phases": (
            '"poisson"\nrate = "70/s"',
            phases_of(demand),
            theory.mg1_mean_response(70, demand),
        ),
    }  # fmt: skip


def at_rate(process: tuple[Floats, Floats], rate: float, demand_s: float) -> float:
    """The mean response time if the process is made faster until it has this rate."""
    hidden, seen = process
    own = float(stationary(hidden + seen) @ seen @ np.ones(len(seen)))
    return queue_mean(hidden * rate / own, seen * rate / own, demand_s)


def theory_of_phases(rate: float, start: Floats, rates: Floats) -> float:
    """The mean response time of an M/PH/1 queue (Pollaczek and Khinchine)."""
    first = np.linalg.solve(-rates, np.ones(len(start)))
    mean, square = start @ first, 2 * start @ np.linalg.solve(-rates, first)
    return float(mean + rate * square / 2 / (1 - rate * mean))


def phases_of(law: theory.Hyperexponential) -> str:
    rates = [[-rate if n == m else 0.0 for m in range(2)] for n, rate in enumerate(law.rates)]
    rows = "; ".join(" ".join(map(repr, row)) for row in rates)
    return f"phase_type('{' '.join(map(repr, law.probabilities))}', '{rows}')"


@oracle
@pytest.mark.parametrize("name", expected())
def test_means_are_the_exact_ones(name: str) -> None:
    process, demand, exact = expected()[name]
    process, _, rate = process.partition("\n")
    times = simulated(process.strip('"'), demand, rate)
    assert abs(times["mean"] - exact) < 4.09 * times["ci95"] / 2.262
    assert abs(times["mean"] / exact - 1) < 0.15


def test_a_mean_of_independent_gaps_would_be_far_off() -> None:
    """What the memory is for: under a Poisson process of the same rate it is a sixth."""
    exact = queue_mean(*modulated([2.0, 0.5], [20.0, 120.0]), 0.01)
    assert exact > 6 * theory.mm1_response(40, 0.01).mean


def at(process: str, rate: float) -> tt.Workload:
    return tt.Workload(
        f'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "{process}"\nrate = "{rate}/s"\n'
    )


@pytest.mark.parametrize("process", [MMPP, MAP, "batches(poisson, size=discrete(0.5: 1, 0.5: 9))"])
def test_the_check_of_arrivals_knows_how_much_they_vary(process: str) -> None:
    """The processes pass at their own rate, and not at one that is four times as high; the first
    would not pass as Poisson."""
    system = cases.system(("fcfs", "exp(1ms)"))
    for seed in range(3):
        result = tt.simulate(at(process, 40.0), system, seed=seed, duration="400s", rows="all")
        made = of_result(result)
        assert verdict(made, "arrivals") == FINE
        for other in (at(process, 160.0), at("poisson", 40.0)):
            assert verdict(replace(made, workload=other), "arrivals") in (DOUBTFUL, SPOILT)


@oracle
@pytest.mark.parametrize(("rate", "servers", "patience_s"), [(40.0, 1, 0.05), (250.0, 2, 0.02)])
def test_random_patience_is_that_of_birth_and_death(
    rate: float, servers: int, patience_s: float
) -> None:
    """Exponential patience and demands, and who gives up leaves at once: with n present, one leaves
    at the rate min(n, servers) / demand + n / patience. Both for a load below and above 1."""
    present = np.arange(400)
    leave = np.minimum(present, servers) / 0.01 + present / patience_s
    weights = np.cumprod(np.append(1.0, rate / leave[1:]))
    mean = float(weights @ present / weights.sum())
    workload = tt.Workload(
        f'name = "w"\n[arrivals]\nmodel = "open"\nrate = {rate}\n[[request]]\nname = "r"\n'
        f'timeout = "exp({patience_s}s)"\ncancel = "always"\n'
    )
    result = tt.simulate(
        workload,
        cases.system(("fcfs", "exp(10ms)", servers)),
        requests=volume(40_000, 1_000_000),
        warmup=100,
        replications=10,
        rows="none",
    )
    # Each leaves by its patience at the rate 1 / patience, all its time there.
    gave_up = mean / patience_s / rate
    share = result.summary["errors"] / result.summary["requests"]
    width = result.summary["error_share_ci95"]
    assert abs(share - gave_up) < 4.09 * width / 2.262
    assert width < 0.1 * gave_up


@oracle
def test_random_order_spreads_the_wait_as_known() -> None:
    """E[W²] under random order is 2 / (2 - load) times that under FCFS (Takács, Operations Research
    11, 1963), E[W] the same. Within 10 %, 4 standard errors at this volume."""
    load = 0.8
    squares = {}
    for policy in ("fcfs", "siro"):
        result = tt.simulate(
            cases.open_model(80),
            cases.system((policy, "exp(10ms)")),
            requests=volume(300_000, 2_000_000),
            warmup=100,
            rows="all",
        )
        rows = pl.DataFrame(result.requests)
        there_s = (rows["done_ns"] - rows["scheduled_ns"]).to_numpy() * 1e-9
        waits = there_s - rows["demand_s"].to_numpy()
        squares[policy] = float(np.mean(waits**2))
        assert float(np.mean(waits)) == pytest.approx(0.04, rel=0.05)
    assert squares["siro"] / squares["fcfs"] == pytest.approx(2 / (2 - load), rel=0.1)


def test_patience_is_drawn_for_each_attempt_and_refused_where_it_cannot_be() -> None:
    def text(more: str) -> str:
        return (
            f'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n[[request]]\nname = "r"\n{more}\n'
        )

    with pytest.raises(tt.InputError, match="and no law, for gRPC, and with"):
        tt.Workload(text('timeout = "exp(1s)"\nretry = { attempts = 2, when = "late" }'))
    with pytest.raises(tt.InputError, match="a mean above 0s that is finite"):
        tt.Workload(text('timeout = "pareto(shape=0.9, scale=1s)"'))
    with pytest.raises(tt.InputError, match="wanted a time"):
        tt.Workload(text('timeout = "exp(3kB)"'))
