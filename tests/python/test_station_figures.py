"""Figures of stations and sessions: by class, by number of requests, with intervals.

Statistical tests have fixed seeds. A mean of 200,000 requests or more must lie within five times
the half-width of its own 95 % interval (a false alarm in 1e-9 of cases, if intervals are right to
half), and of 40 intervals at least 32 must hold the exact value (fewer in 1e-4 of cases).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars
import pytest

import thinktime as tt

OPEN = "[arrivals]\nmodel = 'open'\nrate = '{}/s'\n"
CLASSES = "[[request]]\nname = 'a'\nweight = 3\n[[request]]\nname = 'b'\nweight = 1\n"
STATION = "[[station]]\nname = 'x'\npolicy = '{}'\nservers = {}\n"


def simulated(workload: str, system: str, requests: int = 200_000, **options: Any) -> tt.Result:
    options = {"seed": 7, "warmup": 0} | options
    return tt.simulate(
        tt.Workload(f"name = 'w'\n{workload}"),
        tt.System(f"name = 's'\n{system}"),
        requests=requests,
        **options,
    )


def near(figures: Mapping[str, Any], exact: Mapping[str, float]) -> None:
    for name, value in exact.items():
        assert abs(figures[name] - value) <= 5 * figures["ci95"][name], (name, figures[name], value)


# ---- closed formulas


def test_classes_in_one_line_wait_alike() -> None:
    """M/G/1: the wait is lambda E[S^2] / 2 (1 - rho) for all (Pollaczek-Khinchine)."""
    demands = "demand.a = 'exp(10ms)'\ndemand.b = 'erlang(2, 30ms)'\n"
    found = simulated(OPEN.format(50) + CLASSES, STATION.format("fcfs", 1) + demands)
    station = found.summary["stations"]["x"]
    rates, means = {"a": 37.5, "b": 12.5}, {"a": 0.01, "b": 0.03}
    wait = (37.5 * 2 * 0.01**2 + 12.5 * 1.5 * 0.03**2) / 2 / (1 - 0.75)
    for name, rate in rates.items():
        time = wait + means[name]
        near(
            station["by_request"][name],
            {
                "response_time_mean_s": time,
                "throughput": rate,
                "load": rate * means[name],
                "queue_length_mean": rate * time,
            },
        )
        assert station["by_request"][name]["demand_s"]["mean"] == pytest.approx(
            means[name], rel=0.02
        )
    near(station, {"load": 0.75, "throughput": 50, "queue_length_mean": 0.75 + 50 * wait})


@pytest.mark.parametrize("laws", [("exp(8ms)", "40ms"), ("h2(20ms, cv2=5)", "exp(4ms)")])
def test_under_processor_sharing_a_class_is_slowed_by_the_common_load(
    laws: tuple[str, str],
) -> None:
    """M/G/1-PS: E[S] / (1 - rho) for each class, whatever its law (Sakata, Noguchi, Oizumi)."""
    means = [{"exp(8ms)": 0.008, "40ms": 0.04, "h2(20ms, cv2=5)": 0.02, "exp(4ms)": 0.004}[one]
             for one in laws]  # fmt: skip
    rate = 0.6 / (0.75 * means[0] + 0.25 * means[1])
    demands = f"demand.a = '{laws[0]}'\ndemand.b = '{laws[1]}'\n"
    found = simulated(OPEN.format(rate) + CLASSES, STATION.format("ps", 1) + demands)
    of = found.summary["stations"]["x"]["by_request"]
    for name, share, mean in (("a", 0.75, means[0]), ("b", 0.25, means[1])):
        near(
            of[name],
            {
                "response_time_mean_s": mean / 0.4,
                "queue_length_mean": share * rate * mean / 0.4,
                "load": share * rate * mean,
            },
        )


JACKSON = """
[arrivals]
model = 'partly-open'
rate = '5/s'
[session]
think = '0s'
first = { front = 1 }
[[request]]
name = 'front'
next = { store = 0.6, end = 0.4 }
[[request]]
name = 'store'
next = { front = 0.5, mail = 0.3, end = 0.2 }
[[request]]
name = 'mail'
next = { end = 1 }
"""


def test_a_network_of_jackson_by_station_and_by_session() -> None:
    """Jackson (1957): each station is M/M/1 by itself; a session's time follows by Little."""
    front = 5 / (1 - 0.6 * 0.5)
    rates = {"front": front, "store": 0.6 * front, "mail": 0.6 * 0.3 * front}
    demands = {"front": 0.1, "store": 0.15, "mail": 0.4}
    system = "".join(
        f"[[station]]\nname = 's-{name}'\ndemand = {{ {name} = 'exp({mean}s)' }}\n"
        for name, mean in demands.items()
    )
    found = simulated(JACKSON, system, requests=300_000)
    number = 0.0
    for name, mean in demands.items():
        load = rates[name] * mean
        number += load / (1 - load)
        exact = {
            "load": load,
            "queue_length_mean": load / (1 - load),
            "response_time_mean_s": mean / (1 - load),
            "throughput": rates[name],
        }
        near(found.summary["stations"][f"s-{name}"], exact)
        near(found.summary["stations"][f"s-{name}"]["by_request"][name], exact)
    session = found.summary["session_time_s"]
    # Some 129,000 sessions of which about 1,000 are worth independent ones: 4 % are 5 deviations.
    assert session["mean"] == pytest.approx(number / 5, rel=0.04)


def erlang_shares(load: float, servers: int, most: int) -> list[float]:
    """P(N = n) of M/M/c, by its birth and death rates."""
    weights = [1.0]
    for n in range(1, 20 * most):
        weights.append(weights[-1] * load / min(n, servers))
    return [one / sum(weights) for one in weights[:most]]


@pytest.mark.parametrize(("servers", "load"), [(1, 0.4), (1, 0.7), (2, 1.3), (5, 3.5)])
@pytest.mark.parametrize("policy", ["fcfs", "ps", "lcfs"])
def test_the_number_of_requests_has_the_law_of_its_queue(
    policy: str, servers: int, load: float
) -> None:
    system = STATION.format(policy, servers) + "demand = 'exp(1s)'"
    found = simulated(OPEN.format(load), system)
    shares = found.summary["stations"]["x"]["queue_length_shares"]
    for share, exact in zip(shares, erlang_shares(load, servers, 8), strict=False):
        # 200,000 requests are worth at least 2,000 looks: four deviations of a share.
        assert share == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 2_000))


def test_the_number_in_a_closed_system_has_a_binomial_law() -> None:
    """10 clients think for 3 s, and are served at once: each is there a quarter of the time."""
    workload = "[arrivals]\nmodel = 'closed'\nclients = 10\n[session]\nthink = 'exp(3s)'\n"
    found = simulated(workload, STATION.format("fcfs", 10) + "demand = 'exp(1s)'")
    shares = found.summary["stations"]["x"]["queue_length_shares"]
    for n in range(6):
        exact = math.comb(10, n) * 0.25**n * 0.75 ** (10 - n)
        assert shares[n] == pytest.approx(exact, abs=0.01)


# ---- laws that hold exactly


CLUSTER = (
    "[[cluster]]\nname = 'web'\nservers = 3\ndispatch = 'jsq'\n"
    "[[cluster.station]]\nname = 'cpu'\npolicy = 'ps'\n"
    "demand = { a = 'exp(20ms)', b = '50ms' }\n"
)
MACHINE = (
    "[[machine]]\nname = 'host'\nos = 'linux-eevdf'\ncores = 2\n"
    "[[service]]\nname = 'php'\nmachine = 'host'\nthreads = 4\n"
    "demand = { a = 'exp(20ms)', b = '30ms' }\n"
)
POOL = (
    "[[station]]\nname = 'x'\nservers = 2\ndemand = { a = 'exp(20ms)', b = '30ms' }\n"
    "[[pool]]\nname = 'threads'\nsize = 2\n"
    "[[behaviour]]\nrequest = 'a'\n"
    "steps = [{acquire = 'threads'}, {use = 'x'}, {release = 'threads'}]\n"
)
LIMITS = "timeout = '60ms'\ncancel = 'always'\n"


def systems() -> dict[str, str]:
    laws = "demand = { a = 'exp(10ms)', b = 'h2(20ms, cv2=4)' }\n"
    found = {
        f"{policy}, {servers}": STATION.format(policy, servers) + laws
        for policy in ("fcfs", "ps", "las", "srpt", "plcfs", "rr(4ms)", "mlfq(2ms, 6ms)")
        for servers in (1, 2)
    }
    full = STATION.format("fcfs", 1) + laws + "queue_limit = 3\n"
    return found | {"limit": full, "cluster": CLUSTER, "machine": MACHINE, "pool": POOL}


@pytest.mark.parametrize("system", systems().values(), ids=systems().keys())
@pytest.mark.parametrize("clients", ["", LIMITS], ids=["patient", "impatient"])
@pytest.mark.parametrize("warmup", ["0s", "5s"])
def test_littles_law_holds_for_each_class(system: str, clients: str, warmup: str) -> None:
    classes = "".join(
        f"[[request]]\nname = '{name}'\nweight = {weight}\n{clients}"
        for name, weight in (("a", 3), ("b", 1), ("c", 0))
    ).replace("[[request]]\nname = 'c'\nweight = 0\n" + clients, "")
    found = simulated(OPEN.format(45) + classes, system, requests=4_000, warmup=warmup)
    for station in found.summary["stations"].values():
        of = station["by_request"]
        assert set(of) == {"a", "b"}
        for one in (station, *of.values()):
            number = one["throughput"] * one["response_time_mean_s"]
            assert number == pytest.approx(one["queue_length_mean"], rel=1e-9)
        for name in ("queue_length_mean", "throughput", "load"):
            assert sum(one[name] for one in of.values()) == pytest.approx(station[name], rel=1e-9)
        shares = station.get("queue_length_shares")
        if shares is None:
            assert "cluster" in system
            continue
        assert len(shares) == station["queue_length_max"] + 1
        assert sum(shares) == pytest.approx(1, rel=1e-9)
        mean = sum(n * share for n, share in enumerate(shares))
        assert mean == pytest.approx(station["queue_length_mean"], rel=1e-9)


@pytest.mark.parametrize("policy", ["fcfs", "ps", "srpt"])
@pytest.mark.parametrize(
    "arrivals",
    [
        OPEN.format(50),
        "[arrivals]\nmodel = 'closed'\nclients = 6\n[session]\nthink = 'exp(50ms)'\n",
    ],
)
def test_the_short_loops_count_as_the_whole_system_does(policy: str, arrivals: str) -> None:
    """A pool that nobody uses makes a system of one station one of several nodes."""
    system = STATION.format(policy, 1) + "demand = { a = 'exp(10ms)', b = '20ms' }\n"
    more = "[[pool]]\nname = 'p'\nsize = 2\n"
    one, other = (
        simulated(arrivals + CLASSES, text, requests=5_000, warmup="3s").summary["stations"]["x"]
        for text in (system, system + more)
    )
    assert one == other


def test_one_kind_is_not_told_twice_and_names_of_several_populations_are_joined() -> None:
    alone = simulated(OPEN.format(40), STATION.format("fcfs", 1) + "demand = 'exp(10ms)'", 2_000)
    assert "by_request" not in alone.summary["stations"]["x"]
    people = "".join(
        f"[[population]]\nname = '{name}'\n"
        f"[population.arrivals]\nmodel = 'open'\nrate = '{rate}/s'\n"
        "[[population.request]]\nname = 'get'\n"
        for name, rate in (("one", 10), ("two", 30))
    )
    joined = simulated(people, STATION.format("fcfs", 1) + "demand = 'exp(10ms)'", 2_000)
    station = joined.summary["stations"]["x"]
    assert set(station["by_request"]) == {"get"}
    assert station["by_request"]["get"]["throughput"] == pytest.approx(station["throughput"])


# ---- sessions


def test_a_sessions_time_is_that_of_its_rows() -> None:
    workload = (
        "[arrivals]\nmodel = 'partly-open'\nrate = '4/s'\n"
        "[session]\nrequests = 'geometric(3)'\nthink = 'exp(400ms)'\n"
    )
    system = STATION.format("fcfs", 1) + "demand = 'exp(50ms)'"
    found = simulated(workload, system, requests=3_000, rows="all")
    rows = polars.DataFrame(found.requests)
    spans = rows.group_by("session").agg(
        (polars.col("done_ns").max() - polars.col("scheduled_ns").min()).alias("span")
    )
    times = found.summary["session_time_s"]
    assert times["max"] <= spans["span"].max() * 1e-9 + 1e-9
    # All but those that the end cuts off: about 5 of 1,000.
    assert times["mean"] == pytest.approx(spans["span"].mean() * 1e-9, rel=0.05)


@pytest.mark.parametrize("policy", ["fcfs", "ps"])
@pytest.mark.parametrize("timeout", ["", "[[request]]\nname = 'r'\ntimeout = '9s'\n"])
def test_sessions_that_take_equally_long_say_how_long(policy: str, timeout: str) -> None:
    workload = (
        "[arrivals]\nmodel = 'partly-open'\nrate = '1/s'\nprocess = 'even'\n"
        f"[session]\nrequests = 3\nthink = '200ms'\n{timeout}"
    )
    found = simulated(workload, STATION.format(policy, 9) + "demand = '100ms'", requests=3_000)
    times = found.summary["session_time_s"]
    assert times["min"] == pytest.approx(0.7)
    assert times["max"] == pytest.approx(0.7)


def test_sessions_of_one_request_and_endless_ones_have_no_time_of_their_own() -> None:
    system = STATION.format("fcfs", 1) + "demand = '1ms'"
    closed = "[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\nthink = '20ms'\n"
    for workload in (OPEN.format(40), closed):
        assert "session_time_s" not in simulated(workload, system, requests=2_000).summary


# ---- intervals


@pytest.mark.parametrize("replications", [1, 6])
def test_intervals_hold_the_exact_value(replications: int) -> None:
    """M/M/1/3 at a load of 0.8, whose throughput, loss, load and number are known."""
    weights = [0.8**n for n in range(5)]
    shares = [one / sum(weights) for one in weights]
    exact = {
        "throughput": 80 * (1 - shares[4]),
        "load": 1 - shares[0],
        "queue_length_mean": sum(n * share for n, share in enumerate(shares)),
    }
    system = STATION.format("fcfs", 1) + "demand = 'exp(10ms)'\nqueue_limit = 3"
    held = dict.fromkeys([*exact, "run", "errors"], 0)
    for seed in range(40):
        more = {"replications": replications} if replications > 1 else {}
        number = 20_000 // replications
        found = simulated(OPEN.format(80), system, requests=number, seed=seed, **more)
        station = found.summary["stations"]["x"]
        for name, value in exact.items():
            held[name] += abs(station[name] - value) <= station["ci95"][name]
        off = abs(found.summary["throughput"] - exact["throughput"])
        held["run"] += off <= found.summary["throughput_ci95"]
        share = found.summary["errors"] / found.summary["requests"]
        held["errors"] += abs(share - shares[4]) <= found.summary["error_share_ci95"]
    assert min(held.values()) >= 32, held


def test_a_run_that_is_too_short_has_no_intervals() -> None:
    found = simulated(OPEN.format(40), STATION.format("fcfs", 1) + "demand = 'exp(10ms)'", 3)
    assert "ci95" not in found.summary["stations"]["x"]
    assert "error_share_ci95" not in found.summary
