"""thinktime.stats against published numbers, other implementations and samples of known laws.

Generators are seeded, so that nothing here fails by chance.
"""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy import stats as scipy_stats
from scipy.signal import lfilter

from thinktime import stats
from thinktime.stats import (
    anderson_darling_exponential,
    augmented_dickey_fuller,
    batch_means,
    conditional_uniformity,
    counts_by_interval,
    index_of_dispersion,
    lag_correlation,
    minimum_samples,
    mser5,
    quantile_interval,
)
from thinktime.stats.quantile_interval import _least_below

approx = pytest.approx


def generator(seed=1):
    return np.random.default_rng(seed)


def autoregressive(n, pull, seed=1):
    """x_t = pull x_{t-1} + noise; pull 1 is a random walk."""
    return lfilter([1], [1, -pull], generator(seed).normal(size=n))


# ---- quantiles


@pytest.mark.parametrize(
    ("method", "p99", "p999"),
    [("extremes", 299, 2995), ("exact", 368, 3688), ("normal", 563, 5661)],
)
def test_minimum_samples(method, p99, p999):
    # 1 - 0.99^n >= 0.95 and 0.975; n - 1 >= ceil(0.99 n + 1.96 sqrt(0.0099 n)).
    assert minimum_samples(0.99, method=method) == p99
    assert minimum_samples(0.999, method=method) == p999
    samples = np.arange(p99, dtype=float)
    assert quantile_interval(samples, 0.99, method=method) is not None
    assert quantile_interval(samples[1:], 0.99, method=method) is None


def test_interval_of_a_median_from_the_tables():
    # Le Boudec 2010, table A.1: for n = 10 and 50 the median lies between x(2), x(9) and
    # x(18), x(33) at 95 %.
    for n, ranks in ((10, (2, 9)), (50, (18, 33))):
        found = quantile_interval(generator().permutation(n) + 1.0, 0.5)
        assert (found.lower_rank, found.upper_rank) == ranks
        assert (found.lower, found.upper) == ranks
        assert found.coverage >= 0.95
    normal = quantile_interval(np.arange(1000.0), 0.9, method="normal")
    spread = 1.959964 * math.sqrt(1000 * 0.9 * 0.1)
    ranks = math.floor(900 - spread), math.ceil(900 + spread) + 1
    assert (normal.lower_rank, normal.upper_rank) == ranks


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99, 0.999])
def test_ranks_are_those_of_the_binomial_law_of_scipy(p):
    for n in (1, 2, 7, 100, 4999, 10**6):
        for probability in (0.005, 0.025, 0.05, 0.975, 0.995):
            expected = int(scipy_stats.binom.ppf(probability, n, p))
            assert _least_below(probability, n, p) == expected, (n, probability)


@pytest.mark.parametrize("method", ["exact", "normal"])
def test_intervals_hold_the_quantile_at_their_rate(method):
    exact = math.log(10)  # p90 of the exponential law
    runs = generator().exponential(size=(2000, 200))
    held = [quantile_interval(run, 0.9, method=method) for run in runs]
    share = np.mean([i.lower <= exact <= i.upper for i in held])
    assert share == approx(held[0].coverage, abs=0.02)
    assert 0.94 < held[0].coverage < 0.99
    wrong = np.mean([i.lower <= 1.4 * exact <= i.upper for i in held])
    assert wrong < 0.5  # the check can fail


# ---- batch means


def test_batch_means_by_hand():
    found = batch_means([9, 1, 3, 2, 4, 6, 8], batches=3)
    assert found.means.tolist() == [2, 3, 7]
    assert found.mean == 4
    # t with 2 degrees is 4.302653 at 97.5 %; the variance of the means is 7.
    assert found.half_width == approx(4.302653 * math.sqrt(7 / 3), rel=1e-6)
    assert found.von_neumann_ratio == approx((1 + 16) / (4 + 1 + 9))


def test_batch_means_hold_the_mean_and_notice_short_batches():
    held, flagged, false_alarms = 0, 0, 0
    for seed in range(300):
        long = batch_means(autoregressive(20_000, 0.9, seed))
        short = batch_means(autoregressive(200, 0.99, seed))
        held += abs(long.mean) <= long.half_width
        false_alarms += long.independence < 0.05
        flagged += short.independence < 0.05
    assert held == approx(285, abs=12)
    assert false_alarms < 30
    assert flagged > 240


def test_von_neumann_ratio_has_its_moments():
    ratios = [batch_means(run).von_neumann_ratio for run in generator().normal(size=(4000, 40))]
    assert np.mean(ratios) == approx(2, abs=0.03)
    assert np.var(ratios) == approx(4 * 18 / 399, rel=0.1)


# ---- warm-up


def test_mser5_finds_the_step():
    values = generator().normal(size=2000)
    values[:300] += 5
    found = mser5(values)
    assert 300 <= found.samples <= 330
    assert found.long_enough
    assert mser5(generator(2).normal(size=2000)).samples < 500
    assert mser5(1e9 + values).samples == found.samples


def test_mser5_by_the_definition():
    values = np.cumsum(generator(3).normal(size=203)) + 1000
    z = values[:200].reshape(40, 5).mean(axis=1)
    costs = [np.sum((z[d:] - z[d:].mean()) ** 2) / (40 - d) ** 2 for d in range(21)]
    assert mser5(values).samples == 5 * int(np.argmin(costs))


def test_mser5_says_that_a_run_is_too_short():
    assert not mser5(np.linspace(1, 0, 200)).long_enough


# ---- exponential gaps


def test_anderson_darling_is_the_integral_that_it_stands_for():
    # n ∫ (F_n - F)² / (F (1 - F)) dF, between one value and the next.
    values = generator().gamma(1.5, size=30)
    f = np.concatenate(([0], np.sort(-np.expm1(-values / values.mean())), [1]))
    parts = [
        integrate.quad(lambda u, i=i: (i / 30 - u) ** 2 / (u * (1 - u)), f[i], f[i + 1])[0]
        for i in range(31)
    ]
    found = anderson_darling_exponential(values)
    assert found.statistic == approx(30 * sum(parts))
    assert found.corrected == approx(found.statistic * 1.02)


def test_anderson_darling_rejects_at_its_level():
    runs = generator().exponential(3.0, size=(4000, 50))
    corrected = np.array([anderson_darling_exponential(run).corrected for run in runs])
    for level, critical in stats.AndersonDarling.CRITICAL.items():
        assert np.mean(corrected > critical) == approx(level, abs=0.013)
    assert not anderson_darling_exponential(runs[0]).rejects()
    assert anderson_darling_exponential(generator().gamma(2, size=400)).rejects(0.01)
    rounded = np.ceil(generator().exponential(1.0, size=400))
    assert anderson_darling_exponential(rounded).rejects(0.01)


# ---- independence and stationarity


@pytest.mark.parametrize("lag", [1, 3])
def test_lag_correlation_against_scipy(lag):
    values = np.round(autoregressive(300, 0.3), 1)  # with ties
    theirs = scipy_stats.spearmanr(values[:-lag], values[lag:])
    found = lag_correlation(values, lag)
    assert (found.correlation, found.p_value) == approx((theirs.statistic, theirs.pvalue))


def test_lag_correlation_notices_dependence():
    p_values = [lag_correlation(run).p_value for run in generator().normal(size=(2000, 60))]
    assert np.mean(np.array(p_values) < 0.05) == approx(0.05, abs=0.015)
    assert lag_correlation(autoregressive(1000, 0.5)).p_value < 1e-10
    assert lag_correlation(autoregressive(1000, 0.5), lag=30).p_value > 0.01
    assert lag_correlation([1, 2, 3, 4, 5]).correlation == 1


def test_dickey_fuller_by_hand():
    # Without lags: the t-ratio of the slope of the differences on the values.
    values = autoregressive(200, 0.7)
    line = scipy_stats.linregress(values[:-1], np.diff(values))
    found = augmented_dickey_fuller(values, lags=0)
    assert found.statistic == approx(line.slope / line.stderr)
    assert (found.lags, found.observations) == (0, 199)
    assert augmented_dickey_fuller(values).lags == 14  # 12 (200 / 100)^(1/4) = 14.27


def test_dickey_fuller_with_lags_by_hand():
    x = autoregressive(120, 0.6)
    rows = [[x[t - 1], 1, x[t - 1] - x[t - 2], x[t - 2] - x[t - 3]] for t in range(3, 120)]
    design, steps = np.array(rows), x[3:] - x[2:-1]
    inverse = np.linalg.inv(design.T @ design)
    found = inverse @ design.T @ steps
    variance = np.sum((steps - design @ found) ** 2) / (117 - 4)
    expected = found[0] / math.sqrt(variance * inverse[0, 0])
    assert augmented_dickey_fuller(x, lags=2).statistic == approx(expected)


def test_dickey_fuller_tells_walks_from_stationary_series():
    walks = [augmented_dickey_fuller(autoregressive(300, 1, seed), 2) for seed in range(1000)]
    assert np.mean([walk.stationary() for walk in walks]) == approx(0.05, abs=0.02)
    series = [augmented_dickey_fuller(autoregressive(300, 0.8, seed), 2) for seed in range(100)]
    assert all(each.stationary(0.01) for each in series)
    assert walks[0].critical() == approx(-2.871, abs=2e-3)  # printed for n = 300
    assert [walks[0].critical(level) for level in (0.01, 0.1)] == approx([-3.452, -2.572], abs=2e-3)


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


def test_counts_by_interval():
    assert counts_by_interval([0.1, 0.9, 1.0, 3.5, 3.2, 4.1, 4.2], 1).tolist() == [2, 1, 0, 2]
    assert counts_by_interval([0.1, 0.2], 1).tolist() == []


def test_conditional_uniformity_under_a_changing_rate():
    rng = generator()
    p_values = []
    for _ in range(400):  # ten hours, each at its own rate
        times = [h + rng.random(rng.poisson(5 + 10 * h)) for h in range(11)]
        p_values.append(conditional_uniformity(np.concatenate(times), 1).p_value)
    assert np.mean(np.array(p_values) < 0.05) == approx(0.05, abs=0.03)


def test_conditional_uniformity_finds_rounding_and_trends():
    rng = generator()
    times = np.sort(rng.random(3000) * 30)
    uniform = conditional_uniformity(times, 1)
    assert uniform.p_value > 0.01
    assert uniform.arrivals == np.sum(times < 29)
    assert conditional_uniformity(np.round(times * 4) / 4, 1).p_value < 1e-6
    rising = np.floor(times) + np.sqrt(rng.random(3000))
    assert conditional_uniformity(rising, 1).p_value < 1e-6
    places = np.sort((times % 1)[times < 29])
    n = len(places)
    distance = max(np.max(np.arange(1, n + 1) / n - places), np.max(places - np.arange(n) / n))
    assert uniform.statistic == approx(distance)


# ---- errors


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: quantile_interval([], 0.5), "at least 1 values"),
        (lambda: quantile_interval([1, math.nan], 0.5), "must be finite"),
        (lambda: quantile_interval([1, 2], 99), r"0\.99, not 99"),
        (lambda: quantile_interval([1, 2], 0.5, confidence=1), "confidence is a fraction"),
        (lambda: quantile_interval([1, 2], 0.5, method="best"), "one of exact, normal, extremes"),
        (lambda: minimum_samples(1), "p is a fraction"),
        (lambda: batch_means(range(100), 2), "3 or above; it is 2"),
        (lambda: batch_means(range(30), 20), "at least 40 values"),
        (lambda: batch_means([1] * 100), "all values are the same"),
        (lambda: mser5(range(19)), "at least 20 values"),
        (lambda: mser5([[1] * 50]), r"shape is \(1, 50\)"),
        (lambda: anderson_darling_exponential([0, 1]), "above 0; the least is 0"),
        (lambda: anderson_darling_exponential([1, 2]).rejects(0.2), r"one of 0\.15, 0\.1"),
        (lambda: lag_correlation([1, 2, 4], 1), "at least 4 values"),
        (lambda: lag_correlation([1, 2, 3, 4], 0), "1 or above; it is 0"),
        (lambda: lag_correlation([3, 3, 3, 3, 3]), "all values are the same"),
        (lambda: augmented_dickey_fuller(range(9), -1), "0 or above; it is -1"),
        (lambda: augmented_dickey_fuller([2] * 9), "all values are the same"),
        (lambda: augmented_dickey_fuller(range(9), 3), "at least 12 values"),
        (lambda: augmented_dickey_fuller(range(50), 1), "too regularly"),
        (lambda: augmented_dickey_fuller([1, 3, 2, 5, 4, 4, 9]).critical(0.2), r"0\.01, 0\.05"),
        (lambda: index_of_dispersion([1]), "at least 2 values"),
        (lambda: index_of_dispersion([0, 0]), "not all 0"),
        (lambda: index_of_dispersion([1, -1]), "0 or above"),
        (lambda: counts_by_interval([1, 2], 0), "interval must be above 0"),
        (lambda: conditional_uniformity([-1, 2], 1), "every time 0 or above"),
        (lambda: conditional_uniformity([1, 1.5], 1), "at least 2 values"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_all_lists_the_public_names_in_order():
    assert stats.__all__ == sorted(stats.__all__)
    assert all(getattr(stats, name).__doc__ for name in stats.__all__)
