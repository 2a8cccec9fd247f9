"""`explain` predicts with the clients' own timeouts, and reports the random range of throughput."""

from __future__ import annotations

import cases
import pytest

import thinktime as tt
from thinktime.candidates.prediction import Prediction
from thinktime.explain import explain_result
from thinktime.explain.patience import Patience, patience_of
from thinktime.inputs.files import workload_of
from thinktime.report.explanation import HEADINGS, lines

PS = cases.system(("ps", "h2(10ms, cv2=4)"))


def workload(requests: str) -> tt.Workload:
    return cases.workload('model = "open"\nrate = 70', requests=requests)


def kind(name: str, weight: float, timeout: str = "") -> str:
    last = f'timeout = "{timeout}"\n' if timeout else ""
    return f'[[request]]\nname = "{name}"\nweight = {weight}\n{last}'


def simulated(requests: str = "", many: int = 8000) -> tt.Result:
    return tt.simulate(workload(requests), PS, requests=many, rows="all", warmup=0.0)


def test_clients_retry_at_the_timeout_of_the_workload() -> None:
    """After 5 s hardly anybody does: it is the open system."""
    found = explain_result(simulated(kind("item", 1, "5s")))
    assert found.kind == "ps", found.sentence
    retried = found.answers[-1]
    assert retried.question == "open, retries after 5.00 s, the timeout"
    assert retried.mean_s == pytest.approx(found.answers[0].mean_s, rel=0.15)


def test_without_a_timeout_clients_retry_after_the_measured_p99() -> None:
    found = explain_result(simulated())
    assert found.kind == "ps", found.sentence
    question = found.answers[-1].question
    assert question.startswith("open, retries after ")
    assert question.endswith(", the measured p99")


def test_timeouts_have_the_shares_of_their_requests() -> None:
    """Three kinds, two of which have one timeout and one has none."""
    requests = kind("a", 5, "250ms") + kind("b", 3) + kind("c", 1, "2s") + kind("d", 1, "250ms")
    result = simulated(requests, 20_000)
    found = patience_of(result, 0.1)
    assert found.given
    times = [time_s for time_s, _ in found.shares]
    assert times == [0.25, 2.0, None]
    whole = sum(share for _, share in found.shares)
    # Of 20,000 requests five standard errors of a share are at most 0.018.
    assert [share / whole for _, share in found.shares] == pytest.approx([0.6, 0.1, 0.3], abs=0.02)
    assert found.words == "retries after 250 ms to 2.00 s, the timeouts"
    arrivals = {"model": "open", "rate": 70}
    asked = workload_of({"name": "w", "arrivals": arrivals, "request": found.requests()})
    assert len(asked.request_names) == 3


def test_no_timeout_anywhere_is_the_p99() -> None:
    assert patience_of(simulated(kind("a", 1), 2000), 0.3) == Patience(((0.3, 1.0),), given=False)


def test_throughput_has_an_interval() -> None:
    """Of 8,000 Poisson arrivals the standard error is 1.1 %: a range of 2 to 15 %."""
    found = explain_result(simulated())
    own = found.answers[0]
    low, high = own.throughput_within or (0.0, 0.0)
    assert low < 70 < high
    assert 1.02 < high / low < 1.15
    shown = lines(found)[1].cells[HEADINGS.index("19 of 20 throughput")].text
    assert shown.endswith("/s")
    assert " to " in shown
    assert all(len(one.cells) == len(HEADINGS) for one in lines(found))


def test_a_rate_that_may_break_down_lies_between_nothing_and_a_finite_one() -> None:
    """Of eight rates, four of 700 and four of 1: 350.5 +- 2.365 * 373.7 * sqrt(9 / 8) (Student's t
    of 7 degrees, tables)."""
    low, high = Prediction.of([700.0, 1.0] * 4, logs=False).within(0.95)
    assert low == 0.0
    assert high == pytest.approx(350.5 + 2.365 * 373.65 * (9 / 8) ** 0.5, rel=1e-3)
