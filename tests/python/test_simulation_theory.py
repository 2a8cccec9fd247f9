"""Simulated means and percentiles against exact formulas.

Two kinds of check, all with fixed seeds:

- 1.5 million requests in 10 replications, within three standard errors of the exact value (false
  alarm 0.27 % a case, were the seeds not fixed);
- many short runs, whose 95 % intervals must hold the exact value at their stated rate: of 40
  intervals, at least 32 (fewer have probability 1e-4 at a coverage of 95 %).

`make coverage` does the same with 10 million requests, and with 200 intervals, of which at least
178 must hold.
"""

from __future__ import annotations

import math

import cases
import pytest
from volume import oracle, volume

import thinktime as tt
from thinktime import theory
from thinktime.theory.match import theory_for

H2 = theory.Hyperexponential.balanced(0.01, 8)
EXP = theory.Hyperexponential.exponential(0.01)


def product_form_network() -> tuple[tt.Workload, tt.System, float]:
    stations = [theory.Station(0.010), theory.Station(0.006), theory.Station(0.016, 2)]
    solved = theory.mva(20, stations, think_time=0.1)
    system = cases.system(("ps", "h2(10ms, cv2=4)"), ("fcfs", "exp(6ms)"), ("fcfs", "exp(16ms)", 2))
    return cases.closed_model(20, "exp(100ms)"), system, solved.response_time[-1]


def long_cases() -> dict[str, tuple[tt.Workload, tt.System, float]]:
    """name -> (workload, system, exact mean response time in seconds)."""
    one = cases.system
    exponential = one(("fcfs", "exp(10ms)"))
    closed_h2 = theory.closed_fcfs(10, H2, 0.0793806)
    return {
        "M/M/1": (cases.open_model(80), exponential, theory.mm1_response(80, 0.01).mean),
        "M/M/4": (
            cases.open_model(320),
            one(("fcfs", "exp(10ms)", 4)),
            theory.mmc_response(320, 0.01, 4).mean,
        ),
        "M/H2/1 FCFS": (
            cases.open_model(80),
            one(("fcfs", "h2(10ms, cv2=8)")),
            theory.mg1_mean_response(80, H2),
        ),
        "M/H2/1 PS": (
            cases.open_model(80),
            one(("ps", "h2(10ms, cv2=8)")),
            theory.ps_mean_response(80, 0.01),
        ),
        "closed network": product_form_network(),
        "closed FCFS H2": (
            cases.closed_model(10, "exp(79.3806ms)"),
            one(("fcfs", "h2(10ms, cv2=8)")),
            closed_h2.response_time.mean,
        ),
        "partly open FCFS exp": (
            cases.partly_open_model(20, "geometric(4)", "exp(10ms)"),
            exponential,
            theory.partly_open_mean_response(20, 0.75, 0.01),
        ),
        "partly open PS H2, no thinking": (
            cases.partly_open_model(20, "geometric(4)", "0s"),
            one(("ps", "h2(10ms, cv2=8)")),
            theory.partly_open_mean_response(20, 0.75, 0.01),
        ),
    }


T_9 = 4.09
"""What Student's t with 9 degrees of freedom exceeds as seldom as a normal variable exceeds 3."""


@oracle
@pytest.mark.parametrize("name", long_cases())
def test_means_are_within_three_standard_errors(name: str) -> None:
    workload, system, exact = long_cases()[name]
    requests = volume(150_000, 1_000_000)
    result = tt.simulate(
        workload, system, requests=requests, warmup=100, replications=10, rows="none"
    )
    assert result.summary["requests"] == 10 * requests
    times = result.summary["response_time_s"]
    standard_error = times["ci95"] / 2.262
    assert abs(times["mean"] - exact) < T_9 * standard_error
    # The sampling error at a load of 0.8: a wider interval would hide a mistake.
    wider = math.sqrt(1_000_000 / requests)
    assert abs(times["mean"] / exact - 1) < (0.03 if "H2" in name else 0.01) * wider


@oracle
def test_percentiles_of_the_m_h2_1_queue() -> None:
    requests = volume(125_000, 1_000_000)
    result = tt.simulate(
        cases.open_model(80),
        cases.system(("fcfs", "h2(10ms, cv2=8)")),
        requests=requests,
        warmup=100,
        replications=20,
        rows="none",
    )
    law = theory.mh1_response(80, H2)
    bounds = {"p50": (0.5, 0.01), "p90": (0.9, 0.02), "p99": (0.99, 0.04), "p99.9": (0.999, 0.08)}
    for name, (share, bound) in bounds.items():
        measured = result.summary["response_time_s"][name]
        wider = math.sqrt(1_000_000 / requests)
        assert measured == pytest.approx(law.percentile(share), rel=bound * wider), name


@oracle
@pytest.mark.parametrize(
    ("policy", "exact_ms"),
    [("fcfs", 190.0), ("ps", 50.0), ("sjf", 64.0695), ("psjf", 23.7269), ("srpt", 21.5809)],
)
def test_policies_agree_with_their_m_g_1_formulas(policy: str, exact_ms: float) -> None:
    """Exact means for E[S] = 10 ms, C² = 8, load 0.8, by numerical integration elsewhere."""
    result = tt.simulate(
        cases.open_model(80),
        cases.system((policy, "h2(10ms, cv2=8)")),
        requests=volume(200_000, 2_000_000),
        warmup=100,
        replications=4,
        rows="none",
    )
    times = result.summary["response_time_s"]
    # Student's t has a 99.7 % quantile of 9.2 at 3 degrees of freedom, 3.18 at 97.5 %.
    assert abs(times["mean"] * 1e3 - exact_ms) < times["ci95"] * 1e3 * 9.2 / 3.18


@oracle
@pytest.mark.parametrize("name", ["M/M/1", "M/H2/1 PS", "closed network", "partly open FCFS exp"])
def test_intervals_hold_the_exact_mean_at_their_stated_rate(name: str) -> None:
    workload, system, exact = long_cases()[name]
    # One request's state is nearly independent of the next one's if many visits lie between them.
    requests = 25_000 if name == "closed network" else 75_000
    runs, least = volume((40, 32), (200, 178))
    held = 0
    for seed in range(runs):
        times = tt.simulate(
            workload, system, seed=seed, requests=requests, warmup=20, rows="none"
        ).summary["response_time_s"]
        held += abs(times["mean"] - exact) <= times["ci95"]
    assert held >= least, f"{held} of {runs}"


@pytest.mark.parametrize(
    ("policy", "requests", "demand"),
    [
        ("fcfs", 4, "h2(10ms, cv2=8)"),
        ("lcfs", 2, "uniform(0s, 20ms)"),
        ("siro", 6, "mix(0.9: const(5ms), 0.1: const(55ms))"),
        ("fcfs", 3, "const(10ms)"),
    ],
)
def test_sessions_that_ask_again_at_once(policy: str, requests: int, demand: str) -> None:
    """M/G/1 with feedback; each of the four fails by chance once in 370 (fixed seed)."""
    workload = cases.partly_open_model(60 / requests, f"geometric({requests})", "0s")
    system = cases.system((policy, demand))
    exact = theory_for(workload, system)
    assert exact is not None
    assert exact.load == pytest.approx(0.6)
    law = tt.Distribution(demand)
    whole = 1 + (law.cv2 - 1) / requests  # C² of a session's demands together
    assert exact.mean_s == pytest.approx(law.mean * (1 + 0.6 * (1 + whole) / 0.8))
    times = tt.simulate(
        workload, system, requests=100_000, warmup=20, replications=10, rows="none"
    ).summary["response_time_s"]
    assert abs(times["mean"] - exact.mean_s) < T_9 * times["ci95"] / 2.262
    assert times["ci95"] < 0.06 * times["mean"]


@pytest.mark.parametrize(
    ("policy", "servers", "requests", "think"),
    [
        ("fcfs", 1, "geometric(4)", "exp(10ms)"),  # thinking lets others pass
        ("fcfs", 1, "poisson(4)", "0s"),  # a session that has asked often asks less
        ("fcfs", 2, "geometric(4)", "0s"),
        ("sjf", 1, "geometric(4)", "0s"),
    ],
)
def test_other_sessions_have_no_exact_mean(
    policy: str, servers: int, requests: str, think: str
) -> None:
    system = cases.system((policy, "h2(10ms, cv2=8)", servers))
    assert theory_for(cases.partly_open_model(15, requests, think), system) is None


def test_the_check_can_fail() -> None:
    """A wrong exact value (the queue at load 0.78 instead of 0.8) is noticed."""
    times = tt.simulate(
        cases.open_model(78), cases.system(("fcfs", "exp(10ms)")), requests=500_000, rows="none"
    ).summary["response_time_s"]
    assert abs(times["mean"] - 0.05) > 1.5 * times["ci95"]


@pytest.mark.parametrize(
    ("clients", "demand", "policy"),
    [(10, "exp(10ms)", "ps"), (100, "h2(10ms, cv2=8)", "fcfs"), (1, "exp(10ms)", "fcfs")],
)
def test_the_think_time_that_brings_a_load_is_the_theoretical_one(
    clients: int, demand: str, policy: str
) -> None:
    law = H2 if demand.startswith("h2") else EXP
    system = cases.system((policy, demand))
    solved = cases.closed_model(clients, "exp(1s)").at_load(system, 0.8)
    exact = theory.think_time_for_load(clients, law, 0.8, policy=policy)
    assert solved.think is not None
    assert solved.think.mean == pytest.approx(exact, rel=0.02)


def test_fewer_requests_find_a_think_time_less_finely() -> None:
    """A tenth of the requests, and three times the deviation that the test above allows."""
    system = cases.system(("fcfs", "h2(10ms, cv2=8)"))
    workload = cases.closed_model(100, "exp(1s)")
    solved = workload.at_load(system, 0.8, requests=200_000)
    assert solved.think is not None
    exact = theory.think_time_for_load(100, H2, 0.8, policy="fcfs")
    assert solved.think.mean == pytest.approx(exact, rel=0.06)
    with pytest.raises(tt.InputError, match="requests: 1000 are too few to find a think time"):
        workload.at_load(system, 0.8, requests=1000)


def test_littles_law_and_the_utilisation_law_hold_in_every_model() -> None:
    for name, (workload, system, _) in long_cases().items():
        summary = tt.simulate(workload, system, requests=300_000, warmup=10, rows="none").summary
        in_system = sum(s["queue_length_mean"] for s in summary["stations"].values())
        response = summary["response_time_s"]["mean"]
        assert in_system == pytest.approx(summary["throughput"] * response, rel=0.01), name
        for station, model in zip(summary["stations"].values(), system.stations, strict=True):
            load = summary["throughput"] * station["demand_s"]["mean"] / model.servers
            assert station["load"] == pytest.approx(load, rel=0.01), name


BY_NAME = """
name = "two kinds"
[arrivals]
model = "open"
rate = "80/s"
[[request]]
name = "item"
weight = 3
[[request]]
name = "search"
"""


@oracle
@pytest.mark.parametrize(
    "policy", ["fcfs", "ps", "pesjf", "peljf", "priority", "priority(preemptive=no)"]
)
def test_kinds_of_request_have_their_theory(policy: str) -> None:
    """Ten replications, within three standard errors of the exact value of `simulate`; and the
    first kind ranks last under priority, so that the order is visible."""
    classes = "priority.search = 1" if policy.startswith("priority") else ""
    system = tt.System(
        f'name = "s"\n[[station]]\nname = "server"\npolicy = "{policy}"\n{classes}\n'
        'demand.item = "exp(4ms)"\ndemand.search = "uniform(20ms, 30ms)"'
    )
    requests = volume(75_000, 500_000)
    result = tt.simulate(
        tt.Workload(BY_NAME), system, requests=requests, warmup=50, replications=10, rows="none"
    )
    times = result.summary["response_time_s"]
    exact = result.theory
    assert exact is not None
    assert abs(times["mean"] - exact.mean_s) < T_9 * times["ci95"] / 2.262
    assert abs(times["mean"] / exact.mean_s - 1) < 0.01 * math.sqrt(500_000 / requests)


def test_kinds_of_request_without_a_theory() -> None:
    """Sizes guessed with errors, several stations, several servers with classes."""
    one = '[[station]]\nname = "{}"\npolicy = "{}"\ndemand.item = "exp(4ms)"\n'
    all_visit = one + 'demand.search = "exp(9ms)"\n'
    stations = [
        all_visit.format("a", "pesjf(error=lognormal(mu=0, sigma=0.5))"),
        all_visit.format("a", "ps") + all_visit.format("b", "fcfs"),
        all_visit.format("a", "priority") + "priority.item = 1\nservers = 2",
    ]
    for station in stations:
        system = tt.System(f'name = "s"\n{station}')
        assert theory_for(tt.Workload(BY_NAME), system) is None, station
    skipping = tt.System(f'name = "s"\n{one.format("a", "ps")}')
    assert theory_for(tt.Workload(BY_NAME), skipping) is not None
