"""Exact means of a station whose speed varies, by Markov chains, other formulas, simulations."""

from __future__ import annotations

import math
from collections.abc import Callable

import cases
import numpy as np
import pytest

import thinktime as tt
from thinktime import theory
from thinktime.theory.match import theory_for, theory_or_reason

approx = pytest.approx

LAMBDA, MU = 50.0, 100.0
MOST = 600
"""At a load of at most 0.8 more requests are there with a probability below 1e-50."""

Rates = Callable[[int, int], dict[tuple[int, int], float]]


def mean_number(modes: int, rates: Rates, most: int = MOST) -> tuple[float, float]:
    """The mean number present, and P(n > 0), of a Markov chain on (number, mode), solved at once.

    ``rates(n, mode)`` gives the rate of each change from a state.
    """
    size = (most + 1) * modes
    generator = np.zeros((size, size))
    for n in range(most + 1):
        for mode in range(modes):
            for (to, other), rate in rates(n, mode).items():
                if to <= most and rate > 0:
                    generator[n * modes + mode, to * modes + other] += rate
                    generator[n * modes + mode, n * modes + mode] -= rate
    generator[:, 0] = 1.0  # in place of one equation: the shares sum to 1
    right = np.zeros(size)
    right[0] = 1.0
    shares = np.linalg.solve(generator.T, right).reshape(most + 1, modes).sum(axis=1)
    return float(shares @ np.arange(most + 1)), float(1 - shares[0])


def system(keys: str) -> tt.System:
    return tt.System(f'name = "s"\n[[station]]\nname = "x"\n{keys}\n')


def found(keys: str, workload: tt.Workload | None = None) -> theory.match.Theory:
    exact = theory_or_reason(workload or cases.open_model(LAMBDA), system(keys))
    assert isinstance(exact, theory.match.Theory), exact
    return exact


# ---- against Markov chains that know nothing of the formulas


def test_speeds_by_number():
    speeds = [1.5, 0.7, 0.9]

    def rates(n: int, _mode: int) -> dict[tuple[int, int], float]:
        speed = speeds[min(n, 3) - 1] if n else 0.0
        return {(n + 1, 0): LAMBDA, (max(n - 1, 0), 0): MU * speed if n else 0.0}

    number, busy = mean_number(1, rates)
    for policy in ("fcfs", "lcfs", "siro", "plcfs", "ps"):
        exact = found(f'demand = "exp(10ms)"\npolicy = "{policy}"\nrate = "table(1.5, 0.7, 0.9)"')
        assert exact.in_system == approx(number, rel=1e-9)
        assert exact.load == approx(busy, rel=1e-9)
        assert exact.law is None
    # Of three servers as many are busy as there are requests, up to three.
    three = found('demand = "exp(10ms)"\nservers = 3\nrate = "table(1.5, 0.7, 0.9)"')
    assert three.in_system == approx(number, rel=1e-9)
    assert busy / 3 < three.load < busy


def test_closed_clients_at_speeds():
    speeds, clients, think = [1.0, 1.6, 1.2], 7, 0.05

    def rates(n: int, _mode: int) -> dict[tuple[int, int], float]:
        speed = speeds[min(n, 3) - 1] if n else 0.0
        return {(n + 1, 0): (clients - n) / think, (max(n - 1, 0), 0): MU * speed}

    number, busy = mean_number(1, rates, clients)
    keys = 'demand = "h2(10ms, cv2=6)"\npolicy = "ps"\nrate = "table(1, 1.6, 1.2)"'
    exact = found(keys, cases.closed_model(clients, "50ms"))
    assert exact.in_system == approx(number, rel=1e-9)
    assert exact.throughput == approx((clients - number) / think, rel=1e-9)
    assert exact.load == approx(busy, rel=1e-9)
    busiest = found(keys, cases.closed_model(clients, "0s"))
    assert busiest.throughput == approx(120.0)
    assert busiest.mean_s == approx(clients / 120.0)


SETUP_RATE, IDLE_RATE = 40.0, 25.0


@pytest.mark.parametrize("stays", [False, True])
def test_setups(stays: bool):
    """Modes: 0 on, 1 off or in its setup."""

    def rates(n: int, mode: int) -> dict[tuple[int, int], float]:
        after = {(n + 1, mode): LAMBDA}
        if mode == 1:
            return after | {(n, 0): SETUP_RATE if n else 0.0}
        if n == 0:
            return after | {(0, 1): IDLE_RATE}
        return after | {(n - 1, 0 if n > 1 or stays else 1): MU}

    number, busy = mean_number(2, rates)
    idle = '\nidle_for = "exp(40ms)"' if stays else ""
    for policy in ("fcfs", "lcfs", "siro", "ps", "plcfs"):
        keys = f'demand = "exp(10ms)"\npolicy = "{policy}"\nsetup = "exp(25ms)"{idle}'
        assert found(keys).in_system == approx(number, rel=1e-9)
        assert found(keys).load == approx(busy, rel=1e-9)


FAILURE_RATE, REPAIR_RATE = 4.0, 20.0


@pytest.mark.parametrize("clock", ["time", "work"])
@pytest.mark.parametrize("stages", [1, 3])
def test_failures(clock: str, stages: int):
    """Modes: 0 up, k with k stages of the repair left."""

    def rates(n: int, mode: int) -> dict[tuple[int, int], float]:
        after = {(n + 1, mode): LAMBDA}
        if mode > 0:
            return after | {(n, mode - 1): REPAIR_RATE * stages}
        fails = FAILURE_RATE if n or clock == "time" else 0.0
        return after | {(n, stages): fails} | ({(n - 1, 0): MU} if n else {})

    number, busy = mean_number(1 + stages, rates)
    repair = "exp(50ms)" if stages == 1 else "erlang(3, 50ms)"
    failure = f'failure = {{ after = "exp(250ms)", repair = "{repair}", clock = "{clock}" }}'
    for policy in ("fcfs", "siro", "ps"):
        exact = found(f'demand = "exp(10ms)"\npolicy = "{policy}"\n{failure}')
        assert exact.in_system == approx(number, rel=1e-6)
        assert exact.load == approx(busy, rel=1e-6)


# ---- against formulas of stations at one speed


def test_the_speeds_of_the_servers_are_erlangs_station():
    for rate, servers in ((230.0, 3), (90.0, 1)):
        speeds = [float(n) for n in range(1, servers + 1)]
        mine = theory.open_at_speeds(rate, 0.01, speeds, servers)
        assert mine.mean_response == approx(theory.mmc_response(rate, 0.01, servers).mean)
        assert mine.busy_servers == approx(rate * 0.01)
        many = theory.open_at_speeds(rate, 0.01, [float(servers)], servers)
        assert many.mean_response < mine.mean_response or servers == 1


def test_closed_clients_at_one_speed_are_mean_value_analysis():
    network = theory.mva(12, [theory.Station(0.01, 4)], think_time=0.02)
    mine = theory.closed_at_speeds(12, 0.01, [1, 2, 3, 4], 0.02, 4)
    assert mine.mean_response == approx(float(network.response_time[-1]))
    assert mine.throughput == approx(float(network.throughput[-1]))
    assert mine.busy_servers == approx(mine.throughput * 0.01)
    # Thousands of clients: the weights span more than a double holds.
    many = theory.closed_at_speeds(5000, 0.01, [1.0], 0.001)
    assert many.throughput == approx(100.0)


def test_no_delay_is_pollaczek_khinchine():
    demand = theory.Hyperexponential.balanced(0.01, 8)
    never = theory.Delay(0.0, 0.0)
    mean = theory.delayed_mean_response(60, demand, never)
    assert mean == approx(theory.mg1_mean_response(60, demand))
    assert theory.delayed_busy_share(60, 0.01, never) == approx(0.6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: theory.open_at_speeds(100, 0.01, [1.0]),
        lambda: theory.open_at_speeds(50, 0.01, []),
        lambda: theory.open_at_speeds(50, 0.01, [1.0, 0.0]),
        lambda: theory.closed_at_speeds(0, 0.01, [1.0], 1.0),
        lambda: theory.closed_at_speeds(3, 0.01, [1.0], -1.0),
        lambda: theory.delayed_mean_response(100, theory.Deterministic(0.01), theory.Delay(1, 1)),
        lambda: theory.interrupted_demand(theory.Deterministic(1), 0.0, theory.Deterministic(1)),
    ],
)
def test_values_without_a_steady_state_are_refused(call: Callable[[], object]):
    with pytest.raises(ValueError, match=r"must|give"):
        call()


# ---- against simulations

SIMULATED = [
    ('demand = "h2(10ms, cv2=5)"\npolicy = "ps"\nrate = "table(1, 1.4, 1.1)"', 0.7),
    ('demand = "uniform(2ms, 18ms)"\npolicy = "plcfs"\nrate = "table(0.6, 1.3)"', 0.7),
    ('demand = "erlang(4, 10ms)"\nsetup = "20ms"\nidle_for = "15ms"', 0.5),
    ('demand = "h2(10ms, cv2=3)"\npolicy = "siro"\nsetup = "uniform(0ms, 80ms)"', 0.6),
    (
        'demand = "10ms"\nfailure = { after = "exp(400ms)", repair = "uniform(20ms, 120ms)" }',
        0.6,
    ),
    (
        'demand = "gamma(shape=0.5, scale=20ms)"\npolicy = "lcfs"\n'
        'failure = { after = "exp(300ms)", repair = "30ms", clock = "work" }',
        0.6,
    ),
]


def mean_and_error(result: tt.Result) -> tuple[float, float]:
    """The mean response time of ten replications, and its standard error."""
    times = result.summary["response_time_s"]
    return times["mean"], times["ci95"] / 2.262


@pytest.mark.parametrize(("keys", "load"), SIMULATED)
def test_simulations_have_these_means(keys: str, load: float):
    """Five standard errors of ten independent replications: a false alarm has a probability below
    1e-3 (Student's law, 9 degrees of freedom), and the seed is fixed.
    """
    one = system(keys)
    exact = theory_for(cases.open_model(1), one, load=load)
    workload = cases.open_model(exact.throughput)
    result = tt.simulate(workload, one, requests=60_000, replications=10, seed=11)
    mean, error = mean_and_error(result)
    assert abs(mean - exact.mean_s) < 5 * error
    assert error < 0.03 * exact.mean_s
    assert result.summary["stations"]["x"]["load"] == approx(exact.load, abs=0.02)
    assert result.theory is not None
    assert result.theory.mean_s == approx(exact.mean_s)


def test_partly_open_sessions_at_speeds_are_an_open_station_of_the_same_rate():
    keys = 'demand = "exp(10ms)"\nrate = "table(1, 1.5)"'
    sessions = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "20/s"\n'
        '[session]\nrequests = "geometric(4)"\nthink = "exp(200ms)"\n[[request]]\nname = "r"\n'
    )
    exact = found(keys, sessions)
    assert exact.mean_s == approx(found(keys, cases.open_model(80)).mean_s)
    result = tt.simulate(sessions, system(keys), requests=60_000, replications=10, seed=5)
    mean, error = mean_and_error(result)
    assert abs(mean - exact.mean_s) < 5 * error


# ---- no formula


@pytest.mark.parametrize(
    "keys",
    [
        'demand = "h2(10ms, cv2=4)"\nrate = "table(1, 1.5)"',  # FCFS needs exponential demands
        'demand = "h2(10ms, cv2=4)"\npolicy = "ps"\nsetup = "20ms"',
        'demand = "exp(10ms)"\npolicy = "srpt"\nsetup = "20ms"',
        'demand = "exp(10ms)"\nservers = 2\nsetup = "20ms"',
        'demand = "exp(10ms)"\nfailure = { after = "300ms", repair = "exp(20ms)" }',
        'demand = "exp(10ms)"\nrate = "table(1, 2)"\nsetup = "20ms"',
        'demand = "exp(10ms)"\nsetup = "20ms"\nfailure = { after = "exp(1s)", repair = "1ms" }',
        'demand = "exp(10ms)"\nrate = "table(1, 2)"\nqueue_limit = 5',
        'demand = "exp(10ms)"\n'
        'failure = { after = "exp(1s)", repair = "pareto(shape=1.5, scale=9ms)" }',
    ],
)
def test_other_stations_have_no_formula(keys: str):
    assert theory_or_reason(cases.open_model(LAMBDA), system(keys)) is None


def test_a_station_behind_a_limiter_has_none():
    limited = system(
        'demand = "exp(10ms)"\nrate = "table(1, 2)"\n[[limiter]]\nname = "l"\nrate = "60/s"'
    )
    assert theory_or_reason(cases.open_model(LAMBDA), limited) is None


def test_sessions_of_several_requests_have_none_behind_setups():
    sessions = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "20/s"\n'
        '[session]\nrequests = "geometric(2)"\nthink = "0s"\n[[request]]\nname = "r"\n'
    )
    assert theory_or_reason(sessions, system('demand = "exp(10ms)"\nsetup = "20ms"')) is None


def test_what_never_ends_is_said():
    keys = 'demand = "exp(10ms)"\npolicy = "plcfs"\nrate = "table(1, 2)"'
    assert "never served" in str(theory_or_reason(cases.closed_model(3, "0s"), system(keys)))
    keys = 'demand = "10ms"\nrate = "table(1, 2)"\npolicy = "ps"'
    assert "in step" in str(theory_or_reason(cases.closed_model(3, "50ms"), system(keys)))
    assert math.isclose(found(keys).mean_s, found(keys.replace("10ms", "exp(10ms)")).mean_s)
