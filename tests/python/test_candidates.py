"""The judge of candidates: what is played in parallel, one more value, and demands under strain."""

from __future__ import annotations

import cases
import numpy as np
import pytest

from thinktime.candidates.candidate import Candidate
from thinktime.candidates.candidate_simulation import each, play
from thinktime.candidates.idle import alone
from thinktime.candidates.policies import Policy
from thinktime.candidates.prediction import Prediction
from thinktime.candidates.strain import sample
from thinktime.candidates.visits import Visits


def test_results_come_in_the_order_of_what_was_asked() -> None:
    assert each(lambda number: number * 2, range(50)) == [2 * number for number in range(50)]


def test_after_an_interrupt_nothing_more_begins() -> None:
    """As on Ctrl-C: the rest is left out."""
    begun: list[int] = []

    def do(number: int) -> int:
        begun.append(number)
        if number == 0:
            raise KeyboardInterrupt
        return number

    with pytest.raises(KeyboardInterrupt):
        each(do, range(100_000))
    assert len(begun) < 100_000


def test_a_played_station_has_the_figures_of_the_theory() -> None:
    """M/M/1 at 0.7: the mean is 33.3 ms; five standard errors of 200,000 requests are 7 %."""
    station = Candidate("fcfs", "fcfs", 1, ("exp(10ms)",))
    found = play(cases.open_model(70), station.system(), seed=3, requests=200_000)
    assert found.mean_s == pytest.approx(0.01 / 0.3, rel=0.07)
    assert found.p99_s == pytest.approx(np.log(100) * 0.01 / 0.3, rel=0.1)
    assert found.load == pytest.approx(0.7, abs=0.02)
    assert found.throughput == pytest.approx(70, rel=0.02)


def test_one_more_value_is_as_often_outside_as_it_may_be() -> None:
    """Of 2,000 samples 100 on average; four standard deviations are 39: once in 16,000 times."""
    random = np.random.default_rng(8)
    outside = 0
    for *values, one in random.lognormal(0.0, 0.5, (2000, 9)):
        low, high = Prediction.of(values).within(0.95)
        outside += not low <= one <= high
    assert 60 <= outside <= 140


def visits(requests: int) -> Visits:
    """One server, first come, first served, with exponential demands at a load of 0.7."""
    random = np.random.default_rng(9)
    came = np.cumsum(random.exponential(1.0, requests))
    done, free = np.empty(requests), 0.0
    for place, demand in enumerate(random.exponential(0.7, requests)):
        free = done[place] = max(free, came[place]) + demand
    return Visits.served(came, done)


def test_the_right_policy_strains_no_demands() -> None:
    seen = visits(20_000)
    found = sample(seen, alone(seen, 1))
    assert found is not None
    assert found.compares
    right, wrong, none = (Policy("fcfs", 1), Policy("ps", 1), Policy("idle", 99))
    strains = found.strains([right, wrong, none])
    assert strains[right].ratio < 1 < min(strains[wrong].ratio, strains[none].ratio)
    assert strains[right].excess <= 0.01 < strains[wrong].excess


def test_requests_that_found_nobody_show_no_policy() -> None:
    seen = visits(4000)
    assert sample(seen.part(seen.found == 0), alone(seen, 1)) is None


def test_too_few_requests_in_crowds_refute_no_policy() -> None:
    """One of 450 requests finds another: that is no comparison."""
    came = np.arange(450) * 10.0
    came[400] = came[399] + 0.5
    seen = Visits.served(came, came + 1.0)
    found = sample(seen, alone(seen, 1))
    assert found is not None
    assert not found.compares
    assert found.strains([Policy("ps", 1)])[Policy("ps", 1)].ratio == 0.0
