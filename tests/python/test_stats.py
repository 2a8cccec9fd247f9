"""thinktime.stats against published numbers, other implementations and samples of known laws.

Generators are seeded, so that nothing here fails by chance.
"""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.signal import lfilter

from thinktime.stats.dispersion import index_of_dispersion
from thinktime.stats.independence import lag_correlation

approx = pytest.approx


def generator(seed=1):
    return np.random.default_rng(seed)


def autoregressive(n, pull, seed=1):
    """x_t = pull x_{t-1} + noise; pull 1 is a random walk."""
    return lfilter([1], [1, -pull], generator(seed).normal(size=n))


# ---- independence


def test_lag_correlation_against_scipy():
    values = np.round(autoregressive(300, 0.3), 1)  # with ties
    theirs = scipy_stats.spearmanr(values[:-1], values[1:])
    found = lag_correlation(values)
    assert (found.correlation, found.p_value) == approx((theirs.statistic, theirs.pvalue))


def test_lag_correlation_notices_dependence():
    p_values = [lag_correlation(run).p_value for run in generator().normal(size=(2000, 60))]
    assert np.mean(np.array(p_values) < 0.05) == approx(0.05, abs=0.015)
    assert lag_correlation(autoregressive(1000, 0.5)).p_value < 1e-10
    assert lag_correlation([1, 2, 3, 4, 5]).correlation == 1


# ---- Poisson arrivals


def test_index_of_dispersion():
    assert index_of_dispersion([1, 2, 3, 6]).index == approx((4 + 1 + 0 + 9) / 3 / 3)
    runs = generator().poisson(8, size=(2000, 50))
    found = [index_of_dispersion(run) for run in runs]
    assert np.mean([each.index for each in found]) == approx(1, abs=0.02)
    assert np.mean([each.p_value < 0.05 for each in found]) == approx(0.05, abs=0.015)
    bursty = generator().negative_binomial(4, 1 / 3, size=200)  # variance 3 times the mean
    assert index_of_dispersion(bursty).p_value < 1e-6
    assert index_of_dispersion([10] * 50).p_value < 1e-6


# ---- errors


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: lag_correlation([1, 2, 4]), "at least 4 values"),
        (lambda: lag_correlation([[1] * 5]), r"shape is \(1, 5\)"),
        (lambda: lag_correlation([1, 2, 3, math.nan]), "must be finite"),
        (lambda: lag_correlation([3, 3, 3, 3, 3]), "all values are the same"),
        (lambda: index_of_dispersion([1]), "at least 2 values"),
        (lambda: index_of_dispersion([0, 0]), "not all 0"),
        (lambda: index_of_dispersion([1, -1]), "0 or above"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
