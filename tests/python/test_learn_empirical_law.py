"""Values that fit no named law: a few outcomes stand for them, with the same effect on queues."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from thinktime import Distribution
from thinktime.learn.fit.empirical_law import MOST, few, outcomes, rounded_shares
from thinktime.learn.journeys.laws import counts_law, mean_of

RANDOM = np.random.default_rng(5)

VALUES = {
    "a heavy tail": np.round(RANDOM.pareto(1.5, 5000) * 4),
    "few large ones": np.where(np.arange(20_000) % 5000 == 7, 5000.0, RANDOM.poisson(8, 20_000)),
    "two humps": np.concatenate([RANDOM.poisson(3, 900), RANDOM.poisson(400, 100)]),
    "even": np.round(RANDOM.uniform(0, 1000, 3000)),
}


@pytest.mark.parametrize("name", VALUES)
def test_outcomes_have_the_mean_and_the_square_of_the_values(name: str) -> None:
    """The mean wait of a queue depends on both."""
    values = VALUES[name]
    law = Distribution(outcomes(values))
    assert law.mean == pytest.approx(values.mean(), rel=1e-3)
    assert law.cv2 == pytest.approx(values.var() / values.mean() ** 2, rel=0.03)


@pytest.mark.parametrize("name", VALUES)
def test_every_level_is_as_frequent_as_in_the_values(name: str) -> None:
    """No share above a level is off by more than two groups of equal weight."""
    values = VALUES[name]
    means, share = few(values, None, MOST)
    assert len(means) <= MOST
    assert share.sum() == pytest.approx(len(values))
    for level in np.quantile(values, np.linspace(0.01, 0.99, 50)):
        assert share[means > level].sum() / len(values) == pytest.approx(
            np.mean(values > level), abs=2 * 2 / MOST
        )


def test_what_is_rare_stays_apart() -> None:
    law = outcomes(VALUES["few large ones"])
    assert "0.000200: 5000" in law


def test_values_with_weights_are_values_that_are_there_more_often() -> None:
    values, often = np.arange(1.0, 101.0), np.tile([1.0, 2.0, 3.0, 4.0], 25)
    repeated: NDArray[np.float64] = np.repeat(values, often.astype(int))
    assert outcomes(values, often) == outcomes(repeated)


def test_one_value_is_a_number() -> None:
    assert outcomes([3.0, 3.0]) == "3"


def test_rounded_shares_sum_to_one() -> None:
    shares = np.random.default_rng(3).dirichlet(np.full(17, 0.3), 200)
    for row in shares:
        assert math.isclose(rounded_shares(row, 5).sum(), 1.0, abs_tol=1e-12)


def test_a_law_of_counts_has_their_mean() -> None:
    counts = VALUES["a heavy tail"]
    assert mean_of(counts_law(counts + 1)) == pytest.approx(counts.mean() + 1, rel=0.011)


def test_the_law_of_counts_with_a_heavy_tail_has_its_name() -> None:
    """Their mean is off by some percent by chance; 19 of these 20 samples still get the law's
    name."""
    named = 0
    for seed in range(20):
        many = (np.random.default_rng(seed).pareto(1.8, 10_000) + 1) * 2
        law = counts_law(np.floor(many + 0.5))
        named += law.startswith("pareto(shape=1.")
    assert named >= 17
