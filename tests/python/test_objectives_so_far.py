"""Objectives before the end of a run are judged as the result judges them at its end."""

from __future__ import annotations

from typing import Any

import pytest

import thinktime as tt
from thinktime.monitor.objectives import judged, state_of
from thinktime.operations.run_progress import Moment, ObjectiveMoment, PopulationMoment

QUICK, SLOW = -64, 0
"""Buckets of times up to 62.5 ms and up to 1 s."""


def moment(
    objective: ObjectiveMoment, quick: int, slow: int = 0, failed: int = 0, **more: Any
) -> Moment:
    succeeded = quick + slow
    return Moment(
        10.0, 0, succeeded + failed, succeeded, None, None, None, {}, objectives=(objective,),
        response_buckets=((QUICK, quick), (SLOW, slow)), **more,
    )  # fmt: skip


def state(seen: Moment, independent: float | None, **more: Any) -> str:
    """That of its objective, if its response times are worth this many independent ones."""
    summary = {"requests": seen.succeeded, "errors": 0, "independent_requests": independent, **more}
    (found,) = judged(seen, summary)
    return found.state


P99 = ObjectiveMoment("p99", None, 0.25, 0.06)


@pytest.mark.parametrize(
    ("quick", "slow", "failed", "independent", "expected"),
    [
        (10_000, 0, 0, 10_000.0, "met"),
        (10_000, 0, 0, 300.0, "cannot tell"),  # 368 bound a p99
        (10_000, 0, 0, None, "cannot tell"),
        (9_950, 50, 0, 9_950.0, "met"),
        (9_920, 80, 0, 1_000.0, "cannot tell"),
        (9_000, 1_000, 0, 1_000.0, "not met"),
        (10_000, 0, 1_000, 1_000.0, "not met"),  # failed ones are later than any limit
        (9_700, 300, 0, 40.0, "cannot tell"),
        (0, 500, 0, None, "not met"),
    ],
)
def test_a_percentile_is_judged_by_its_independent_requests(
    quick: int, slow: int, failed: int, independent: float | None, expected: str
) -> None:
    assert state(moment(P99, quick, slow, failed), independent) == expected


def test_requests_of_the_limits_own_bucket_count_against_each_answer() -> None:
    within = ObjectiveMoment("p99", None, 0.98, 0.99)
    assert state(moment(within, 9_000, 1_000), 10_000.0) == "cannot tell"


@pytest.mark.parametrize(
    ("failed", "limit", "expected"),
    [(0, 0.01, "met"), (2, 0.01, "cannot tell"), (60, 0.01, "not met"), (0, 0.0, "met")],
)
def test_the_share_that_fails_has_the_interval_of_wilson(
    failed: int, limit: float, expected: str
) -> None:
    one = ObjectiveMoment("errors", None, limit, failed / 500)
    assert state(moment(one, 500 - failed, failed=failed), None) == expected


@pytest.mark.parametrize(
    ("half", "expected"), [(0.01, "met"), (0.1, "cannot tell"), (None, "cannot tell")]
)
def test_a_mean_is_judged_by_its_interval(half: float | None, expected: str) -> None:
    mean = ObjectiveMoment("mean", None, 0.25, 0.2)
    assert state(moment(mean, 500), 500.0, response_time_s={"ci95": half}) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0.1, "met"), (0.3, "not met"), (None, "cannot tell")]
)
def test_a_percentile_of_a_population_counts_once_enough_bound_it(
    value: float | None, expected: str
) -> None:
    parts = {"a": PopulationMoment(1000, 1000, None, value)}
    of = moment(ObjectiveMoment("p99", "a", 0.25, value), 10_000, populations=parts)
    assert state(of, 10_000.0) == expected
    assert state(of, 3_000.0) == "cannot tell"  # a tenth of them are of the population


def test_all_together_are_as_good_as_the_worst() -> None:
    fine, unsure = ObjectiveMoment("errors", None, 0.1, 0.0), P99
    seen = Moment(1.0, 0, 500, 500, None, None, None, {}, objectives=(fine, unsure))
    assert state_of(judged(seen, {})) == "cannot tell"
    assert state_of(judged(seen, {})[:1]) == "met"
    assert state_of([]) == ""


def test_the_end_says_the_same(tmp_path: Any) -> None:
    """A short run whose responses all come in time: too few requests bound a p99, enough an
    error share."""
    text = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "300/s"\n[slo]\np99 = "2s"\n'
    system = tt.System('name = "s"\n[[station]]\nname = "a"\ndemand = "1ms"\n')
    found = tt.simulate(tt.Workload(text), system, requests=200, seed=3)
    (at_end,) = found.objectives
    seen = moment(ObjectiveMoment("p99", None, 2.0, 0.002), 200)
    assert state(seen, found.summary["independent_requests"]) == at_end.verdict == "cannot tell"
