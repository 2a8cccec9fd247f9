"""Networks, pools and full queues against their theory.

With fixed seeds, within `WIDE` standard errors of the means of 10 independent replications.
"""

from __future__ import annotations

import math
import statistics

import pytest
from test_networks import FORK, behaviour, station, table

import thinktime as tt
from thinktime import theory

WIDE = 4.5
"""Standard errors allowed. Student's t with 9 degrees of freedom is beyond 4.5 with probability
1.5e-3, which is the false-alarm probability of a check, were the seeds not fixed."""


def means(workload: str, system: str, requests: int) -> list[float]:
    result = tt.simulate(
        tt.Workload(f'name = "w"\n{workload}'),
        tt.System(f'name = "s"\n{system}'),
        requests=requests,
        warmup=20,
        replications=10,
        rows="none",
    )
    found: list[float] = result.summary["replication_means_s"]
    return found


def assert_mean(found: list[float], exact: float) -> None:
    error = statistics.stdev(found) / math.sqrt(len(found))
    assert error < 0.02 * exact  # otherwise it proves nothing
    assert abs(statistics.fmean(found) - exact) < WIDE * error


POISSON = '[arrivals]\nmodel = "open"\nrate = {}\n'


def test_a_pool_with_a_delay_inside_is_m_m_c() -> None:
    steps = '{acquire="p"}, {delay="exp(100ms)"}, {release="p"}'
    text = station() + table("pool", name="p", size=4) + behaviour(steps)
    exact = theory.mmc_response(30, 0.1, 4).mean
    assert_mean(means(POISSON.format(30), text, 100_000), exact)


@pytest.mark.parametrize("servers", [1, 3])
def test_blocking_of_m_m_c_k(servers: int) -> None:
    """Erlang: p_K from the birth-death equations; also the view of admitted requests."""
    rate, mean, room = 1.2 * servers, 1.0, 4
    weights = [1.0]
    for number in range(1, servers + room + 1):
        weights.append(weights[-1] * rate * mean / min(number, servers))
    shares = [weight / sum(weights) for weight in weights]
    text = station(servers=servers, demand="exp(1s)", queue_limit=room)
    found = [
        tt.simulate(
            tt.Workload(f'name = "w"\nseed = {seed}\n{POISSON.format(rate)}'),
            tt.System(f'name = "s"\n{text}'),
            duration=60_000 / rate,
            warmup=100,
            rows="none",
        ).summary
        for seed in range(10)
    ]
    assert_mean([one["errors"] / one["requests"] for one in found], shares[-1])
    present = math.fsum(at * share for at, share in enumerate(shares))
    assert_mean([one["stations"]["x"]["queue_length_mean"] for one in found], present)
    assert_mean(
        [one["response_time_s"]["mean"] for one in found], present / rate / (1 - shares[-1])
    )


def test_fork_and_join_of_two_m_m_1() -> None:
    """E[T] = (12 - rho) / 8 x 1 / (mu - lambda), exact for two (Nelson and Tantawi, 1988)."""
    text = station(demand="exp(100ms)") + station("y", demand="exp(100ms)") + behaviour(FORK)
    for load in (0.3, 0.7):
        exact = (12 - load) / 8 / (10 - 10 * load)
        assert_mean(means(POISSON.format(10 * load), text, 100_000), exact)


def test_an_open_product_form_network() -> None:
    """Jackson: a sum of M/M/1 and M/M/c; ps and plcfs stations may have any law (BCMP)."""
    stations = (
        station("a", policy="ps", demand="h2(20ms, cv2=4)")
        + station("b", demand="exp(100ms)", servers=4)
        + station("c", policy="plcfs", demand="uniform(0s, 40ms)")
    )
    # a twice, with its mean halved: the visits count together. A delay adds its mean.
    steps = '{use="a", demand="h2(10ms, cv2=4)"}, {use="b"}, {delay="50ms"}, {use="c"}, '
    steps += '{use="a", demand="h2(10ms, cv2=4)"}'
    exact = 0.02 / (1 - 30 * 0.02) + theory.mmc_response(30, 0.1, 4).mean + 0.05
    exact += 0.02 / (1 - 30 * 0.02)
    assert_mean(means(POISSON.format(30), stations + behaviour(steps), 100_000), exact)


@pytest.mark.parametrize("policy", ["ps", "plcfs"])
def test_a_closed_product_form_network(policy: str) -> None:
    text = (
        station("a", policy=policy, demand="h2(10ms, cv2=5)")
        + station("b", demand="exp(6ms)")
        + behaviour('{use="a"}, {delay="exp(30ms)"}, {use="b"}')
    )
    closed = '[arrivals]\nmodel = "closed"\nclients = 8\n[session]\nthink = "exp(20ms)"\n'
    solved = theory.mva(8, [theory.Station(0.010), theory.Station(0.006)], think_time=0.05)
    assert_mean(means(closed, text, 60_000), solved.response_time[-1] + 0.03)


def test_a_queue_with_a_limit_has_a_steady_state_at_any_load() -> None:
    text = station(demand="exp(1s)", queue_limit=4)
    assert len(means(POISSON.format(1.2), text, 1000)) == 10
