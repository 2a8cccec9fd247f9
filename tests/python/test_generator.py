"""The generator's promises: its times of sending, its use of resources, its losses."""

from __future__ import annotations

from collections.abc import Iterator

import cases
import numpy as np
import polars
import pytest

import thinktime as tt
from thinktime.stats import anderson_darling_exponential

pytestmark = pytest.mark.serial

QUICK = tt.System('name = "quick"\n[[station]]\nname = "server"\ndemand = "const(10us)"\n')
SLOW = tt.System('name = "slow"\n[[station]]\nname = "server"\ndemand = "const(50ms)"\n')


@pytest.fixture(scope="module")
def quick() -> Iterator[str]:
    with tt.serve(QUICK) as server:
        yield server.url


def test_the_schedule_is_a_poisson_process_and_nothing_is_sent_before_its_time(quick: str) -> None:
    """The gaps of the schedule are exponential: a test that errs with probability 1 %, on a fixed
    seed."""
    workload = tt.Workload('name = "p"\nseed = 7\n[arrivals]\nmodel = "open"\nrate = "1000/s"\n')
    result = tt.run(workload, quick, duration=5)
    rows = polars.DataFrame(result.requests).sort("scheduled_ns")
    scheduled = rows["scheduled_ns"].to_numpy() / 1e9
    assert not anderson_darling_exponential(np.diff(scheduled)).rejects(0.01)
    late = (rows["sent_ns"] - rows["scheduled_ns"]).to_numpy()
    assert (late >= 0).all()
    # However late any request was, none is left out: the schedule is that of the simulation.
    simulated = polars.DataFrame(tt.simulate(workload, QUICK, duration=5, warmup=0).requests)
    assert rows["scheduled_ns"].to_list() == sorted(simulated["scheduled_ns"].to_list())


def test_what_the_generator_uses_is_in_the_summary(quick: str) -> None:
    workload = cases.workload('model = "closed"\nclients = 5\n[session]\nthink = "exp(5ms)"')
    used = tt.run(workload, quick, duration=1).summary["generator"]
    assert 0 < used["cpu_share"] < 1
    assert 1 <= used["connections_max"] <= 5
    assert used["descriptors_allowed"] > 100
    assert used["interface_share"] is None
    assert "generator" not in tt.simulate(workload, QUICK, requests=100).summary


def test_many_loops_use_shares_of_at_most_the_whole_time(quick: str) -> None:
    """The threads of a thousand loops wait for cores also after the end of a run of 50 ms."""
    workload = tt.Workload('name = "p"\n[arrivals]\nmodel = "open"\nrate = "2000/s"\n')
    for _ in range(3):
        used = tt.run(workload, quick, duration=0.05, loops=1000).summary["generator"]
        assert used["loops"] == 1000
        assert 0 < used["cpu_share"] <= 1
        assert 0 <= used["without_core_share"] <= 1


def test_a_guard_drops_what_would_be_too_much() -> None:
    """One client place, a server of 50 ms, 100 requests a second: most are dropped and counted."""
    text = (
        'model = "open"\nrate = "100/s"\nprocess = "even"\n[clients]\nconcurrency = 1\nwaiting = 0'
    )
    workload = cases.workload(text)
    with tt.serve(SLOW) as server:
        real = tt.run(workload, server.url, requests=200).summary
    simulated = tt.simulate(workload, SLOW, duration=2, warmup=0).summary
    assert simulated["dropped"] == pytest.approx(160, abs=2)
    for summary in (real, simulated):
        assert summary["dropped"] == summary["errors_by_kind"]["too_many_waiting"]
        # 40 fit into two seconds, and one at the least into any time.
        assert 100 < summary["dropped"] < 200
        assert summary["requests"] == pytest.approx(200, abs=1)
    assert any("were dropped and never sent" in text for text in real["warnings"])


@pytest.mark.parametrize("lateness", ["0s", "2ms"])
def test_lateness_bounds_nothing_but_the_wakes(quick: str, lateness: str) -> None:
    workload = tt.Workload('name = "p"\nseed = 3\n[arrivals]\nmodel = "open"\nrate = "2000/s"\n')
    summary = tt.run(workload, quick, requests=2000, lateness=lateness).summary
    assert (summary["requests"], summary["errors"]) == (2000, 0)
    times = [summary[name]["p50"] for name in ("service_time_s", "response_time_s")]
    assert times[0] <= times[1]
    if lateness == "2ms":
        # Sent up to 2 ms later; the response time includes the wait, so nothing is hidden.
        assert summary["lateness_s"]["mean"] > 0.5e-3
        assert summary["response_time_s"]["mean"] > summary["lateness_s"]["mean"]
