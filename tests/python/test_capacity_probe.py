"""One probe of a capacity: the margin by which it meets or misses the objectives."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import thinktime as tt
from thinktime.capacity_search import generator
from thinktime.capacity_search.answer import answer
from thinktime.capacity_search.probe import Probe, probe_of
from thinktime.capacity_search.search import Search
from thinktime.capacity_search.table import table
from thinktime.results.verdict import Objective


def result(
    *objectives: Objective,
    model: str = "open",
    kind: str = "run",
    untrusted: str | None = None,
    **more: object,
) -> Any:
    figures = {
        "kind": kind, "model": model, "requests": 10_000, "errors": 0, "dropped": 0,
        "duration_s": 10.0, "offered_rate": 1000.0, "throughput": 1000.0,
        "response_time_s": {"mean": 0.002, "ci95": 0.0001, "p99": 0.01},
        "lateness_s": {"mean": 1e-5, "p99": 1e-4},
    }  # fmt: skip
    return SimpleNamespace(
        summary=figures | more, untrusted=untrusted, interrupted=False, objectives=objectives
    )


def objective(
    name: str, limit: float, value: float | None, interval: tuple[float, float] | None = None
) -> Objective:
    """An objective of all requests, judged by its interval."""
    low, high = interval or (0.0, math.inf)
    verdict = "met" if high <= limit else "not met" if low > limit else "cannot tell"
    return Objective(name, None, limit, value, interval, verdict, f"{name} is {value}")


MEAN = objective("mean", 0.01, 0.002, (0.0019, 0.0021))
P99 = objective("p99", 0.02, 0.01, (0.009, 0.011))
SLOW = objective("p99", 0.02, 0.05, (0.045, 0.055))


def test_the_margin_is_that_of_the_worst_objective() -> None:
    probe = probe_of(1000.0, result(MEAN, P99))
    assert probe.passed
    assert probe.margin == pytest.approx(math.log(0.5))
    assert probe.error == pytest.approx(math.log(11 / 9) / (2 * 1.96), rel=1e-3)
    assert probe.why.startswith("p99")


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"throughput": 900.0}, "the rate was not achieved"),
        ({"errors": 10_000}, "every request failed"),
        ({"requests": 0}, "no request was over"),
        ({"dropped": 5}, "5 requests were never sent"),
    ],
)
def test_a_run_fails_for_other_reasons_than_times(figures: dict[str, object], words: str) -> None:
    probe = probe_of(1000.0, result(MEAN, P99, **figures))
    assert not probe.passed
    assert words in probe.why
    assert not probe.generator


@pytest.mark.parametrize("name", ["checks", "goodput"])
def test_a_least_share_is_met_by_a_larger_one(name: str) -> None:
    more = Objective(name, None, 0.95, 0.99, (0.985, 0.995), "met", f"{name} is 99 %")
    probe = probe_of(1000.0, result(more))
    assert probe.passed
    assert probe.margin == pytest.approx(math.log(0.01 / 0.05))
    fewer = Objective(name, None, 0.95, 0.9, (0.89, 0.91), "not met", f"{name} is 90 %")
    assert probe_of(1000.0, result(fewer)).margin == pytest.approx(math.log(0.1 / 0.05))


def test_requests_that_were_given_up_are_later_than_any_limit() -> None:
    """The p99 of the others alone was taken, so that a server could meet it by giving up."""
    lost = Objective("p99", None, 0.02, None, None, "not met", "2.00 % of requests failed")
    probe = probe_of(1000.0, result(MEAN, lost, errors=200, throughput=980.0))
    assert (probe.passed, probe.margin, probe.why) == (False, None, "2.00 % of requests failed")


def test_a_workload_without_a_limit_of_errors_has_one() -> None:
    """A server that fails every tenth request at once meets any other objective."""
    text = 'name="w"\n[arrivals]\nmodel="open"\nrate=50\n[slo]\nmean="1s"\n'
    failing = text + '[[request]]\nname="a"\nget="/"\ntimeout="23ms"\n'
    system = tt.System('name="s"\n[[station]]\nname="x"\nservers=1000\ndemand="exp(10ms)"')
    told = tt.capacity(tt.Workload(failing), system, requests=20_000, probes_max=2)
    assert not told.probes["passed"].any()
    assert all("requests failed" in why for why in told.probes["why"])
    assert tt.capacity(tt.Workload(text), system, requests=20_000, probes_max=1).value


@pytest.mark.parametrize(("high", "verdict"), [(0.0004, "met"), (0.04, "cannot tell")])
def test_a_run_without_errors_meets_an_objective_of_errors_alone(high: float, verdict: str) -> None:
    """It was taken for a probe without measurements, and the capacity for missing."""
    probe = probe_of(1.0, result(objective("errors", 0.01, 0.0, (0.0, high))))
    assert (probe.passed, probe.slo, probe.why) == (True, verdict, "errors is 0.0")
    lost = objective("errors", 0.01, 0.05, (0.045, 0.056))
    assert not probe_of(1.0, result(lost, errors=500, throughput=950.0)).passed


def test_a_run_without_a_request_says_nothing_of_the_server() -> None:
    probe = probe_of(0.1, result(MEAN, requests=0))
    assert probe.slo == "cannot tell"
    found = Search(start=0.1, probes=[probe, Probe(0.05, True, -1.0, 0.1)])
    assert found._bracket()[1] == math.inf


def test_missing_by_chance_and_what_is_under_way_do_not_fail() -> None:
    assert probe_of(1000.0, result(P99, throughput=970.0)).passed
    assert probe_of(1000.0, result(P99, model="closed", throughput=900.0)).passed


def test_the_generator_is_a_suspect_only_where_the_run_failed() -> None:
    late = {"lateness_s": {"mean": 0.001, "p99": 0.02}}
    assert probe_of(1.0, result(P99, **late)).passed
    assert not probe_of(1.0, result(SLOW)).generator
    assert probe_of(1.0, result(SLOW, **late)).generator


def test_a_probe_that_was_stopped_has_failed_for_certain() -> None:
    probe = probe_of(1000.0, result(P99), stopped=True)
    assert (probe.passed, probe.margin) == (False, 0.0)
    found = Search(start=1000.0, probes=[probe, Probe(500.0, True, -1.0, 0.01)])
    assert found.estimate().high <= 1000.0


def test_a_percentile_of_too_few_requests_is_not_sure_to_be_met() -> None:
    """In 30 of 100 runs none of 119 requests is above the true p99."""
    figures = {"requests": 119, "throughput": 11.9, "offered_rate": 11.9}
    low = probe_of(35.0, result(objective("p99", 0.02, 0.01), **figures))
    assert (low.passed, low.short) == (True, "p99")
    assert probe_of(35.0, result(P99)).short == ""
    high = Probe(50.0, False, 2.0, 0.1)
    found = Search(start=50.0, probes=[replace(low, margin=-2.0, error=0.1), high], probes_max=2)
    assert found._bracket() == (0.0, 50.0)
    told = answer(found, "rate", "/s")
    assert told.doubts[0].startswith("1 of 2 probes had too few requests to bound p99")
    assert "at least 368 requests a probe" in told.doubts[0]
    sure = Search(start=50.0, probes=[Probe(35.0, True, -2.0, 0.1), high], probes_max=2)
    assert sure._bracket() == (35.0, 50.0)
    assert answer(sure, "rate", "/s").doubts == []


@pytest.mark.parametrize(
    ("probe", "slo"),
    [
        (Probe(1.0, True, -1.0, 0.1), "met"),
        (Probe(1.0, True, -0.1, 0.1), "cannot tell"),
        (Probe(1.0, False, 0.4, 0.5), "cannot tell"),
        (Probe(1.0, False, 1.0, 0.4), "not met"),
        (Probe(1.0, False, None), "not met"),
    ],
)
def test_a_probe_is_judged_by_its_interval(probe: Probe, slo: str) -> None:
    assert probe.slo == slo
    found = answer(Search(start=1.0, probes=[probe]), "rate", "/s")
    assert table(found).lines[0].cells[0].text == slo


def test_wide_intervals_of_ratios_are_said_by_their_ends() -> None:
    probes = [Probe(1.0, False, math.log(1.5), 0.5), Probe(2.0, False, math.log(1.5), 0.01)]
    found = table(answer(Search(start=1.0, probes=probes), "rate", "/s"))
    assert found.lines[0].cells[1].text == "1.50 (0.56 to 4.0)"
    assert found.lines[1].cells[1].text == "1.50 ± 0.030"


def test_lateness_is_what_counts_for_the_generator() -> None:
    assert generator.lateness_probe(1.0, result()).passed
    assert not generator.lateness_probe(1.0, result(lateness_s={"mean": 0, "p99": 0.01})).passed
    assert "failed" in generator.lateness_probe(1.0, result(errors=3)).why
