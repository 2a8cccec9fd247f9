"""`explain` separates the time of the network and its programs from the server's.

Each request takes some time more, half of it before the server and half after, independent of other
requests. The measurements are simulated with fixed seeds.
"""

from __future__ import annotations

import cases
import numpy as np
import pytest

import thinktime as tt
from thinktime.candidates.candidate import Candidate
from thinktime.candidates.visits import Visits
from thinktime.explain import explain_result
from thinktime.explain.choice import choose
from thinktime.explain.recognition import behind_a_delay, recognitions
from thinktime.explain.visits import visits_of


def behind(delay_s: float, policy: str, demand: str) -> tt.System:
    """A station behind a delay."""
    return Candidate(policy, policy, 1, (demand,), delay_s=delay_s).system()


def measured(
    system: tt.System, workload: tt.Workload | None = None, requests: int = 8000
) -> tt.Result:
    return tt.simulate(
        workload or cases.open_model(70), system, requests=requests, rows="all", warmup=0.0
    )  # fmt: skip


def test_a_model_behind_a_delay_takes_that_longer() -> None:
    """M/M/1 at 0.7 takes 33.3 ms, and two servers 11.4 ms, by Erlang C."""
    one = Candidate("fcfs", "fcfs", 1, ("exp(10ms)",), delay_s=0.004)
    assert one.words == "1 server, first come, first served, behind a delay of 4.00 ms"
    for servers, mean_s in ((1, 0.01 / 0.3), (2, 0.01 / (1 - 0.35**2))):
        system = one.system(servers=servers)
        made = tt.simulate(cases.open_model(70), system, requests=400_000, rows="none")
        mean = made.summary["response_time_s"]["mean"]
        # Five standard errors of 400,000 requests at that load.
        assert mean == pytest.approx(mean_s + 0.004, rel=0.06)
    pool = Candidate("pool", "ps", 1, ("exp(10ms)",), 4, 0.004)
    made = tt.simulate(cases.open_model(1), pool.system(), requests=40_000, rows="none")
    assert made.summary["response_time_s"]["mean"] == pytest.approx(0.0141, rel=0.03)
    text = pool.system().to_toml()
    assert text.index("delay") < text.index("acquire") < text.index("release")


@pytest.mark.usefixtures("one_question")
def test_the_delay_is_told_from_the_demand() -> None:
    found = explain_result(measured(behind(0.002, "fcfs", "exp(10ms)")))
    assert found.kind == "fcfs", found.sentence
    assert found.model is not None
    assert "1 server, first come, first served, behind a delay of" in found.model
    assert found.system is not None
    station = tt.System(found.system).stations[0]
    assert station.demand is not None
    assert station.demand.mean == pytest.approx(0.010, rel=0.06)
    assert found.load == pytest.approx(0.7, abs=0.05)
    own = found.answers[0]
    assert own.mean_s == pytest.approx(found.mean_s, rel=0.15)


@pytest.mark.usefixtures("one_question")
def test_a_closed_run_behind_a_delay() -> None:
    """The delay also postpones clients' next requests: it is a part of the model."""
    clients = cases.closed_model(10, "exp(90ms)")
    result = measured(behind(0.003, "fcfs", "exp(10ms)"), clients)
    found = explain_result(result)
    assert found.kind == "fcfs", found.sentence
    assert "behind a delay of" in (found.model or "")
    assert found.answers[0].mean_s == pytest.approx(found.mean_s, rel=0.1)


def test_a_delay_that_differs_between_requests_is_found_on_average() -> None:
    """As over HTTP, where processes are woken up: 0.2 ms, and exponentially 0.1 ms more."""
    result = measured(cases.system(("fcfs", "exp(2ms)")), cases.open_model(350), 20_000)
    exact = visits_of(result)
    random = np.random.default_rng(7)
    before, after = (0.0001 + random.exponential(5e-5, len(exact)) for _ in range(2))
    came = exact.arrival_s + 0.01 - before
    order = np.argsort(came)
    seen = Visits.served(came[order], (exact.done_s + 0.01 + after)[order])
    choice = choose(seen, result.workload)
    assert choice.fits
    assert choice.best is not None
    assert choice.best.candidate.kind == "fcfs"
    assert 0.0002 < choice.best.candidate.delay_s < 0.0004


def test_too_few_that_find_the_server_idle_tell_no_delay() -> None:
    came = np.arange(2000) * 1.0
    assert behind_a_delay(Visits.served(came, came + 1.5)) == []


def test_a_delay_keeps_what_is_learned_apart() -> None:
    """The law learned from the whole times is that of the demands without the delay."""
    seen = visits_of(measured(behind(0.005, "fcfs", "exp(10ms)")))
    assert recognitions(seen) == []
    (first, *_) = behind_a_delay(seen)
    assert first.candidate.delay_s == pytest.approx(0.005, rel=0.1)
    again = first.learned_from(seen)
    assert again.candidate.delay_s == first.candidate.delay_s
    laws = [tt.Distribution(one.demands[0]) for one in again.variants(8)]
    # A further draw of 8,000 exponential demands beside their own: five errors, and the delay's.
    assert all(law.mean == pytest.approx(0.010, rel=0.09) for law in laws)
    assert np.mean([law.mean for law in laws]) == pytest.approx(0.010, rel=0.05)
    assert all(one.delay_s == first.candidate.delay_s for one in again.variants(8))
