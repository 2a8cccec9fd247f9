"""Stations that serve in batches."""

from __future__ import annotations

import random

import cases
import polars
import pytest
from reference_batches import ends, mean_in_batches

import thinktime as tt
from thinktime.diagrams.parts import parts_of
from thinktime.results.busiest_demand import busiest_demand_s
from thinktime.theory.match import theory_for


def system(keys: str) -> tt.System:
    return tt.System(f'name = "s"\n[[station]]\nname = "x"\n{keys}\n')


@pytest.mark.parametrize("seed", range(12))
def test_a_second_implementation_agrees_to_the_nanosecond(seed: int) -> None:
    draw = random.Random(seed)
    most = draw.choice([1, 2, 3, 8, 40])
    wait = draw.choice(["0s", "1ms", "9ms", "80ms"])
    demand = draw.choice(["10ms", "exp(10ms)", "h2(10ms, cv2=6)", "uniform(0ms, 20ms)"])
    rate = draw.uniform(0.05, 0.6) * most / 0.01
    keys = f'demand = "{demand}"\nbatch = {{ max = {most}, wait = "{wait}" }}'
    result = tt.simulate(
        cases.open_model(rate), system(keys), requests=3000, warmup=0, seed=seed, rows="all"
    )
    rows = polars.DataFrame(result.requests).sort("scheduled_ns")
    arrivals = rows["scheduled_ns"].to_list()
    demands = [round(one * 1e9) for one in rows["demand_s"].to_list()]
    wait_ns = round(float(wait.removesuffix("ms").removesuffix("s")) * 1e6)
    assert ends(arrivals, demands, most, wait_ns) == rows["done_ns"].to_list()


@pytest.mark.parametrize(("most", "load"), [(1, 0.6), (3, 0.8), (8, 0.9)])
def test_constant_demands_have_baileys_mean(most: int, load: float) -> None:
    """Each case 4.4 standard errors: a false alarm in 100,000 seeds."""
    rate = load * most / 0.01
    keys = f'demand = "10ms"\nbatch = {{ max = {most} }}'
    found = tt.simulate(cases.open_model(rate), system(keys), requests=200_000)
    times = found.summary["response_time_s"]
    exact = mean_in_batches(rate, 0.01, most)
    assert times["mean"] == pytest.approx(exact, abs=4.4 / 1.96 * times["ci95"])


def test_loads_and_overloads_are_of_full_batches() -> None:
    one = system('demand = "10ms"\nbatch = { max = 4 }')
    with pytest.raises(tt.InputError, match=r"the offered load is 1\.05"):
        tt.simulate(cases.open_model(1.05 * 400), one, requests=1000)
    found = tt.simulate(cases.open_model(1), one, load=0.6, requests=20_000)
    assert found.workload.request_rate == pytest.approx(240)
    assert found.untrusted is None
    # A request alone makes the server as busy as four do.
    assert found.summary["stations"]["x"]["load"] > 0.8


def test_closed_clients_that_never_think_are_served_together() -> None:
    """The first to come is alone in a batch, and comes back when the others' begins."""
    one = system('demand = "10ms"\nbatch = { max = 8 }')
    found = tt.simulate(cases.closed_model(8, "0s"), one, duration=10, warmup=1)
    assert found.summary["throughput"] == pytest.approx(400, rel=1e-3)
    assert found.summary["response_time_s"]["mean"] == pytest.approx(0.020, rel=1e-3)


def test_requests_that_give_up_leave_nothing_behind() -> None:
    """Little's law, up to rounding, while clients withdraw what waits and what is served."""
    kinds = '[[request]]\nname = "a"\ntimeout = "25ms"\ncancel = "always"\n'
    workload = cases.workload('model = "open"\nrate = "330/s"', requests=kinds)
    one = system('demand = "exp(10ms)"\nbatch = { max = 4, wait = "3ms" }')
    found = tt.simulate(workload, one, duration=20, warmup=0, rows="all")
    assert 0.05 < found.summary["timeouts"] / found.summary["requests"] < 0.98
    rows, end = polars.DataFrame(found.requests), 20 * 10**9
    spent = (rows["done_ns"].clip(0, end) - rows["scheduled_ns"].clip(0, end)).sum()
    number = found.summary["stations"]["x"]["queue_length_mean"]
    assert number == pytest.approx(spent / end, rel=1e-9)


def test_no_formula_of_a_plain_station_is_shown() -> None:
    one = system('demand = "exp(10ms)"\nbatch = { max = 4 }')
    assert theory_for(cases.open_model(50), one) is None
    assert theory_for(cases.closed_model(3, "exp(1s)"), one) is None
    assert busiest_demand_s(one) is None
    assert not one.stations[0].steady


def test_diagrams_say_what_it_does() -> None:
    one = system('demand = "10ms"\nbatch = { max = 4, wait = "2ms" }')
    facts = " ".join(fact for part in parts_of(one.tables) for fact in part.facts)
    assert "up to 4 together, after a wait of 2.00 ms" in facts


def test_a_server_of_a_cluster_is_such_a_station() -> None:
    keys = 'name = "x"\ndemand = "exp(10ms)"\nbatch = { max = 3, wait = "4ms" }\n'
    alone = tt.System(f'name = "s"\n[[station]]\n{keys}')
    cluster = tt.System(
        'name = "s"\n[[cluster]]\nname = "web"\nservers = 1\ndispatch = "round-robin"\n'
        f"[[cluster.station]]\n{keys}"
    )
    one, other = (
        tt.simulate(cases.open_model(150), model, requests=2000, warmup=0).summary
        for model in (alone, cluster)
    )
    assert one["response_time_s"]["mean"] == other["response_time_s"]["mean"]
