"""Overloads known before a run, those that patience ends, and deadlocks behind timeouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thinktime as tt

LEAVES = "timeout = '{}'\ncancel = 'queued'\n"


def simulated(
    workload: str, system: str, requests: int | None = 3_000, **options: Any
) -> tt.Result:
    whole = tt.Workload(f"name = 'w'\nseed = 5\n{workload}")
    return tt.simulate(whole, tt.System(f"name = 's'\n{system}"), requests=requests, **options)


def open_(rate: float, keys: str = "", names: str = "a") -> str:
    tables = "".join(f"[[request]]\nname = '{name}'\n{keys}\n" for name in names)
    return f"[arrivals]\nmodel = 'open'\nrate = '{rate}/s'\n{tables}"


def station(name: str, demand: str, keys: str = "") -> str:
    return f"[[station]]\nname = '{name}'\ndemand = '{demand}'\n{keys}\n"


def pool(name: str, size: int, keys: str = "") -> str:
    return f"[[pool]]\nname = '{name}'\nsize = {size}\n{keys}\n"


def steps(*all_: str, request: str = "") -> str:
    of = f"request = '{request}'\n" if request else ""
    return f"[[behaviour]]\n{of}steps = [{', '.join(f'{{ {one} }}' for one in all_)}]\n"


def doubts(found: tt.Result) -> str:
    return " ".join(one for one in found.summary["warnings"] if "requests failed;" not in one)


# ---- patience ends an overload


@pytest.mark.parametrize(
    "policy", ["rr(4ms)", "srpt", "psjf", "plcfs", "mlfq(3ms, 9ms)", "priority", "sjf", "fcfs"]
)
def test_a_request_that_waits_leaves_under_any_policy(policy: str) -> None:
    keys = f"servers = 3\npolicy = '{policy}'\n" + ("priority.a = 1" * (policy == "priority"))
    found = simulated(open_(115, LEAVES.format("0.4s")), station("s", "exp(30ms)", keys))
    assert "overload" not in doubts(found)
    assert "offered load" not in doubts(found)


@pytest.mark.parametrize("policy", ["ps", "las"])
def test_a_request_that_is_served_at_once_never_waits(policy: str) -> None:
    with pytest.raises(tt.InputError, match="grows without bound"):
        simulated(
            open_(115, LEAVES.format("0.4s")), station("s", "exp(30ms)", f"policy='{policy}'")
        )


IN_POOL = pool("p", 4) + steps("acquire = 'p'", "use = 's'", "release = 'p'")
MACHINE = "[[machine]]\nname = 's'\ncores = 1\nos = 'processor-sharing'\nthreads = {}\n"


@pytest.mark.parametrize(
    ("keys", "system"),
    [
        # Those wait for a place, and not at the station.
        (LEAVES.format("0.4s"), station("s", "exp(30ms)", "policy = 'ps'") + IN_POOL),
        (LEAVES.format("0.4s"), MACHINE.format(5) + "demand = 'exp(30ms)'\n"),
        # Those that left before do not come to the second one.
        (
            LEAVES.format("0.4s"),
            station("q", "exp(40ms)") + station("s", "exp(30ms)", "policy='ps'"),
        ),
        # The first one lets through 25 a second.
        ("", station("q", "exp(40ms)", "queue_limit = 5") + station("s", "exp(30ms)")),
        ("", station("q", "exp(40ms)", "queue_timeout = '50ms'") + station("s", "exp(30ms)")),
    ],
)
def test_what_does_not_come_is_no_load(keys: str, system: str) -> None:
    found = simulated(open_(45, keys), system)
    assert "overload" not in doubts(found)
    assert "offered load" not in doubts(found)
    assert found.summary["errors"] > 100


# ---- overloads of other parts


HELD = station("s", "exp(1ms)", "servers = 9") + pool("places", 7)
KEEPS = steps("acquire = 'places'", "delay = 'exp(70ms)'", "release = 'places'", "use = 's'")
FORK = steps(
    "acquire = 'places'",
    "fork = [[{ delay = '70ms' }, { use = 's' }], [{ delay = '20ms' }, { use = 's' }]]",
    "release = 'places'",
)
CLUSTER = "[[cluster]]\nname = 'web'\nservers = 4\ndispatch = '{}'\n{}\n" + (
    "[[cluster.station]]\nname = 'cpu'\ndemand = 'exp(20ms)'\n{}\n"
)
SLOW = "[[cluster.change]]\nat = '0s'\nserver = 2\ndoes = 'slows(0.25)'\n"
LINK = station("s", "1ms") + "[[link]]\nname = 'line'\ndelay = '2ms'\nrate = '8Mbit/s'\n"
THREADS = station("s", "1ms", "servers = 9") + (
    "[[machine]]\nname = 'm'\ncores = 8\nos = 'processor-sharing'\n[[service]]\nname = 'app'\n"
    "machine = 'm'\nthreads = 7\ndemand = '1ms'\n"
)
LIMIT = (
    "[[machine]]\nname = 'box'\ncores = 4\nos = 'linux-cfs'\ncpu_limit = '1500m'\ndemand = '10ms'\n"
)
APP = steps("use = 'app'", "delay = '68ms'", "use = 'app'", "use = 's'")


@pytest.mark.parametrize("share", [0.9, 1.02])
@pytest.mark.parametrize(
    ("name", "rate", "keys", "system"),
    [
        ("places", 100, "", HELD + KEEPS),
        ("places", 100 * 70 / 71, "", HELD + FORK),
        ("web/1/cpu", 100, "", CLUSTER.format("random", "weights = [1, 3, 1, 1]", "")),
        ("web/0/cpu", 90, "", CLUSTER.format("weighted-round-robin", "weights = [5, 2, 1, 1]", "")),
        ("web/2/cpu", 50, "", CLUSTER.format("round-robin", "", SLOW)),
        ("web/cpu", 162.5, "", CLUSTER.format("least-connections", "", SLOW)),
        ("line", 1e6 / 21_000, "get = '/x'\nsize = '20272B'\n", LINK),
        ("app", 100, "", THREADS + APP),
        ("box.cpu_limit", 150, "", LIMIT),
    ],
)
def test_an_overload_that_is_known_is_named_at_once(
    name: str, rate: float, keys: str, system: str, share: float
) -> None:
    """Of 2,000 requests no growth beyond chance is seen at 1.02."""
    found = simulated(open_(rate * share, keys), system, requests=2_000)
    said = f"the offered load of `{name}` is {share * 1.0:.2f}"
    assert (said in (found.untrusted or "")) == (share > 1)
    assert (said in doubts(found)) == (share > 1)
    timed = simulated(open_(rate * share, keys), system, requests=None, duration="20s")
    assert (said in doubts(timed)) == (share > 1)
    assert said not in (timed.untrusted or "")


@pytest.mark.parametrize(
    ("keys", "system"),
    [
        ("timeout = '0.2s'\ncancel = 'queued'", HELD + KEEPS),
        ("timeout = '0.2s'\ncancel = 'always'", HELD + KEEPS),
        ("", HELD.replace("size = 7", "size = 7\nqueue_limit = 9") + KEEPS),
        ("", CLUSTER.format("random", "weights = [1, 3, 1, 1]", "queue_limit = 9")),
        ("timeout = '0.2s'\ncancel = 'always'", CLUSTER.format("round-robin", "", SLOW)),
    ],
)
def test_bounded_parts_have_no_overload(keys: str, system: str) -> None:
    assert "load" not in doubts(simulated(open_(110, keys), system))


@pytest.mark.parametrize("seed", range(6))
def test_random_systems_below_their_capacity_are_not_doubted(seed: int) -> None:
    """Pools, clusters and links at loads up to 0.95."""
    draw = np.random.default_rng(seed)
    size, hold_s, load = int(draw.integers(1, 9)), draw.uniform(0.01, 0.2), draw.uniform(0.5, 0.95)
    held = station("s", "1us", "servers = 9") + pool("places", size)
    kept = steps(
        "acquire = 'places'", f"delay = 'exp({hold_s}s)'", "release = 'places'", "use = 's'"
    )
    weights = [float(one) for one in draw.uniform(1, 4, size=4).round(3)]
    cluster = CLUSTER.format("random", f"weights = {weights}", "")
    bytes_ = int(draw.integers(200, 90_000))
    on_wire = bytes_ + 52 * -(-bytes_ // 1448)
    for rate, keys, system in (
        (load * size / hold_s, "", held + kept),
        (load * sum(weights) / max(weights) / 0.02, "", cluster),
        (load * 1e6 / on_wire, f"get = '/x'\nsize = '{bytes_}B'\n", LINK),
    ):
        found = simulated(open_(rate, keys), system, requests=2_000)
        assert "load" not in doubts(found), doubts(found)


# ---- deadlocks


def crossed(first: str, second: str, request: str) -> str:
    get = [f"acquire = '{first}'", "delay = 'exp(30ms)'", f"acquire = '{second}'"]
    give = ["use = 's'", f"release = '{second}'", f"release = '{first}'"]
    return steps(*get, *give, request=request)


PAIRS = [("x", "y"), ("y", "z"), ("z", "x")]
CROSSED = station("s", "exp(4ms)", "servers = 5") + "".join(pool(name, 3) for name in "xyz")
CROSSED += "".join(crossed(*pair, request=name) for pair, name in zip(PAIRS, "abc", strict=True))


@pytest.mark.parametrize("options", [{"requests": 3_000}, {"requests": None, "duration": "100s"}])
@pytest.mark.parametrize("others", [False, True])
def test_requests_that_were_given_up_in_a_delay_may_lock_one_another(
    options: dict[str, Any], others: bool
) -> None:
    """At its timeout a request of the three is in its delay, and so stays; then it waits."""
    more = steps("use = 's'", request="d") if others else ""
    names = "abcd" if others else "abc"
    found = simulated(open_(150, LEAVES.format("25ms"), names), CROSSED + more, **options)
    assert "a deadlock" in (found.untrusted or "")
    assert "has `x` and waits for `y`" in doubts(found)
    assert "clock ended" not in doubts(found)
    assert "was full" not in doubts(found)


def test_requests_that_leave_while_they_wait_lock_nobody() -> None:
    """Without a delay each waits or is served at its timeout, so that what waits leaves in time."""
    system = CROSSED.replace("{ delay = 'exp(30ms)' }, ", "")
    found = simulated(open_(600, LEAVES.format("150ms"), "abc"), system)
    assert "delay" not in system
    assert "deadlock" not in doubts(found)


# ---- the load of each kind of request


@pytest.mark.parametrize("patience_s", [0.03, 0.1])
def test_the_load_of_a_kind_is_what_it_was_served(patience_s: float) -> None:
    """M/M/1 with clients that leave, in and out of service, beside 400,000 requests of a recursion.

    Loads are within 0.01: five standard errors of 60,000 requests, exceeded in one of a million.
    """
    work = open_(70, f"timeout = '{patience_s}s'\ncancel = 'always'", "ab")
    system = "[[station]]\nname = 's'\ndemand.a = 'exp(40ms)'\ndemand.b = 'exp(5ms)'\n"
    found = simulated(work, system, requests=60_000).summary["stations"]["s"]
    draw = np.random.default_rng(3)
    number = 400_000
    came = np.cumsum(draw.exponential(1 / 70, number))
    is_a = draw.random(number) < 0.5
    demand = draw.exponential(np.where(is_a, 0.04, 0.005))
    free, served = 0.0, np.zeros(2)
    for at, need, kind in zip(came.tolist(), demand.tolist(), is_a.tolist(), strict=True):
        begin, gone = max(at, free), at + patience_s
        if begin < gone:
            free = min(begin + need, gone)
            served[0 if kind else 1] += free - begin
    for name, load in zip("ab", served / came[-1], strict=True):
        assert found["by_request"][name]["load"] == pytest.approx(load, abs=0.01), name
    both = sum(one["load"] for one in found["by_request"].values())
    assert both == pytest.approx(found["load"], rel=1e-9)


def test_a_station_without_visits_has_no_demand() -> None:
    system = station("s", "1ms") + station("idle", "9ms") + steps("use = 's'")
    found = simulated(open_(50, names="ab"), system).summary["stations"]["idle"]
    assert found["demand_s"] == {"mean": None, "cv2": None}
    assert found["response_time_mean_s"] is None
    assert "by_request" not in found


# ---- heavy tails


BLOCK, TAIL = "blocks others", "no interval of its mean"
PARETO = "pareto(shape={}, scale=3ms)"
SERVE = station("s", "1ms")
HOLD = SERVE + pool("p", 1)
HOLD_STEPS = ("acquire = 'p'", "delay = '{}'", "release = 'p'", "use = 's'")


@pytest.mark.parametrize(
    ("said", "shape", "keys", "system"),
    [
        # A client that gives up bounds its own time, and not the time for which others wait.
        (BLOCK, 1.7, "timeout = '0.3s'", station("s", "{}")),
        (BLOCK, 1.7, LEAVES.format("0.3s"), station("s", "{}", "servers = 2")),
        (BLOCK, 1.7, "timeout = '0.3s'", HOLD + steps(*HOLD_STEPS)),
        (None, 1.7, "timeout = '0.3s'\ncancel = 'always'", station("s", "{}")),
        (None, 1.7, "timeout = '0.3s'", station("s", "{}", "policy = 'srpt'")),
        (None, 2.4, "timeout = '0.3s'", station("s", "{}")),
        # One place of a pool is as one server.
        ("one place of `p` the mean response time is infinite", 1.7, "", HOLD + steps(*HOLD_STEPS)),
        ("one place of `p` the variance", 2.4, "", HOLD + steps(*HOLD_STEPS)),
        (
            "one place of `p` the mean",
            1.7,
            "",
            station("s", "{}", "policy = 'ps'")
            + pool("p", 1)
            + steps("acquire = 'p'", "use = 's'", "release = 'p'"),
        ),
        (TAIL, 1.7, "", HOLD.replace("size = 1", "size = 3") + steps(*HOLD_STEPS)),
        (TAIL, 1.7, "", SERVE + steps("use = 's'", "delay = '{}'")),
        (None, 2.4, "", SERVE + steps("use = 's'", "delay = '{}'")),
        (None, 3.4, "", HOLD + steps(*HOLD_STEPS)),
        (None, 1.7, "timeout = '0.3s'", SERVE + steps("use = 's'", "delay = '{}'")),
    ],
)
def test_infinite_moments_are_found_behind_timeouts_pools_and_delays(
    said: str | None, shape: float, keys: str, system: str
) -> None:
    text = system.replace("{}", PARETO.format(shape))
    found = simulated(open_(50, keys), text, requests=2_000)
    assert ("infinite" in doubts(found)) == (said is not None), doubts(found)
    assert (said or "") in doubts(found)
    assert (found.summary["response_time_s"]["ci95"] is None) == (said is not None)
    assert any("ci95" in one for one in found.summary["stations"].values()) == (said is None)
