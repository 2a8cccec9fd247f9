"""What a client's patience does to heavy tails and overloads, and overloads that are slight."""

from __future__ import annotations

from typing import Any

import pytest

import thinktime as tt

STATION = "[[station]]\nname = 's'\nservers = {}\ndemand = {}\n"
HEAVY, WORSE = "'pareto(shape=2.5, scale=0.3s)'", "'pareto(shape=1.8, scale=0.3s)'"
A_HEAVY, B_HEAVY = f"{{ a = {HEAVY}, b = '100ms' }}", f"{{ a = '100ms', b = {HEAVY} }}"


def simulated(workload: str, system: str, requests: int = 4_000, **options: Any) -> tt.Result:
    whole = tt.Workload(f"name = 'w'\nseed = 3\n{workload}")
    return tt.simulate(whole, tt.System(f"name = 's'\n{system}"), requests=requests, **options)


def open_(rate: str, *requests: str) -> str:
    tables = [f"[[request]]\nname = '{'ab'[at]}'\n{keys}\n" for at, keys in enumerate(requests)]
    return f"[arrivals]\nmodel = 'open'\nrate = '{rate}/s'\n" + "".join(tables)


# ---- heavy tails


@pytest.mark.parametrize(
    ("requests", "demand", "policy", "interval"),
    [
        (["timeout = '5s'"], HEAVY, "fcfs", True),
        (["timeout = '5s'\nretry = { attempts = 3 }"], HEAVY, "fcfs", True),
        (["timeout = '5s'"], WORSE, "ps", True),
        (["timeout = '5s'\nretry = { attempts = 2, when = 'late' }"], HEAVY, "fcfs", False),
        # The heavy demand of one kind stays, and delays the other, which waits for ever.
        (["timeout = '5s'", ""], A_HEAVY, "fcfs", False),
        (["timeout = '5s'", ""], A_HEAVY, "ps", True),
        (["timeout = '5s'\ncancel = 'always'", ""], A_HEAVY, "fcfs", True),
        (["timeout = '5s'\ncancel = 'queued'", ""], A_HEAVY, "fcfs", False),
        (["", "timeout = '5s'"], B_HEAVY, "lcfs", False),
        (["", ""], B_HEAVY, "fcfs", False),
    ],
)  # fmt: skip
def test_a_client_that_gives_up_sees_no_infinite_time(
    requests: list[str], demand: str, policy: str, interval: bool
) -> None:
    system = STATION.format(1, demand) + f"policy = '{policy}'"
    found = simulated(open_("0.5", *requests), system, requests=20_000)
    assert (found.summary["response_time_s"]["ci95"] is not None) == interval
    assert ("ci95" in found.summary["stations"]["s"]) == interval
    assert any("no interval of its mean" in one for one in found.summary["warnings"]) != interval


def test_clients_that_turn_requests_away_bound_the_wait() -> None:
    guard = "[clients]\nconcurrency = 3\nwaiting = 5\n"
    found = simulated(open_("1") + guard, STATION.format(1, HEAVY), requests=20_000)
    assert found.summary["response_time_s"]["ci95"] is not None


# ---- overloads


@pytest.mark.parametrize("cancel", ["queued", "always"])
def test_who_only_tries_again_when_late_does_not_leave(cancel: str) -> None:
    late = f"timeout = '2s'\ncancel = '{cancel}'\nretry = {{ attempts = 2, when = 'late' }}"
    with pytest.raises(tt.InputError, match="grows without bound"):
        simulated(open_("1.3", late), STATION.format(1, "'exp(1s)'"))


POOL = STATION.format(30, "'exp(1s)'") + (
    "[[pool]]\nname = 'threads'\nsize = 2\n[[behaviour]]\n"
    "steps = [{ acquire = 'threads' }, { use = 's' }, { release = 'threads' }]"
)
SESSIONS = "[arrivals]\nmodel = 'partly-open'\nrate = '{}/s'\n[session]\nthink = '0s'\n" + (
    "requests = 'geometric(40)'\n"
)


@pytest.mark.parametrize("options", [{}, {"requests": 20_000, "replications": 16}])
def test_a_slight_overload_is_named(options: dict[str, int]) -> None:
    """At a load of 1.025 the growth of 300,000 requests is 10 of its standard deviations."""
    found = simulated(open_("2.05"), POOL, **({"requests": 300_000} | options))
    assert "`threads` was full" in (found.untrusted or "")


@pytest.mark.parametrize("workload", [open_("1.97"), SESSIONS.format(0.0494)])
@pytest.mark.parametrize("seed", range(3))
def test_a_load_of_nearly_1_is_no_overload(workload: str, seed: int) -> None:
    found = simulated(workload, POOL, requests=60_000, seed=seed)
    assert not any("overload" in one for one in found.summary["warnings"])


# ---- deadlocks


@pytest.mark.parametrize("clients", [40, 6_000])
def test_a_deadlock_among_many_that_wait_is_found(clients: int) -> None:
    """Thousands queue up behind two who wait for one another: each is visited once."""
    steps = "steps = [{{ acquire = '{0}' }}, {{ use = 's' }}, {{ acquire = '{1}' }}, " + (
        "{{ use = 's' }}, {{ release = '{1}' }}, {{ release = '{0}' }}]"
    )
    system = STATION.format(5_000, "'exp(10ms)'") + "".join(
        f"[[pool]]\nname = '{name}'\nsize = {size}\n" for name, size in (("p", 900), ("q", 700))
    )
    for request, order in (("a", ("p", "q")), ("b", ("q", "p"))):
        system += f"[[behaviour]]\nrequest = '{request}'\n{steps.format(*order)}\n"
    work = (
        f"[arrivals]\nmodel = 'closed'\nclients = {clients}\n[session]\nthink = 'exp(10ms)'\n"
        "[[request]]\nname = 'a'\n[[request]]\nname = 'b'\n"
    )
    found = simulated(work, system, requests=None, duration="200s")
    assert ("a deadlock" in (found.untrusted or "")) == (clients == 6_000)
