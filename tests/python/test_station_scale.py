"""Stations whose number of servers changes, against Markov chains and a second implementation.

Schedules made by hand, and mistakes in files, are in
`crates/core/src/system/station/scale/tests.rs`.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import cases
import numpy
import polars
import pytest
import reference_scale
import typer

import thinktime as tt
from thinktime.cli import app, option_names
from thinktime.sweeps.row import row_of

DEMAND_S = 0.01
ALPHA_LIMIT = 4.9 / 2.093
"""Half-widths of 95 % that a mean may be off: with 20 replications Student's law has 19 degrees of
freedom, and a false alarm the probability 1e-4. Seeds are fixed."""


def system(scale: str, more: str = "", demand: str = "exp(10ms)") -> tt.System:
    return tt.System(
        f'name = "s"\n[[station]]\nname = "x"\ndemand = "{demand}"\nscale = {{ {scale} }}\n{more}'
    )


# ---- servers that requests turn on


def chain_of_setups(rate: float, k: int, setup_s: float) -> tuple[float, float, float]:
    """The mean response time, servers and setups of M/M/k/setup: the stationary law of the chain
    of (servers on, requests), cut where hardly a request comes to. With n requests and i servers
    on, all busy, min(n, k) - i are set up (Gandhi et al. 2013, section 3)."""
    most = k + 250
    states = [(i, n) for i in range(k + 1) for n in range(i, most + 1)]
    place = {state: at for at, state in enumerate(states)}
    rows, columns, rates = [], [], []

    def add(state: tuple[int, int], to: tuple[int, int], speed: float) -> None:
        if speed > 0 and to in place:
            rows.extend((place[to], place[state]))
            columns.extend((place[state], place[state]))
            rates.extend((speed, -speed))

    for i, n in states:
        add((i, n), (i, n + 1), rate)
        add((i, n), (min(i, n - 1), n - 1), i / DEMAND_S)
        add((i, n), (i + 1, n), (min(n, k) - i) / setup_s)
    law = stationary(len(states), rows, columns, rates)
    number = sum(p * n for p, (_, n) in zip(law, states, strict=True))
    servers = sum(p * i for p, (i, _) in zip(law, states, strict=True))
    setups = sum(p * (min(n, k) - i) for p, (i, n) in zip(law, states, strict=True))
    return number / rate, servers, setups


def stationary(
    number: int, rows: list[int], columns: list[int], rates: list[float]
) -> numpy.ndarray:
    """The law of a chain with this transposed generator: its null vector, of sum 1."""
    generator = numpy.zeros((number, number))
    numpy.add.at(generator, (rows, columns), rates)
    generator[0] = 1.0
    wanted = numpy.zeros(number)
    wanted[0] = 1.0
    return numpy.linalg.solve(generator, wanted)


@pytest.mark.parametrize("load", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("setup_s", [0.002, 0.05])
@pytest.mark.parametrize("k", [1, 4])
def test_setups_of_servers_have_the_means_of_their_chain(
    k: int, setup_s: float, load: float
) -> None:
    rate = load * k / DEMAND_S
    response_s, servers, setups = chain_of_setups(rate, k, setup_s)
    if k == 1:  # Welch 1964
        assert response_s == pytest.approx(1 / (1 / DEMAND_S - rate) + setup_s, rel=1e-6)
    one = system(f'on = "requests", to = {k}, delay = "exp({setup_s}s)"')
    found = tt.simulate(cases.open_model(rate), one, requests=20_000, replications=20).summary
    times, station = found["response_time_s"], found["stations"]["x"]
    assert abs(times["mean"] - response_s) < ALPHA_LIMIT * times["ci95"]
    assert ALPHA_LIMIT * times["ci95"] < 0.1 * response_s
    assert station["scale"]["servers_mean"] == pytest.approx(servers, rel=0.02)
    assert station["scale"]["setups_mean"] == pytest.approx(setups, rel=0.1)


def test_one_server_that_waits_is_a_station_with_setup_and_idle_for() -> None:
    """The same requests and times of setups: every departure is the same."""
    scale = system('on = "requests", to = 1, delay = "30ms", wait = "20ms"')
    text = 'name = "s"\n[[station]]\nname = "x"\ndemand = "exp(10ms)"\nsetup = "30ms"\n'
    setup = tt.System(f'{text}idle_for = "20ms"\n')
    one, other = (
        polars.DataFrame(
            tt.simulate(cases.open_model(40), each, requests=3000, rows="all").requests
        )
        for each in (scale, setup)
    )
    assert one["done_ns"].to_list() == other["done_ns"].to_list()


# ---- an autoscaler

RULES = [
    ('from = 2, to = 12, target = 0.6, every = "5s", wait = "20s", delay = "7s"', 2, 12),
    ('to = 6, target = 0.75, tolerance = 0.2, every = "2s", wait = "0s"', 1, 6),
    ('to = 20, target = 0.4, tolerance = 0, every = "1s", wait = "3s", delay = "2500ms"', 1, 20),
]
NUMBERS = [
    ("0.6", "0.1", 5, 20, 7),
    ("0.75", "0.2", 2, 0, 0),
    ("0.4", "0", 1, 3, 2.5),
]


@pytest.mark.parametrize("pool", ["", '[[pool]]\nname = "unused"\nsize = 1\n'])
@pytest.mark.parametrize(("rule", "numbers"), list(zip(RULES, NUMBERS, strict=True)))
@pytest.mark.parametrize("demand", ["exp(100ms)", "h2(100ms, cv2=20)"])
def test_an_autoscaler_has_the_departures_of_another_implementation(
    demand: str,
    rule: tuple[str, int, int],
    numbers: tuple[str, str, float, float, float],
    pool: str,
) -> None:
    """Each to the nanosecond; with a pool the general engine simulates."""
    text, least, most = rule
    target, tolerance, *times_s = numbers
    profile = "steps(0s: 0.1, 60s: 1, 110s: 0.05, 170s: 0.4, 200s: 0.02)"
    found = tt.simulate(
        cases.open_model(50, profile=profile),
        system(f'on = "load", {text}', pool, demand),
        duration=300,
        warmup=0,
        rows="all",
    )
    demand_ns = (polars.col("demand_s") * 1e9).round().cast(polars.Int64)
    frame = polars.DataFrame(found.requests).sort("scheduled_ns", "session")
    every, wait, delay = (round(time * 1e9) for time in times_s)
    slow = reference_scale.Autoscaled(
        reference_scale.Rule(least, most, Fraction(target), Fraction(tolerance), every, wait, delay)
    )
    jobs = list(frame.select("scheduled_ns", demand_ns).iter_rows())
    assert frame["done_ns"].to_list() == slow.play(jobs)
    numbers_of = [number for _, number in slow.changes]
    assert max(numbers_of) > least + 3, "the load changes the number"
    assert sum(b < a for a, b in itertools.pairwise(numbers_of)) > 1
    scale = found.summary["stations"]["x"]["scale"]
    # The last request leaves before the end, at which one more look may have been.
    assert scale["servers_mean"] * 300 == pytest.approx(slow.there / 1e9, rel=0.05)
    (note,) = [one for one in found.summary["notes"] if "servers on average" in one]
    assert f"`x` had {scale['servers_mean']:.3f} servers on average" in note


# ---- bounds


def times_of(one: tt.System, **more: str) -> list[int]:
    workload = cases.open_model(350, **more)
    found = tt.simulate(workload, one, requests=4000, warmup=0, rows="all")
    return polars.DataFrame(found.requests)["done_ns"].to_list()


def test_bounds_that_are_equal_are_that_many_servers() -> None:
    fixed = tt.System(
        'name = "s"\n[[station]]\nname = "x"\ndemand = "exp(10ms)"\nservers = 4\nqueue_limit = 3\n'
    )
    same = ['on = "load", from = 4, to = 4', 'on = "requests", from = 4, to = 4']
    for scale in (*same, 'on = "time", plan = "steps(0s: 4)"', 'on = "requests", to = 4'):
        assert times_of(system(scale, "queue_limit = 3\n")) == times_of(fixed)


def test_the_means_are_those_of_the_measured_time() -> None:
    """A plan that the simulated time passes, also while nobody is there."""
    one = system('on = "time", plan = "steps(0s: 1, 10s: 3, 30s: 2)"')
    found = tt.simulate(
        cases.open_model(20, profile="steps(0s: 1, 12s: 0, 39s: 1)"), one, warmup=5, duration=40
    )
    assert found.summary["duration_s"] == pytest.approx(35)
    scale = found.summary["stations"]["x"]["scale"]
    # From 5 to 40 s.
    assert scale["servers_mean"] == pytest.approx((5 * 1 + 20 * 3 + 10 * 2) / 35)
    assert (scale["additions"], scale["removals"], scale["setups_mean"]) == (2, 1, 0)


def test_an_offered_load_is_of_the_most_servers() -> None:
    one = system('on = "load", to = 3')
    assert one.stations[0].servers == 3
    assert not one.stations[0].steady
    with pytest.raises(tt.InputError, match=r"the offered load is 1\.05"):
        tt.simulate(cases.open_model(315), one, requests=1000)
    assert tt.simulate(cases.open_model(20), one, requests=1000).theory is None


def test_requests_that_give_up_leave_nothing_behind() -> None:
    """Little's law, up to rounding, while clients withdraw what waits and what is served."""
    kinds = '[[request]]\nname = "a"\ntimeout = "40ms"\ncancel = "always"\n'
    workload = cases.workload('model = "open"\nrate = "150/s"', requests=kinds)
    load = 'on = "load", to = 3, every = "100ms", wait = "200ms", delay = "50ms"'
    for scale in (load, 'on = "requests", to = 3, delay = "exp(20ms)"'):
        for policy in ("fcfs", "srpt", "rr(3ms)", "plcfs"):
            one = system(scale, f'policy = "{policy}"\n')
            found = tt.simulate(workload, one, duration=20, warmup=0, rows="all")
            assert 0.005 < found.summary["timeouts"] / found.summary["requests"] < 0.98
            rows, end = polars.DataFrame(found.requests), 20 * 10**9
            spent = (rows["done_ns"].clip(0, end) - rows["scheduled_ns"].clip(0, end)).sum()
            number = found.summary["stations"]["x"]["queue_length_mean"]
            assert number == pytest.approx(spent / end, rel=1e-9)


def test_a_warm_up_lasts_until_servers_are_there() -> None:
    """2 of 4 busy servers: a third one takes its first request at 45 s at the earliest."""
    one = system('on = "load", from = 2, to = 10, target = 0.6, delay = "30s"', demand="exp(100ms)")
    assert tt.simulate(cases.open_model(40), one, requests=200_000).summary["warmup_s"] > 45


def test_the_value_of_a_sweep_names_the_key_that_it_spoils() -> None:
    one = system('on = "load", from = 2, to = 3')
    with pytest.raises(tt.InputError, match=r"scale\.to = 1: scale\.from: must be at most `to`"):
        one.with_value("station.x.scale.to", "1")
    with pytest.raises(tt.InputError, match=r"scale\.target = 60: 60 is not from 0\.001 to 1"):
        one.with_value("station.x.scale.target", "60")


def test_tables_show_the_number_of_servers(tmp_path: Path) -> None:
    narrow, wide = system('on = "load", to = 3'), system('on = "load", to = 9')
    results = [tt.simulate(cases.open_model(50), one, requests=2000) for one in (narrow, wide)]
    mean = results[0].summary["stations"]["x"]["scale"]["servers_mean"]
    assert row_of(results[0])["servers_mean"] == mean
    page = tt.report(results, tmp_path / "page.html").read_text()
    assert "on 1 to 3 servers by load" in page
    assert "on 1 to 9 servers by load" in page


def test_a_message_about_a_key_names_no_option() -> None:
    """`scale` is an option of `sweep`, too."""
    option_names.begin(typer.main.get_command(app).get_command(None, "sweep"))
    try:
        message = "station.x.servers = 1: does not go with `scale`"
        assert option_names.as_typed(message) == message
        assert option_names.as_typed("`scale` is 0") == "`--scale` is 0"
    finally:
        option_names._done.clear()
