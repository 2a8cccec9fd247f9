"""`explain` reports a run that is too short, and names no model.

The measurements are simulated with fixed seeds. The error of a model by chance depends on the run:
of the short ones here it is far beyond the bound, of the long one far below.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path

import cases
import numpy as np
import pytest
from test_explain import H2, command, measured

import thinktime as tt
from thinktime.candidates.candidate import Candidate
from thinktime.candidates.ranking import CHANCE, CLOSE, FAR, TELLING, Score
from thinktime.candidates.visits import Visits
from thinktime.explain import explain_result, questions
from thinktime.explain.choice import Choice
from thinktime.explain.refusals import rounded_up, unfitting
from thinktime.explain.visits import MOST
from thinktime.report.explanation import lines_of

DEMO = "mix(0.999: exp(1ms), 0.001: exp(100ms))"
ONE = Candidate("ps", "ps", 1, ("exp(10ms)",))


def tried(apart: float, allowed: float, mean_off: float = 0.0) -> Score:
    return Score((ONE,), apart, allowed / CHANCE, mean_off)


def many(requests: int) -> Visits:
    """A number of requests, each of which finds the one before."""
    came = np.arange(requests) * 1.0
    return Visits.served(came, came + 1.5)


def test_what_chance_allows_is_bounded() -> None:
    assert CLOSE < TELLING
    assert tried(0.0, TELLING).fits
    assert not tried(0.0, TELLING * 1.01).fits
    assert not tried(TELLING * 1.01, TELLING).fits


@pytest.mark.parametrize(
    ("one", "short"),
    [
        (tried(0.1, TELLING), False),
        (tried(0.1, 2 * TELLING), True),
        (tried(3 * TELLING, 2 * TELLING), False),
        (tried(FAR + 0.1, 5 * TELLING), False),
        (tried(0.1, 2 * TELLING, mean_off=9.0), True),
    ],
    ids=["it tells", "too short", "too far off all the same", "nothing alike", "with another mean"],
)
def test_a_run_is_too_short_where_a_model_is_near_and_others_would_be(
    one: Score, short: bool
) -> None:
    choice = Choice(one)
    assert choice.too_short == short
    assert ("too few to tell" in unfitting(Choice(one), many(3000))) == (short)


def test_how_many_would_tell_goes_with_the_square_of_what_chance_allows() -> None:
    assert tried(0.1, 2 * TELLING).needed(3000) == pytest.approx(12_000, abs=1)
    assert tried(0.1, 3 * TELLING).needed(3000) == pytest.approx(27_000, abs=1)
    assert [rounded_up(one) for one in (7, 45, 451, 12_001, 120_000)] == [
        7, 45, 460, 13_000, 120_000,
    ]  # fmt: skip


def test_the_refusal_says_how_many_there_are_and_how_many_would_tell() -> None:
    said = unfitting(Choice(tried(0.1, 2 * TELLING)), many(3000))
    assert said.startswith("its 3,000 requests are too few to tell: the nearest one, 1 server, pro")
    assert "about 12,000 would tell at this load, and fewer at a lower one" in said
    assert "are used" not in said
    beyond = unfitting(Choice(tried(0.1, 4 * TELLING)), many(10_000))
    assert f"about 160,000 would tell, but at most {MOST:,} are used" in beyond


@pytest.mark.parametrize(
    ("system", "rate", "requests"),
    [
        (cases.system(("fcfs", DEMO)), 640, 2000),
        (cases.system(("fcfs", "h2(10ms, cv2=8)", 4)), 300, 1500),
        (cases.system(("ps", H2)), 85, 1200),
    ],
)
def test_a_short_run_names_no_model(system: tt.System, rate: float, requests: int) -> None:
    found = explain_result(measured(system, rate, requests))
    assert found.kind is None
    assert not found.answers
    assert f"its {requests:,} requests are too few to tell" in found.sentence
    assert found.requests_needed is not None
    assert found.requests_needed > requests
    assert found.models[0].allowed > TELLING


def test_a_model_that_does_nothing_alike_would_not_do_so_in_a_longer_run() -> None:
    """Two servers without waiting: the nearest model is one that can just keep up, or not."""
    even = cases.open_model(170, process="even")
    result = tt.simulate(
        even, cases.system(("ps", "const(10ms)", 2)), requests=4000, rows="all", warmup=0.0
    )
    found = explain_result(result)
    assert found.kind is None
    assert "it does not resemble the measurement" in found.sentence
    assert found.models[0].allowed > FAR
    assert found.requests_needed is None


def test_the_command_says_so_and_its_status_is_3(tmp_path: Path) -> None:
    tt.simulate(
        cases.open_model(640), cases.system(("fcfs", DEMO)), requests=2000, rows="all", warmup=0.0,
        output=tmp_path / "short",
    )  # fmt: skip
    status, text, errors = command(str(tmp_path / "short"))
    assert status == 3
    assert "too few to tell" in errors
    assert "cannot be said: no model fits" in text
    status, text, _ = command(str(tmp_path / "short"), "--json")
    assert status == 3
    told = json.loads(text)
    assert told["requests_needed"] > told["requests"] == 2000
    assert told["answers"] == []


def test_a_report_says_where_more_requests_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page uses the first of many requests; they may be too few although all would suffice."""
    monkeypatch.setattr(tt.Result, "kind", property(lambda _: "run"))
    module = importlib.import_module("thinktime.report.explanation")
    monkeypatch.setattr(module, "REPORTED", 2000)
    (line,) = lines_of(measured(cases.system(("fcfs", DEMO)), 640, 12_000))
    assert "too few to tell" in line.note
    assert "`thinktime explain DIR` looks at more of them" in line.note
    (line,) = lines_of(measured(cases.system(("fcfs", DEMO)), 640, 2000))
    assert "looks at more" not in line.note


def test_an_answer_that_may_be_anything_is_no_number() -> None:
    sure = questions.Answer("twice the load", 0.02, (0.004, 0.1), 0.1, (0.05, 0.2), 50.0)
    vague = replace(sure, mean_within_s=(0.003, 1.04))
    assert questions._vague(sure) is None
    assert questions._vague(vague) == (
        "it lies between 3.00 ms and 1.04 s: too little was measured to say more"
    )
