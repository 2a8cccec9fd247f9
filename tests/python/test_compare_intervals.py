"""Two results compared: intervals of the figures of one, and of differences."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from thinktime.comparison import Estimate, Missing
from thinktime.comparison.change import change
from thinktime.comparison.estimate import Requests, estimates_of
from thinktime.comparison.requests import requests_of
from thinktime.numerics import stdtrit
from thinktime.numerics.shares import wilson


def sample(times: np.ndarray, failed: float = 0.0, seed: int = 0) -> Requests:
    """Requests that come evenly, one a second, with these response times."""
    random = np.random.default_rng(seed)
    wanted = np.arange(len(times)) + 0.5
    lost = random.random(len(times)) < failed
    return Requests(float(len(times)), wanted, np.where(lost, np.nan, times), wanted[~lost])


def estimate(requests: Requests, figure: str) -> Estimate:
    found = estimates_of(requests)[figure]
    assert isinstance(found, Estimate)
    return found


# ---- intervals of one result


@pytest.mark.parametrize(
    ("figure", "truth"), [("mean", 1.0), ("p50", np.log(2)), ("p90", np.log(10)), ("errors", 0.1)]
)
def test_intervals_of_independent_values_hold_the_truth(figure: str, truth: float) -> None:
    """Were the seeds not fixed, fewer than 184 of 200 would come once in 60 tests or so."""
    held = 0
    for seed in range(200):
        times = np.random.default_rng(seed).exponential(1.0, 2000)
        found = estimate(sample(times, 0.1, seed), figure)
        held += found.low <= truth <= found.high
        assert found.high - found.low < 0.35 * max(truth, 0.3)
    assert held >= 184


def replicated(number: int, seed: int) -> tuple[Requests, dict[str, np.ndarray]]:
    """Replications of 1,000 s with an outage in the second half, and their own figures.

    In it nine of ten requests fail, and the others take five times as long.
    """
    random = np.random.default_rng(seed)
    wanted = random.uniform(0.0, 1000.0, (number, 1000))
    outage = wanted > 500
    times = random.exponential(1.0, (number, 1000)) * np.where(outage, 5.0, 1.0)
    lost = random.random((number, 1000)) < np.where(outage, 0.9, 0.01)
    all_s = 1000.0 * np.arange(number)[:, None] + wanted
    responses = np.where(lost, np.nan, times)
    requests = Requests(
        1000.0 * number, all_s.ravel(), responses.ravel(), all_s[~lost], replications=number
    )
    own = {"errors": lost.mean(axis=1), "throughput": (~lost).sum(axis=1) / 1000.0}
    return requests, own


@pytest.mark.parametrize("figure", ["errors", "throughput"])
@pytest.mark.parametrize("number", [8, 12, 20, 40])
def test_a_change_over_time_is_no_chance_between_replications(number: int, figure: str) -> None:
    """The t interval of replications is the truth: the mean width of 30 seeds is nearly its."""
    ratios = []
    for seed in range(30):
        requests, own = replicated(number, seed)
        found = estimate(requests, figure)
        assert found.value == pytest.approx(own[figure].mean())
        half = stdtrit(number - 1, 0.975) * own[figure].std(ddof=1) / np.sqrt(number)
        ratios.append((found.high - found.low) / (2 * half))
    assert 0.9 < np.mean(ratios) < 1.4


def test_values_that_depend_on_one_another_widen_the_interval() -> None:
    random = np.random.default_rng(1)
    values = np.empty(20_000)
    values[0] = 0.0
    for n, step in enumerate(random.normal(size=len(values) - 1), start=1):
        values[n] = 0.95 * values[n - 1] + step
    values += 100
    alone = estimate(sample(random.permutation(values)), "mean")
    together = estimate(sample(values), "mean")
    # The mean of such values varies (1 + 0.95) / (1 - 0.95) = 39 times as much.
    assert 5 < (together.high - together.low) / (alone.high - alone.low) < 9


def test_a_percentile_needs_enough_values() -> None:
    times = np.random.default_rng(1).exponential(1.0, 2000)
    found = estimates_of(sample(times))
    assert isinstance(found["p99"], Estimate)
    assert isinstance(found["p99.9"], Missing)
    few = estimates_of(sample(times[:200]))["p99"]
    assert isinstance(few, Missing)
    assert few.times_as_long is not None
    assert 1.5 < few.times_as_long < 10


def test_no_failure_is_no_certainty() -> None:
    found = estimate(sample(np.ones(300)), "errors")
    assert found.value == found.low == 0
    assert found.high == pytest.approx(3.84 / 303.84, rel=1e-3)  # Wilson's, by hand: z² / (n + z²)
    assert wilson(0.5, 100) == pytest.approx((0.404, 0.596), abs=1e-3)  # a table's


def test_a_request_is_over_with_its_last_attempt() -> None:
    """One that succeeds at the second attempt, one that fails twice, one of the warm-up."""
    rows = pl.DataFrame(
        {
            "replication": [0] * 5, "session": [2, 2, 3, 3, 1], "request": [0] * 5,
            "attempt": [1, 2, 1, 2, 1],
            "scheduled_ns": [2_000_000_000, 3_000_000_000] * 2 + [0],
            "done_ns": [3_000_000_000, 5_000_000_000] * 2 + [1_000_000_000],
            "error": ["timeout", None, "timeout", "timeout", None],
        }
    )  # fmt: skip
    result: Any = SimpleNamespace(requests=rows, summary={"duration_s": 9.0, "warmup_s": 1.0})
    found = requests_of(result)
    assert found is not None
    assert found.wanted_s.tolist() == [1.0, 1.0]
    assert sorted(found.response_s.tolist(), key=str) == pytest.approx([3.0, np.nan], nan_ok=True)
    assert sorted(found.succeeded_s.tolist()) == [0.0, 4.0]


# ---- intervals of differences


def test_independent_intervals_add_up_as_variances_do() -> None:
    found = change("mean", Estimate(10.0, 9.0, 11.0), Estimate(13.0, 12.0, 14.0), paired=False)
    assert (found.low, found.high) == pytest.approx((3 - 2**0.5, 3 + 2**0.5))
    assert found.significant
    assert not found.paired
    # Fieller's: (13 - 10 x)² = 1 + x².
    # Either bound may be None by its type; here that fails the test.
    assert [1 + found.ratio_low, 1 + found.ratio_high] == pytest.approx(  # type: ignore[operator]
        sorted(np.roots([99, -260, 168]).real)
    )


def test_a_difference_and_its_ratio_agree_whether_there_is_any() -> None:
    random = np.random.default_rng(1)
    for _ in range(500):
        a, b = random.uniform(1, 2, 2)
        low, high = random.uniform(0.01, 0.5, 2), random.uniform(0.01, 2.5, 2)
        one, other = Estimate(a, a - low[0], a + high[0]), Estimate(b, b - low[1], b + high[1])
        found = change("p99", one, other, paired=False)
        assert found.ratio_low is not None
        assert (found.low > 0) == (found.ratio_low > 0)
        assert (found.high < 0) == (found.ratio_high is not None and found.ratio_high < 0)


def test_what_two_runs_have_in_common_is_taken_out() -> None:
    sections = np.random.default_rng(1).normal(size=20)
    one, other = Estimate(10.0, 9.0, 11.0, sections), Estimate(10.5, 9.5, 11.5, sections)
    assert change("mean", one, other, paired=True).significant
    assert not change("mean", one, other, paired=False).significant
    opposite = Estimate(10.5, 9.5, 11.5, -sections)
    assert not change("mean", one, opposite, paired=True).significant
