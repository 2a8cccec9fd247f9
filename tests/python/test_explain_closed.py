"""The hypothetical closed test, beside the measurement: a sentence, or the reason for its
absence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cases
import pytest
from test_explain import command

import thinktime as tt
from thinktime.explain import explain_result
from thinktime.explain.closed_test import CLOSED, OPEN, closed_test
from thinktime.explain.questions import Answer

TEN = Answer(CLOSED.format(10), 0.022, (0.020, 0.024), 0.070, (0.06, 0.08), 70.0)
OTHERS = Answer(OPEN, 0.033, (0.030, 0.036), 0.150, (0.13, 0.17), 70.0)
MEASURED = (0.033, 0.150, 70.0)


def said(*answers: Answer, is_closed: bool = False) -> str:
    return closed_test(answers, 10, MEASURED, is_closed=is_closed)


def test_it_stands_beside_what_was_measured() -> None:
    assert said(OTHERS, TEN) == (
        "a closed test with 10 clients at the same throughput would have shown a mean of 22.0 ms "
        "and a p99 of 70.0 ms, where 33.0 ms and 150 ms were measured: the misleading number"
    )


def test_nobody_is_misled_by_what_chance_explains() -> None:
    alike = replace(TEN, mean_s=0.031, mean_within_s=(0.028, 0.035))
    assert said(alike).endswith("were measured: no further apart than chance explains")


def test_what_was_a_closed_test_itself_has_an_open_one_beside_it() -> None:
    words = closed_test([TEN, OTHERS], 10, (0.022, 0.07, 70.0), is_closed=True)
    assert words.startswith("an open test at the same throughput would have shown a mean of 33.0")
    assert words.endswith("the measured number is the misleading one")


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([], "no model fits"),
        ([OTHERS], "no model fits"),
        ([Answer(TEN.question, None, None, None, None, None, "no load is that")], "no load is"),
        ([replace(TEN, throughput=60.0)], "its throughput would have been 60.0/s"),
    ],
)
def test_where_it_cannot_be_said_it_says_why(answers: list[Answer], why: str) -> None:
    words = said(*answers)
    assert words.startswith("what a closed test with 10 clients at the same throughput would have")
    assert f"cannot be said: {why}" in words


def test_the_command_says_it(tmp_path: Path) -> None:
    """For M/M/1 at 0.7, the mean is 33.3 ms; mean value analysis gives 23.3 ms for ten clients."""
    tt.simulate(
        cases.open_model(70), cases.system(("fcfs", "exp(10ms)")), requests=8000, rows="all",
        warmup=0.0, output=tmp_path / "r",
    )  # fmt: skip
    status, text, _ = command(str(tmp_path / "r"))
    shown = " ".join(text.split())
    assert status == 0
    assert (
        "a closed test with 10 clients at the same throughput would have shown a mean of" in shown
    )
    assert shown.count("the misleading number") == 1
    status, text, _ = command(str(tmp_path / "r"), "--json")
    told = json.loads(text)["closed_test"]
    assert " ".join(told.split()) in shown
    found = explain_result(tt.Result.load(tmp_path / "r"))
    (ten,) = [one for one in found.answers if one.question == TEN.question]
    assert ten.mean_s == pytest.approx(0.0233, rel=0.1)


def test_where_no_model_fits_the_command_says_that_nothing_can_be_said(tmp_path: Path) -> None:
    tt.simulate(
        cases.open_model(5), cases.system(("ps", "exp(1ms)")), requests=2000, rows="all",
        output=tmp_path / "r",
    )  # fmt: skip
    status, text, _ = command(str(tmp_path / "r"))
    assert status == 3
    assert "cannot be said: no model fits" in " ".join(text.split())
    status, text, _ = command(str(tmp_path / "r"), "--json")
    assert json.loads(text)["closed_test"].endswith("cannot be said: no model fits")


def test_a_closed_run_has_its_open_one() -> None:
    result = tt.simulate(
        cases.closed_model(20, "exp(250ms)"), cases.system(("ps", "h2(10ms, cv2=4)")),
        requests=8000, rows="all",
    )  # fmt: skip
    found = explain_result(result)
    assert found.workload_model == "closed"
    assert found.closed_test.startswith("an open test at the same throughput would have ")
