"""Simulations without a steady state, and those that cannot reach their end, say so."""

from __future__ import annotations

import math

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

STATION = "[[station]]\nname = 's'\nservers = {}\ndemand = '{}'\n"


def simulated(workload: str, system: str, requests: int = 4_000, **options: object) -> tt.Result:
    whole = tt.Workload(f"name = 'w'\nseed = 3\n{workload}")
    return tt.simulate(whole, tt.System(f"name = 's'\n{system}"), requests=requests, **options)


def open_(rate: str, more: str = "") -> str:
    return f"[arrivals]\nmodel = 'open'\nrate = '{rate}'\n{more}"


def closed(clients: int, think: str, more: str = "") -> str:
    return (
        f"[arrivals]\nmodel = 'closed'\nclients = {clients}\n[session]\nthink = '{think}'\n{more}"
    )


def station(demand: str, servers: int = 1) -> str:
    return STATION.format(servers, demand)


# ---- the end of the clock


@pytest.mark.parametrize(
    ("workload", "demand"),
    [
        (open_("1e-7/s"), "exp(1000s)"),
        (open_("1e-7/s"), "h2(1000s, cv2=4)"),
        (closed(20, "exp(1s)"), "exp(3e8s)"),
        (closed(20, "exp(4e9s)"), "exp(1s)"),
        (closed(3, "1e30s"), "1s"),
        ("[arrivals]\nmodel = 'partly-open'\nrate = '2e-8/s'\n[session]\n"
         "requests = 'geometric(3)'\nthink = '1s'", "exp(1s)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("policy", ["fcfs", "ps"])
@pytest.mark.parametrize("warmup", [None, "0s"])
def test_the_clock_ends_with_a_reason(
    workload: str, demand: str, policy: str, warmup: str | None
) -> None:
    found = simulated(workload, f"{station(demand)}policy = '{policy}'", warmup=warmup)
    assert "292 years" in (found.untrusted or "")
    assert found.summary["requests"] < 4_000


def test_arrivals_that_end_by_themselves_are_no_end_of_the_clock() -> None:
    profile = "profile = 'steps(0s: 1, 50s: 0)'"
    found = simulated(open_("10/s", profile), station("exp(50ms)"))
    assert found.untrusted is None
    assert 0 < found.summary["requests"] < 4_000


# ---- models that have an answer are taken


BOUNDED = {
    "gives up": open_("3/s", "[[request]]\nname='r'\nget='/'\ntimeout='2s'\ncancel='queued'"),
    "gives up in service": open_(
        "3/s", "[[request]]\nname='r'\nget='/'\ntimeout='2s'\ncancel='always'"
    ),
    "few at a time": open_("3/s", "[clients]\nconcurrency = 3\nwaiting = 4"),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_requests_that_leave_or_are_turned_away_have_a_steady_state(name: str) -> None:
    found = simulated(BOUNDED[name], station("exp(1s)"))
    assert found.untrusted is None
    assert not any("without bound" in one for one in found.summary["warnings"])
    assert found.summary["errors"] > 1_500


def test_the_loss_behind_a_guard_is_erlangs() -> None:
    """M/M/2/2 at an offered load of 3: B = (9 / 2) / (1 + 3 + 9 / 2) = 0.5294.

    Of 40,000 requests; the bound is over 7 standard deviations wide: a false alarm in 10^11.
    """
    work = open_("3/s", "[clients]\nconcurrency = 2\nwaiting = 0")
    found = simulated(work, station("exp(1s)", 2), requests=40_000)
    assert found.summary["errors"] / 40_000 == pytest.approx(0.5294, abs=0.02)


GUARDED = """[[pool]]
name = 'p'
size = 3
queue_limit = {}
[[behaviour]]
steps = [{{ acquire = 'p' }}, {{ use = 's' }}, {{ release = 'p' }}]
"""


def test_a_pool_that_turns_requests_away_guards_what_it_holds() -> None:
    found = simulated(open_("3/s"), station("exp(1s)") + GUARDED.format(0))
    assert found.untrusted is None
    assert found.summary["errors"] > 2_000


@pytest.mark.parametrize(
    ("workload", "system"),
    [
        # Only half of the requests give up, and the others alone are too many.
        (open_("3/s", "[[request]]\nname='a'\nget='/a'\ntimeout='1s'\ncancel='queued'\n"
               "[[request]]\nname='b'\nget='/b'"), station("exp(1s)")),
        # Nobody waits under PS, so nobody is taken back.
        (BOUNDED["gives up"], station("exp(1s)") + "policy = 'ps'\n"),
        (open_("3/s", "[[request]]\nname='r'\nget='/'\ntimeout='2s'"), station("exp(1s)")),
    ],
)  # fmt: skip
def test_an_overload_that_nothing_bounds_is_still_refused(workload: str, system: str) -> None:
    with pytest.raises(tt.InputError, match="grows without bound"):
        simulated(workload, system)


# ---- overload that only figures show


def test_a_place_that_is_given_back_before_the_station_guards_nothing() -> None:
    """Beforehand nobody knows how many the pool turns away."""
    pool = "[[pool]]\nname = 'p'\nsize = 3\nqueue_limit = 0\n[[behaviour]]\nsteps = [{}]"
    steps = "{ acquire = 'p' }, { release = 'p' }, { use = 's' }"
    found = simulated(open_("3/s"), station("exp(1s)") + pool.format(steps))
    assert "an overload: `s` was full, at a load of 1.000" in str(found.untrusted)


CLUSTER = "[[cluster]]\nname = 'web'\nservers = 3\ndispatch = '{}'\n{}\n[[cluster.station]]\n" + (
    "name = 's'\ndemand = 'exp(1s)'\n"
)
POOL = station("exp(1s)", 20) + (
    "[[pool]]\nname = 'threads'\nsize = 2\n[[behaviour]]\n"
    "steps = [{ acquire = 'threads' }, { use = 's' }, { release = 'threads' }]"
)


@pytest.mark.parametrize(
    ("workload", "system", "named"),
    [
        (open_("4/s"), POOL, "`threads`"),
        (open_("2/s"), CLUSTER.format("random", "weights = [8, 1, 1]"), "`web/0/s`"),
        (open_("2.4/s", "[[request]]\nname='r'\nget='/{zipf(n=5, s=3)}'"),
         CLUSTER.format("hash", ""), "`web/"),
        (open_("60/s", "[[request]]\nname='r'\nget='/r'\nsize='100kB'"),
         station("exp(1ms)") + "[[link]]\nname='wan'\ndelay='1ms'\nrate='20Mbit/s'", "`wan`"),
    ],
)  # fmt: skip
def test_what_is_full_is_named(workload: str, system: str, named: str) -> None:
    found = simulated(workload, system)
    assert named in (found.untrusted or "")
    assert "no steady state" in (found.untrusted or "")


def test_who_asks_for_a_duration_is_told_and_gets_the_figures() -> None:
    work = tt.Workload(f"name = 'w'\n{open_('4/s')}")
    found = tt.simulate(work, tt.System(f"name = 's'\n{POOL}"), duration="2000s")
    assert found.untrusted is None
    assert any("`threads` was full" in one for one in found.summary["warnings"])


@pytest.mark.parametrize(
    ("workload", "system"),
    [
        (open_("1.9/s"), POOL),
        (closed(50, "exp(1s)"), POOL),
        (open_("1.9/s"), CLUSTER.format("random", "")),
    ],
)
def test_a_heavy_load_is_no_overload(workload: str, system: str) -> None:
    found = simulated(workload, system)
    assert found.untrusted is None
    assert not any("overload" in one for one in found.summary["warnings"])


# ---- deadlocks


def nested(*names: str) -> str:
    taken = [f"{{ acquire = '{name}' }}, {{ use = 's' }}" for name in names]
    given = [f"{{ release = '{name}' }}" for name in reversed(names)]
    return f"steps = [ {', '.join([*taken, *given])} ]"


def pools(*sizes: tuple[str, int]) -> str:
    return "".join(f"[[pool]]\nname = '{name}'\nsize = {size}\n" for name, size in sizes)


RING = (
    station("exp(50ms)", 9)
    + pools(("a", 2), ("b", 1), ("c", 1))
    + f"[[behaviour]]\nrequest = 'x'\n{nested('a', 'b')}\n"
    + f"[[behaviour]]\nrequest = 'y'\n{nested('b', 'c')}\n"
    + f"[[behaviour]]\nrequest = 'z'\n{nested('c', 'a')}\n"
)
KINDS = "".join(f"[[request]]\nname = '{name}'\nget = '/{name}'\n" for name in "xyz")


@pytest.mark.parametrize("work", [closed(8, "exp(200ms)", KINDS), open_("20/s", KINDS)])
@pytest.mark.parametrize("options", [{"requests": 4_000}, {"requests": None, "duration": "500s"}])
def test_a_deadlock_is_named_with_who_has_what(work: str, options: dict[str, object]) -> None:
    found = simulated(work, RING, **options)  # type: ignore[arg-type]
    reason = found.untrusted or ""
    assert "a deadlock" in reason
    for one in ("`x` has `a` and waits for `b`", "`y` has `b` and waits for `c`",
                "`z` has `c` and waits for `a`"):  # fmt: skip
        assert one in reason


def test_one_order_has_no_deadlock() -> None:
    system = RING.replace(nested("c", "a"), nested("a", "c"))
    found = simulated(closed(8, "exp(200ms)", KINDS), system)
    assert found.untrusted is None
    assert found.summary["requests"] == 4_000


# ---- heavy tails


@pytest.mark.parametrize(
    ("demand", "policy", "interval"),
    [
        ("pareto(shape=2.5, scale=0.3s)", "fcfs", False),
        ("mix(0.9: exp(0.4s), 0.1: pareto(shape=2.9, scale=0.3s))", "lcfs", False),
        ("pareto(shape=2.5, scale=0.3s)", "ps", True),
        ("pareto(shape=3.5, scale=0.4s)", "fcfs", True),
        ("truncated(pareto(shape=2.5, scale=0.3s), hi=10s)", "fcfs", True),
        ("pareto(shape=1.8, scale=0.3s)", "ps", False),
        ("pareto(shape=1.8, scale=0.3s)", "srpt", False),
    ],
)
def test_there_is_no_interval_if_the_variance_is_infinite(
    demand: str, policy: str, interval: bool
) -> None:
    found = simulated(open_("1/s"), f"{station(demand)}policy = '{policy}'", requests=20_000)
    assert (found.summary["response_time_s"]["ci95"] is not None) == interval
    said = [one for one in found.summary["warnings"] if "no interval of its mean" in one]
    assert bool(said) != interval


def test_closed_clients_bound_the_wait() -> None:
    work = closed(5, "exp(2s)")
    found = simulated(work, station("pareto(shape=2.5, scale=0.3s)"), requests=20_000)
    assert found.summary["response_time_s"]["ci95"] is not None


def test_the_demand_of_a_step_counts_too() -> None:
    own = "[[behaviour]]\nsteps = [{ use = 's', demand = 'pareto(shape=2.5, scale=0.3s)' }]"
    found = simulated(open_("1/s"), f"[[station]]\nname = 's'\n{own}", requests=20_000)
    assert found.summary["response_time_s"]["ci95"] is None


# ---- figures


def test_each_request_has_an_interval_with_replications() -> None:
    kinds = "[[request]]\nname='a'\nget='/a'\n[[request]]\nname='b'\nget='/b'\nweight=3"
    found = simulated(open_("1/s", kinds), station("exp(0.5s)"), 2_000, replications=6)
    whole = found.summary["response_time_s"]["ci95"]
    for name in "ab":
        own = found.summary["by_request"][name]["response_time_s"]["ci95"]
        assert own is not None
        assert math.isfinite(own)
        assert own != whole


# ---- policies that go by kinds


@pytest.mark.parametrize(
    ("policy", "demand", "alike"),
    [
        ("pesjf", "'exp(0.5s)'", True),
        ("peljf", "{ a = 'exp(0.5s)', b = '0.5s' }", True),
        ("pesjf", "{ a = 'exp(0.2s)', b = 'exp(0.6s)' }", False),
        ("priority", "'exp(0.5s)'\npriority = { a = 2, b = 2 }", True),
        ("priority", "'exp(0.5s)'\npriority = { a = 1, b = 2 }", False),
    ],
)
def test_a_policy_that_has_nothing_to_choose_is_said_to_be_fcfs(
    policy: str, demand: str, alike: bool
) -> None:
    kinds = "[[request]]\nname='a'\nget='/a'\n[[request]]\nname='b'\nget='/b'"
    system = f"[[station]]\nname = 's'\npolicy = '{policy}'\ndemand = {demand}\n"
    found = simulated(open_("1/s", kinds), system)
    assert any("first come, first served" in one for one in found.summary["notes"]) == alike


# ---- files without an end


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/urandom"])
def test_devices_are_refused_and_not_read(device: str) -> None:
    with pytest.raises(tt.InputError, match=f"{device}: is a device"):
        tt.System(f"name = 's'\n{station(f'empirical({device})')}")
    trace = f"[arrivals]\nmodel = 'open'\nprocess = 'trace({device})'"
    with pytest.raises(tt.InputError, match=f"{device}: is a device"):
        tt.Workload(f"name = 'w'\n{trace}")
    said = CliRunner().invoke(app, ["learn", device])
    assert said.exit_code == 2
    assert f"{device}: is a device" in said.stderr
