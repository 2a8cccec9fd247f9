"""Stations whose speed varies: in simulations, in loads, and wherever a formula would be wrong.

Exact means are in `crates/core/src/system/station/engine/pace/tests.rs` and
`test_theory_varying_speed.py`, and another implementation in `test_two_implementations.py`.
"""

from __future__ import annotations

import cases
import polars
import pytest

import thinktime as tt
from thinktime.results.busiest_demand import busiest_demand_s
from thinktime.theory._demands import exact_loads
from thinktime.theory.match import Theory, theory_or_reason

DEMAND_S = 0.01
RATE = 'rate = "table(1, 1.5, 2)"'
FAILURE = 'failure = { after = "exp(300ms)", repair = "exp(100ms)" }'
SETUP = 'setup = "exp(30ms)"'
VARIETIES = [
    RATE,
    FAILURE,
    FAILURE.replace(" }", ', clock = "work" }'),
    SETUP,
    f'{SETUP}\nidle_for = "20ms"',
    f"{RATE}\n{FAILURE}\n{SETUP}",
]


def system(keys: str, more: str = "") -> tt.System:
    return tt.System(f'name = "s"\n[[station]]\nname = "x"\ndemand = "exp(10ms)"\n{keys}\n{more}')


@pytest.mark.parametrize("keys", VARIETIES)
@pytest.mark.parametrize("policy", ["las", "rr(5ms)"])
def test_no_formula_of_a_steady_station_is_shown(keys: str, policy: str) -> None:
    one = system(f'{keys}\npolicy = "{policy}"')
    for workload in (cases.open_model(20), cases.closed_model(3, "exp(1s)")):
        assert not isinstance(theory_or_reason(workload, one), Theory)
    assert exact_loads(cases.open_model(20), one) is None
    assert busiest_demand_s(one) is None
    assert not one.stations[0].steady


@pytest.mark.parametrize(
    ("keys", "speed"),
    [
        (RATE, 2.0),
        ('servers = 4\nrate = "table(3, 1)"', 1.0),
        (FAILURE, 0.75),
        (f"servers = 2\n{FAILURE}", 1.5),
        (f"{RATE}\n{FAILURE}", 1.5),
        (SETUP, 1.0),
    ],
)
def test_overloads_are_of_the_speed_in_the_long_run(keys: str, speed: float) -> None:
    for policy in ("fcfs", "ps"):
        one = system(f'{keys}\npolicy = "{policy}"')
        with pytest.raises(tt.InputError, match=r"the offered load is 1\.05"):
            tt.simulate(cases.open_model(1.05 * speed / DEMAND_S), one, requests=1000)
        found = tt.simulate(cases.open_model(0.9 * speed / DEMAND_S), one, requests=1000)
        assert found.summary["requests"] == 1000


@pytest.mark.parametrize("keys", VARIETIES)
def test_a_load_is_of_that_speed_and_is_not_the_time_with_work(keys: str) -> None:
    one = system(keys)
    speed = (2 if "table" in keys else 1) * (0.75 if "failure" in keys else 1)
    found = tt.simulate(cases.open_model(1), one, load=0.6, requests=20_000)
    assert found.workload.request_rate == pytest.approx(0.6 * speed / DEMAND_S)
    # It has work for longer than that, unless it only fails at work: then repairs are in both.
    load = found.summary["stations"]["x"]["load"]
    assert load == pytest.approx(0.6, abs=0.05) if "work" in keys else load > 0.62
    (check,) = [one for one in found.validity if one.name == "load"]
    assert "the speed of a station varies" in check.found
    assert found.untrusted is None


def test_the_think_time_is_found_that_brings_closed_clients_to_a_load() -> None:
    workload = cases.closed_model(20, "exp(1s)")
    found = tt.simulate(workload, system(RATE), load=0.7, requests=100_000)
    # The load is the throughput times the demand by the speed in the long run.
    assert found.summary["throughput"] * DEMAND_S / 2 == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("policy", ["fcfs", "ps", "srpt", "las", "rr(3ms)"])
@pytest.mark.parametrize("keys", VARIETIES)
def test_requests_that_give_up_leave_nothing_behind(keys: str, policy: str) -> None:
    """Little's law, up to rounding, while clients withdraw what waits and what is served."""
    kinds = '[[request]]\nname = "a"\ntimeout = "40ms"\ncancel = "always"\n'
    workload = cases.workload('model = "open"\nrate = "90/s"', requests=kinds)
    found = tt.simulate(
        workload, system(f'{keys}\npolicy = "{policy}"'), duration=20, warmup=0, rows="all"
    )
    assert 0.005 < found.summary["timeouts"] / found.summary["requests"] < 0.98
    rows, end = polars.DataFrame(found.requests), 20 * 10**9
    spent = (rows["done_ns"].clip(0, end) - rows["scheduled_ns"].clip(0, end)).sum()
    number = found.summary["stations"]["x"]["queue_length_mean"]
    assert number == pytest.approx(spent / end, rel=1e-9)


def test_a_server_of_a_cluster_is_such_a_station() -> None:
    keys = (
        'name = "x"\ndemand = "exp(10ms)"\npolicy = "ps"\nrate = "table(1, 0.8)"\n'
        'failure = { after = "70ms", repair = "9ms" }\nsetup = "4ms"\n'
    )
    alone = tt.System(f'name = "s"\n[[station]]\n{keys}')
    cluster = tt.System(
        'name = "s"\n[[cluster]]\nname = "web"\nservers = 1\ndispatch = "round-robin"\n'
        f"[[cluster.station]]\n{keys}"
    )
    one, other = (
        tt.simulate(cases.open_model(50), system, requests=2000, warmup=0).summary
        for system in (alone, cluster)
    )
    assert one["response_time_s"]["mean"] == other["response_time_s"]["mean"]
    of_many = system("").with_value("station.x.servers", "2")
    assert of_many.stations[0].steady


def test_a_cluster_whose_servers_fail_is_refused_at_the_load_that_they_can_carry() -> None:
    text = (
        'name = "s"\n[[cluster]]\nname = "web"\nservers = 3\ndispatch = "round-robin"\n'
        f'[[cluster.station]]\nname = "x"\ndemand = "exp(10ms)"\n{FAILURE}\n'
    )
    with pytest.raises(tt.InputError, match=r"the offered load is 1\.1"):
        tt.simulate(cases.open_model(1.1 * 3 * 0.75 / DEMAND_S), tt.System(text), requests=1000)


def test_a_server_that_burns_has_one_speed() -> None:
    with pytest.raises(tt.InputError, match="all the time: leave out batch, rate, failure"):
        tt.serve(system(RATE), burn=True)


def test_a_server_serves_at_these_speeds() -> None:
    """A request alone takes its demand by the first speed, after a setup of 80 ms."""
    text = (
        'name = "s"\n[[station]]\nname = "x"\ndemand = "20ms"\nrate = "table(0.5)"\n'
        'setup = "80ms"\n'
    )
    with tt.serve(tt.System(text)) as server:
        workload = cases.workload(
            'model = "closed"\nclients = 1\n[session]\nthink = "30ms"',
            requests='[[request]]\nname = "request"\nget = "/"\n',
        )
        found = tt.run(workload, server.url, requests=5)
    assert found.summary["response_time_s"]["min"] >= 0.12


def test_failures_and_setups_are_the_same_whatever_the_workload_draws() -> None:
    """They have streams of their own: a station that is never empty fails at the same times."""
    one = system('failure = { after = "exp(1s)", repair = "exp(1s)" }')

    def repaired(think: str) -> list[float]:
        """The ends of long repairs, in seconds, each with the rest of a demand."""
        found = tt.simulate(cases.closed_model(40, think), one, duration=60, warmup=0, rows="all")
        done = polars.DataFrame(found.requests)["done_ns"].sort()
        return (done.filter(done.diff().fill_null(0) > 5 * 10**8) / 1e9).to_list()

    assert len(repaired("exp(1ms)")) > 5
    assert repaired("exp(1ms)") == pytest.approx(repaired("uniform(0s, 2ms)"), abs=0.15)
