"""A simulation's own statements: warm-up, intervals, differences, ill-posed models."""

from __future__ import annotations

from pathlib import Path

import cases
import pytest
from volume import oracle, volume

import thinktime as tt

FCFS = cases.system(("fcfs", "h2(10ms, cv2=8)"))
PS = cases.system(("ps", "h2(10ms, cv2=8)"))
RETRYING = """
name = "w"
[arrivals]
model = "open"
rate  = "7279/s"
[[request]]
name    = "get"
timeout = "15ms"
retry   = { attempts = "unlimited", when = "late" }
"""
TWO_SPEEDS = cases.system(("fcfs", "mix(0.999: exp(0.1ms), 0.001: exp(10ms))"))


def test_a_warm_up_is_found_where_the_start_differs() -> None:
    """A closed system whose clients all begin to think at once needs one at a high load."""
    result = tt.simulate(
        cases.open_model(95), cases.system(("fcfs", "exp(10ms)")), requests=200_000, rows="none"
    )
    assert result.summary["warmup_s"] > 1
    assert any("warm-up was found" in note for note in result.summary["notes"])
    given = tt.simulate(cases.open_model(95), FCFS, requests=1000, warmup="2s", rows="none")
    assert given.summary["warmup_s"] == 2
    assert given.summary["notes"] == []


def test_percentiles_have_intervals_that_hold_the_exact_value() -> None:
    """Exponential response times of mean 20 ms; with this seed all four intervals, each with a
    false-alarm rate of 5 %, hold."""
    result = tt.simulate(
        cases.open_model(50), cases.system(("fcfs", "exp(10ms)")), requests=1_000_000, rows="none"
    )
    exact = {"p50": 0.013863, "p90": 0.046052, "p99": 0.092103, "p99.9": 0.138155}
    for name, value in exact.items():
        low, high = result.summary["response_time_ci95"][name]
        assert low * 0.999 <= value <= high * 1.001
        assert high - low < 0.1 * value


def test_common_random_numbers_narrow_a_difference() -> None:
    options = {"requests": 50_000, "replications": 10, "rows": "none", "warmup": 10}
    fcfs = tt.simulate(cases.open_model(80), FCFS, **options)
    ps = tt.simulate(cases.open_model(80), PS, **options)
    other = tt.simulate(cases.open_model(80), PS, seed=77, **options)
    paired, apart = tt.difference(fcfs, ps), tt.difference(fcfs, other)
    assert paired.paired
    assert not apart.paired
    assert paired.significant
    assert paired.mean_s < 0
    assert paired.ci95_s < apart.ci95_s
    assert tt.difference(ps, ps).ci95_s == 0
    assert not tt.difference(ps, ps).significant


def test_a_precision_says_what_it_took_or_what_it_would_take() -> None:
    workload, system = cases.open_model(50), cases.system(("fcfs", "exp(10ms)"))
    reached = tt.simulate(workload, system, precision="2%", rows="none").summary
    assert any("took" in note for note in reached["notes"])
    missed = tt.simulate(workload, system, precision="0.1%", requests=100_000, rows="none").summary
    assert any("was not reached" in warning for warning in missed["warnings"])


def test_an_infinite_mean_is_named() -> None:
    heavy = cases.system(("fcfs", "pareto(shape=1.5, scale=2ms)"))
    summary = tt.simulate(cases.open_model(50), heavy, requests=10_000, rows="none").summary
    assert any("mean response time is infinite" in warning for warning in summary["warnings"])
    shared = cases.system(("ps", "pareto(shape=1.5, scale=2ms)"))
    summary = tt.simulate(cases.open_model(50), shared, requests=10_000, rows="none").summary
    assert not any("mean response time is infinite" in one for one in summary["warnings"])
    assert any("infinite variance" in warning for warning in summary["warnings"])
    assert summary["response_time_s"]["ci95"] is None


def test_starvation_is_named() -> None:
    workload = cases.closed_model(20, "0s")
    starving = tt.simulate(workload, cases.system(("srpt", "h2(10ms, cv2=8)")), requests=50_000)
    assert any("starve" in warning for warning in starving.summary["warnings"])
    fair = tt.simulate(workload, PS, requests=50_000)
    assert not any("starve" in warning for warning in fair.summary["warnings"])


def test_what_is_given_up_among_retries_says_what_is_true() -> None:
    """Four million attempts are in the system after 5 s or so, most of them given up."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    files = examples / "retries.toml", examples / "two-speeds.toml"
    given_up = tt.simulate(*files, load=0.8, duration="10s", rows="none")
    assert given_up.untrusted is not None
    assert "attempts are in the system at once" in given_up.untrusted
    summary = given_up.summary
    assert summary["errors_by_kind"]["unanswered"] == summary["errors"]
    begun = 0.8 / 0.0001099 * summary["duration_s"]
    assert summary["requests"] == pytest.approx(begun, rel=0.05)
    said = " | ".join(summary["warnings"])
    assert "congestive collapse from" in said
    assert "starve" not in said
    assert "−" not in said
    assert "chance does not explain" not in said


def test_a_crowd_without_retries_is_not_said_to_have_finished() -> None:
    """At four times the capacity of a fast server, until four million wait."""
    crowded = tt.simulate(
        cases.open_model(4e6), cases.system(("fcfs", "1us"), ("ps", "1us")),
        duration="30s", rows="none",
    )  # fmt: skip
    assert "attempts are in the system at once" in (crowded.untrusted or "")
    said = " | ".join(crowded.summary["warnings"])
    assert "and never finished" in said
    assert "finished only because" not in said
    assert "−" not in said
    assert "chance does not explain" not in said


def test_congestive_collapse_is_said_with_its_time() -> None:
    collapsed = tt.simulate(tt.Workload(RETRYING), TWO_SPEEDS, duration="10s", rows="none")
    words = [one for one in collapsed.summary["warnings"] if "congestive collapse" in one]
    assert len(words) == 1
    began_s = float(words[0].split("from ")[1].split("s on")[0])
    # The median time to collapse is 1.7 s, the 90th percentile 2.9 s.
    assert 0.3 < began_s < 6
    shared = cases.system(("ps", "mix(0.999: exp(0.1ms), 0.001: exp(10ms))"))
    stable = tt.simulate(tt.Workload(RETRYING), shared, duration="10s", rows="none")
    assert not any("collapse" in warning for warning in stable.summary["warnings"])


POLICIES = ("fcfs", "lcfs", "siro", "plcfs", "ps", "sjf", "ljf", "psjf", "srpt", "las")


@oracle
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("cv2", [1, 4, 8, 20])
def test_every_policy_has_its_mean(policy: str, cv2: int) -> None:
    """Means of 10 replications within 4.3 standard errors of the exact ones: a false alarm has
    probability 0.002 each (Student's t, 9 degrees), and the seeds are fixed. Means are heavy-tailed
    at high C²: a load of 0.95, at which they say little of a few requests, is for C² = 1 alone in
    the usual volume."""
    demand = "exp(10ms)" if cv2 == 1 else f"h2(10ms, cv2={cv2})"
    usual = [(0.5, 25_000), (0.8, 60_000), *([(0.95, 150_000)] if cv2 == 1 else [])]
    for load, requests in volume(usual, [(0.5, 100_000), (0.8, 100_000), (0.95, 300_000)]):
        result = tt.simulate(
            cases.open_model(100 * load),
            cases.system((policy, demand)),
            requests=requests,
            replications=10,
            warmup=50 / (1 - load),
            rows="none",
        )
        assert result.theory is not None
        times = result.summary["response_time_s"]
        limit = times["ci95"] * 4.3 / 2.262
        assert abs(times["mean"] - result.theory.mean_s) <= limit, (load, times, result.theory)
