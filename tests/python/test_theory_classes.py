"""Exact values of workloads with several populations, or with journeys.

Against simulations with fixed seeds: ten replications each, so that a mean lies within 4.30
standard errors of the exact value with a probability of 0.998 (Student, 9 degrees of freedom). With
30 means a right program fails with one choice of seeds in 17; as the seeds are fixed, what has
passed passes always. Mean-value analysis itself is held to Markov chains in
`test_theory_mixed.py`.
"""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.present import units
from thinktime.report import details
from thinktime.report.case import cases
from thinktime.theory._demands import exact_loads
from thinktime.theory.match import theory_for, theory_or_reason
from thinktime.theory.mva import Station, mva
from thinktime.theory.solution import Theory

approx = pytest.approx
T_9 = 4.30 / 2.262  # of a half-width of a 95 % interval

ITEM = '[{ name = "item" }]'
STATUS = '[{ name = "status" }]'
WALK = (
    '[{ name = "home", next = { item = 0.6, search = 0.3, end = 0.1 } },'
    ' { name = "item", next = { item = 0.5, home = 0.3, end = 0.2 }, think = "const(1s)" },'
    ' { name = "search", next = { item = 1 } }]'
)
ROUND = (
    '[{ name = "home", next = { item = 1 } },'
    ' { name = "item", next = { item = 0.5, search = 0.5 }, think = "uniform(0s, 2s)" },'
    ' { name = "search", next = { home = 1 } }]'
)


def population(name: str, arrivals: str, session: str, requests: str) -> str:
    return (
        f'[[population]]\nname = "{name}"\narrivals = {{ {arrivals} }}\n'
        f"session = {{ {session} }}\nrequest = {requests}\n"
    )


def open_(name: str, rate: float, requests: str = ITEM) -> str:
    return population(name, f'model = "open", rate = "{rate}/s"', "", requests)


def partly_open(name: str, rate: float, session: str, requests: str = ITEM) -> str:
    return population(name, f'model = "partly-open", rate = "{rate}/s"', session, requests)


def closed(name: str, clients: int, think: str, requests: str = ITEM, more: str = "") -> str:
    session = f'think = "{think}"{more}'
    return population(name, f'model = "closed", clients = {clients}', session, requests)


def workload(*populations: str) -> tt.Workload:
    return tt.Workload('name = "w"\n' + "".join(populations))


def station(policy: str, demand: str = "", servers: int = 1) -> str:
    """Without a demand it is that of `DEMANDS`, by name."""
    given = f'"{demand}"' if demand else "BY NAME"
    return f'policy = "{policy}"\nservers = {servers}\ndemand = {given}'


def on(of: tt.Workload, *stations: str) -> tt.System:
    demands = ", ".join(f'{name} = "{DEMANDS[name]}"' for name in sorted({*of.request_names}))
    tables = [f'[[station]]\nname = "s{n}"\n{text}\n' for n, text in enumerate(stations)]
    return tt.System(f'name = "s"\n{"".join(tables)}'.replace("BY NAME", f"{{ {demands} }}"))


DEMANDS = {
    "home": "exp(10ms)",
    "item": "const(20ms)",
    "search": "h2(40ms, cv2=8)",
    "status": "uniform(0ms, 60ms)",
}
PAGES = (
    '[{ name = "home", objects = { count = "const(3)", of = { item = 1 } } }, { name = "item" }]'
)
VISITORS = partly_open("visitors", 2, 'think = "exp(3s)", first = { home = 0.8, item = 0.2 }', WALK)
POLLERS = closed("pollers", 10, "const(2s)", STATUS)


# ---- journeys


def visits_by_numpy(table: dict[str, Any]) -> np.ndarray:
    """v = first + v P, for a journey that ends; an independent computation, from the text of the
    file."""
    requests = table["request"]
    names = [one["name"] for one in requests]
    moves = np.array([[one["next"].get(name, 0.0) for name in names] for one in requests])
    first = table.get("session", {}).get("first", {names[0]: 1.0})
    begins = np.array([first.get(name, 0.0) for name in names])
    return np.linalg.solve((np.eye(len(names)) - moves).T, begins)


def random_walk(rng: np.random.Generator, n: int) -> str:
    names = [f"r{k}" for k in range(n)]
    rows = []
    for name in names:
        shares = rng.dirichlet(np.ones(n + 1)).round(6)
        shares[-1] = 1 - shares[:-1].sum()
        pairs = zip([*names, "end"], shares, strict=True)
        given = ", ".join(f"{to} = {share:.6f}" for to, share in pairs)
        rows.append(f'{{ name = "{name}", next = {{ {given} }} }}')
    return "[" + ", ".join(rows) + "]"


@pytest.mark.parametrize("n", [1, 2, 5, 14])
def test_visits_of_a_journey(n):
    walk = random_walk(np.random.default_rng(n), n)
    found = workload(partly_open("visitors", 2, 'think = "1s"', walk)).populations[0]
    table = tomllib.loads(f"request = {walk}")
    visits = visits_by_numpy(table)
    assert found.visits == approx(visits, rel=1e-5)
    assert found.mix == approx(visits / visits.sum(), rel=1e-5)
    assert found.request_rate == approx(2 * visits.sum(), rel=1e-5)


def test_a_journey_that_goes_round_has_its_long_run_shares():
    found = workload(closed("walkers", 3, "1s", ROUND)).populations[0]
    # home: 1 in 4; item is reached once a round and lasts for 2 on average; search once.
    assert found.mix == approx([0.25, 0.5, 0.25])
    assert found.visits is None


# ---- against simulation


MIXTURES = {
    "a journey and pollers, PS by name": ([VISITORS, POLLERS], [station("ps")]),
    "a journey that goes round, own think times": (
        [closed("walkers", 12, "exp(200ms)", ROUND)],
        [station("ps", servers=2), station("fcfs", "exp(15ms)")],
    ),
    "closed, two kinds of clients, FCFS": (
        [closed("quick", 4, "exp(50ms)"), closed("slow", 6, "uniform(0s, 1s)", STATUS)],
        [station("fcfs", "exp(40ms)", 2), station("ps", "h2(10ms, cv2=5)")],
    ),
    "all three models, several servers": (
        [VISITORS, closed("pollers", 8, "const(100ms)", STATUS), open_("api", 20)],
        [station("ps", servers=3)],
    ),
    "a journey, FCFS and preemptive LCFS": (
        [partly_open("visitors", 3, 'think = "exp(100ms)"', WALK), open_("api", 6)],
        [station("fcfs", "exp(12ms)"), station("plcfs")],
    ),
    "open, M/G/1 by name": (
        [open_("shop", 10, '[{ name = "item" }, { name = "search" }]'), open_("api", 8, STATUS)],
        [station("fcfs")],
    ),
    "lengths and no journey": (
        [partly_open("visitors", 6, 'think = "exp(1s)", requests = "const(4)"'), POLLERS],
        [station("ps")],
    ),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures_are_simulated_as_theory_has_them(name):
    populations, stations = MIXTURES[name]
    of = workload(*populations)
    system = on(of, *stations)
    theory = theory_for(of, system)
    assert theory is not None
    found = tt.simulate(
        of, system, requests=60_000, warmup=30, replications=10, rows="none", seed=7
    )
    times = found.summary["response_time_s"]
    assert abs(times["mean"] - theory.mean_s) < T_9 * times["ci95"]
    busiest = max(one["load"] for one in found.summary["stations"].values())
    assert busiest == approx(theory.load, rel=0.03)
    assert len(theory.by_population) == len(populations)
    for population, part in theory.by_population.items():
        figures = found.summary["by_population"][population]
        times = figures["response_time_s"]
        assert abs(times["mean"] - part.mean_s) < T_9 * times["ci95"], population
        share = figures["requests"] / found.summary["requests"]
        assert share == approx(part.throughput / theory.throughput, rel=0.03)
    # By name there is no interval: half of these have 30,000 requests and more.
    assert theory.by_request.keys() == found.summary["by_request"].keys()
    for request, mean_s in theory.by_request.items():
        times = found.summary["by_request"][request]["response_time_s"]
        assert times["mean"] == approx(mean_s, rel=0.06), request


@pytest.mark.parametrize("policy", ["fcfs", "srpt", "ps", "rr(5ms)"])
def test_loads_are_exact_for_any_policy(policy):
    of = workload(partly_open("visitors", 3, 'think = "1s", requests = "geometric(2)"', PAGES))
    system = on(of, station(policy))
    loads = exact_loads(of, system)
    assert loads == {"s0": approx(6 * (0.010 + 3 * 0.020))}
    found = tt.simulate(of, system, requests=200_000, rows="none", seed=7)
    assert found.summary["stations"]["s0"]["load"] == approx(loads["s0"], rel=0.02)
    assert "exact are the loads: s0 0.42" in reason(of, system)


# ---- what must agree


def exact(of: tt.Workload, *stations: str) -> Theory | None:
    return theory_for(of, on(of, *stations))


def test_one_population_is_as_without_its_table():
    bare = (
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "8/s"\n'
        '[session]\nrequests = "geometric(3)"\nthink = "1s"\n[[request]]\nname = "item"\n'
    )
    named = partly_open("visitors", 8, 'requests = "geometric(3)", think = "1s"')
    for policy in ("ps", "fcfs"):
        plain = exact(tt.Workload(bare), station(policy, "exp(20ms)"))
        told = exact(workload(named), station(policy, "exp(20ms)"))
        assert plain is not None
        assert told is not None
        assert (told.model, told.mean_s) == (plain.model, plain.mean_s)
        assert plain.mean_s == approx(0.020 / (1 - 0.48))


def test_populations_alike_are_as_one():
    row = station("fcfs", "exp(40ms)", 2), station("ps", "h2(10ms, cv2=5)")
    whole = exact(workload(closed("all", 10, "exp(1s)")), *row)
    parts = exact(workload(closed("a", 3, "exp(1s)"), closed("b", 7, "const(1s)")), *row)
    assert parts.mean_s == approx(whole.mean_s, rel=1e-10)
    assert parts.throughput == approx(whole.throughput, rel=1e-10)
    assert parts.by_population["a"].mean_s == approx(whole.mean_s, rel=1e-10)


def test_open_populations_are_one_poisson_process():
    two = workload(open_("a", 30), open_("b", 50, STATUS))
    parts = exact(two, station("fcfs", "h2(10ms, cv2=8)"))
    assert parts.model == "M/H2/1 FCFS"
    assert parts.mean_s == approx(0.190)
    assert parts.law.percentile(0.99) == approx(1.117006, rel=1e-6)
    assert parts.by_population["b"].mean_s == approx(0.190)
    assert exact(two, station("srpt", "h2(10ms, cv2=8)")).by_population == {}
    first = station("priority(preemptive=yes)", "exp(10ms)") + "\npriority.status = 1"
    # The first class does not notice the others, and the work is conserved.
    assert exact(two, first).mean_s == approx(0.050)
    assert exact(two, station("rr(1ms)", "exp(10ms)")) is None
    assert exact(two, first.replace("preemptive=yes", "1ms")) is None


def test_kinds_of_one_population_by_name():
    two = '[{ name = "item", weight = 3 }, { name = "search" }]'
    of = tt.Workload('name = "w"\narrivals = { model = "open", rate = "20/s" }\nrequest = ' + two)
    load = 20 * (0.75 * 0.020 + 0.25 * 0.040)
    by_ps = exact(of, station("ps"))
    assert by_ps.by_request == approx({"item": 0.020 / (1 - load), "search": 0.040 / (1 - load)})
    by_fcfs = exact(of, station("fcfs"))
    waits = by_fcfs.mean_s - load / 20
    assert by_fcfs.by_request == approx({"item": waits + 0.020, "search": waits + 0.040})
    assert exact(of, station("srpt")).by_request == {}
    row = exact(of, station("ps"), station("ps", "exp(5ms)"))
    assert row.by_request["search"] == approx(0.040 / (1 - load) + 0.005 / 0.9)


def test_one_client_on_a_journey_never_waits():
    for policy in ("fcfs", "srpt", "ps"):
        found = exact(workload(closed("walker", 1, "exp(2s)", ROUND)), station(policy))
        assert found.mean_s == approx(0.25 * 0.010 + 0.5 * 0.020 + 0.25 * 0.040)
        assert found.throughput == approx(1 / (found.mean_s + 0.5 * 2 + 0.5 * 1))
        assert found.by_population["walker"].by_request["search"] == approx(0.040)


HELD = {
    "open": [VISITORS, open_("api", 3)],
    "closed": [closed("a", 5, "exp(1s)"), closed("b", 60, "const(3s)", STATUS)],
    "mixed": [VISITORS, closed("pollers", 5, "const(2s)", STATUS)],
}


@pytest.mark.parametrize("name", HELD)
def test_a_load_is_held(name):
    of = workload(*HELD[name])
    system = on(of, station("ps"))
    for load in (0.3, 0.9):
        assert theory_for(of, system, load).load == load
    # The value that `--load` finds by simulation gives the load of the theory.
    assert theory_for(of.at_load(system, 0.5), system).load == approx(0.5, rel=0.02)


def test_a_load_that_cannot_be_reached():
    of = workload(VISITORS, closed("pollers", 100, "1s", STATUS))
    with pytest.raises(ValueError, match="themselves"):
        theory_for(of, on(of, station("ps")), 0.5)
    idle = workload(closed("a", 1, "1s"), closed("b", 1, "1s", STATUS))
    with pytest.raises(ValueError, match="cannot bring"):
        theory_for(idle, on(idle, station("ps"), station("ps", "exp(1s)")), 0.9999999)


# ---- what is refused


def reason(of: tt.Workload, system: tt.System) -> str:
    found = theory_or_reason(of, system)
    assert isinstance(found, str), found
    assert theory_for(of, system) is None
    return found


TWO_CIRCLES = (
    '[{ name = "home", next = { item = 0.5, search = 0.5 } },'
    ' { name = "item", next = { item = 1 } }, { name = "search", next = { search = 1 } }]'
)
OPEN_PAGES = open_("visitors", 2, PAGES)
LASTS = partly_open("visitors", 2, 'think = "1s", lasts = "exp(1min)"', WALK)


@pytest.mark.parametrize(
    ("populations", "policy", "words"),
    [
        ([OPEN_PAGES], "ps", "no product form holds; exact are the loads: s0 0.14"),
        # If closed clients are there, too, the load cannot be known either.
        ([OPEN_PAGES, POLLERS], "ps", "no product form holds"),
        ([LASTS, POLLERS], "ps", "depends on its response times"),
        (
            [closed("a", 5, "exp(1s)", ROUND, ', lasts = "9s"'), POLLERS],
            "ps",
            "depends on its response times",
        ),
        ([closed("a", 5, "exp(1s)", TWO_CIRCLES)], "ps", "caught in different circles"),
        (
            [closed("a", 2000, "exp(1s)"), closed("b", 2000, "exp(9s)", STATUS)],
            "ps",
            "2000 x 2000 clients at 1 station takes too long",
        ),
        ([closed("a", 3, "const(1s)"), closed("b", 3, "exp(9s)", STATUS)], "ps", "stay in step"),
        (
            [closed("a", 3, "0s", STATUS), closed("b", 3, "exp(9s)", STATUS)],
            "plcfs",
            "never served",
        ),
    ],
)
def test_what_has_no_exact_value_says_why(populations, policy, words):
    of = workload(*populations)
    assert words in reason(of, on(of, station(policy)))


def test_a_closed_population_may_begin_anew_after_a_time():
    # Its requests are drawn one by one: when it begins anew makes no difference to the server.
    plain = exact(workload(closed("a", 5, "exp(1s)"), POLLERS), station("ps"))
    anew = closed("a", 5, "exp(1s)", more=', lasts = "9s"')
    assert exact(workload(anew, POLLERS), station("ps")) == plain


EVEN = open_("a", 5).replace('rate = "5/s"', 'rate = "5/s", process = "even"')


@pytest.mark.parametrize(
    ("populations", "one"),
    [
        ([open_("a", 5), POLLERS], station("fcfs")),
        ([open_("a", 5), POLLERS], station("srpt", "exp(1ms)")),
        ([open_("a", 5), POLLERS], station("fcfs", "h2(1ms, cv2=2)")),
        ([open_("a", 60), POLLERS], station("ps")),
        ([closed("walkers", 5, "exp(1s)", ROUND)], station("fcfs")),
        ([EVEN, POLLERS], station("ps")),
    ],
)
def test_what_no_formula_is_known_for(populations, one):
    of = workload(*populations)
    assert exact(of, one) is None
    assert exact_loads(of, on(of, one)) is None


# ---- where it is shown


def test_exact_means_stand_below_those_simulated():
    of = workload(VISITORS, POLLERS)
    system = on(of, station("ps"))
    found = tt.simulate(of, system, requests=20_000, warmup=30, rows="none", seed=7)
    theory = found.theory
    assert theory is not None
    (table,) = [one for one in details.tables(cases([found])) if one.name == "populations"]
    simulated, shown = table.groups
    assert (simulated.title[-9:], shown.title[-5:]) == ("simulated", "exact")
    means = {line.name: line.cells[3].text for line in shown.lines}
    parts = theory.by_population
    assert means == {name: units.seconds(part.mean_s) for name, part in parts.items()}


# ---- kinds that do not visit every station

SKIPS = (
    "[[station]]\nname = 'a'\ndemand = 'exp(40ms)'\n"
    "[[station]]\nname = 'b'\nservers = 2\ndemand = { long = 'exp(150ms)' }\n"
    "[[station]]\nname = 'c'\npolicy = 'ps'\ndemand = { long = '20ms', other = 'exp(90ms)' }\n"
    "[[station]]\nname = 'idle'\ndemand = { never = 'exp(1s)' }\n"
)
KINDS = (
    "[[request]]\nname = 'short'\nweight = 5\n[[request]]\nname = 'long'\nweight = 2\n"
    "[[request]]\nname = 'other'\nweight = 3\n"
)


def of_kinds(arrivals: str, think: str = "") -> tt.Workload:
    session = f"[session]\nthink = '{think}'\n" if think else ""
    return tt.Workload(f"name = 'w'\n[arrivals]\n{arrivals}\n{session}{KINDS}")


def test_open_requests_that_skip_stations_see_each_by_itself() -> None:
    """The mean of M/M/c at a and b, and E[S] / (1 - load) at c."""
    found = theory_for(of_kinds("model = 'open'\nrate = '8/s'"), tt.System(f"name='s'\n{SKIPS}"))
    assert found is not None
    at_a = 0.04 / (1 - 8 * 0.04)
    rate_b = 1.6 * 0.15  # requests there, in servers
    at_b = 0.15 / (1 - (rate_b / 2) ** 2)
    load_c = 1.6 * 0.02 + 2.4 * 0.09
    names = {
        "short": at_a,
        "long": at_a + at_b + 0.02 / (1 - load_c),
        "other": at_a + 0.09 / (1 - load_c),
    }
    assert found.by_request == approx(names, rel=1e-9)
    shares = {"short": 0.5, "long": 0.2, "other": 0.3}
    assert found.mean_s == approx(sum(shares[name] * t for name, t in names.items()), rel=1e-9)


def test_closed_requests_that_skip_stations_have_their_mean_value_analysis() -> None:
    means = (0.04, 0.2 * 0.15, 0.2 * 0.02 + 0.3 * 0.09)
    stations = [Station(means[0]), Station(means[1], 2), Station(means[2])]
    network = mva(7, stations, 0.3)
    work = of_kinds("model = 'closed'\nclients = 7", "exp(300ms)")
    found = theory_for(work, tt.System(f"name='s'\n{SKIPS}"))
    assert found is not None
    assert found.mean_s == approx(float(network.response_time[-1]), rel=1e-9)
    assert found.throughput == approx(float(network.throughput[-1]), rel=1e-9)


def test_a_single_station_that_some_requests_skip_has_no_formula_of_a_line() -> None:
    system = tt.System(
        "name='s'\n[[station]]\nname='a'\ndemand={ long = 'uniform(0s, 40ms)' }\n"
        "[[station]]\nname='b'\ndemand={ short = '1ms', other = '1ms' }"
    )
    assert theory_for(of_kinds("model = 'open'\nrate = '8/s'"), system) is None


def test_loads_are_known_if_some_requests_skip_stations() -> None:
    work = of_kinds("model = 'open'\nrate = '8/s'")
    found = exact_loads(work, tt.System(f"name='s'\n{SKIPS}"))
    assert found == approx({"a": 0.32, "b": 0.12, "c": 0.248, "idle": 0.0})
