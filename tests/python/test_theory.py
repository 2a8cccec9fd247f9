"""thinktime.theory against published numbers, independent solutions and properties.

Golden values come from quadrature, from simulations of 1e8 requests and more, or from solving
the Markov chain by other means; no value was taken from the code under test.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from theory_cases import (
    BIMODAL,
    BIMODAL_MEAN,
    H2,
    approx,
    exponential,
    few,
    h2_laws,
    is_survival_function,
    loads,
    means,
    phases_of,
)

from thinktime import theory
from thinktime.theory import (
    Deterministic,
    Hyperexponential,
    Moments,
    Station,
    asymptotic_bounds,
    balanced_job_bounds,
    closed_fcfs,
    mva,
    think_time_for_load,
)

# ---- laws of the service demand


@pytest.mark.parametrize(
    ("mean", "cv2", "p1", "rates"),
    [
        (1, 4, 0.887298335, (1.774596669, 0.225403331)),
        (10, 8, 0.940958552, (0.188191710, 0.0118082896)),
        (101, 9.19, 0.948254712, None),
        (1, 96, 0.994818513, None),
    ],
)
def test_balanced_hyperexponential(mean, cv2, p1, rates):
    law = Hyperexponential.balanced(mean, cv2)
    assert law.probabilities[0] == approx(p1, rel=1e-8)
    if rates:
        assert law.rates == approx(rates, rel=1e-8)
    assert (law.mean, law.cv2) == approx((mean, cv2), rel=1e-10)
    (q1, q2), (m1, m2) = law.probabilities, law.rates
    assert q1 / m1 == approx(q2 / m2)
    assert law.third_moment == approx(6 * (q1 / m1**3 + q2 / m2**3))


def test_moments_of_the_bimodal_demand():
    assert BIMODAL.mean == approx(BIMODAL_MEAN, rel=1e-12)
    assert BIMODAL.cv2 == approx(17.213, rel=1e-4)
    assert BIMODAL.sf(15) == approx(2.23e-4, rel=2e-3)


@few
@given(h2_laws)
def test_moments_are_the_integrals_of_the_survival_function(law):
    def moment(n):
        slowest = min(law.rates)
        points = np.concatenate(([0], np.geomspace(1e-3 / max(law.rates), 60 / slowest, 40)))
        at, weights = np.polynomial.legendre.leggauss(20)
        half = np.diff(points)[:, None] / 2
        t = points[:-1, None] + half * (at + 1)
        return float((half * weights * n * t ** (n - 1) * law.sf(t)).sum())

    got = law.mean, law.second_moment, law.third_moment
    assert got == approx([moment(n) for n in (1, 2, 3)], rel=1e-6)


def test_deterministic_demand():
    law = Deterministic(3)
    assert (law.mean, law.second_moment, law.third_moment, law.cv2) == (3, 9, 27, 0)
    assert law.sf([-1, 0, 2.999, 3, 4]).tolist() == [1, 1, 1, 0, 0]
    assert law.cdf([2.999, 3]).tolist() == [0, 1]
    assert (law.percentile(0), law.percentile(0.01), law.percentile(0.999)) == (0, 3, 3)


def test_moments_alone():
    assert Moments.from_cv2(10, 8) == Moments(10, 900)
    assert Moments(10, 900).cv2 == 8
    assert Moments(BIMODAL_MEAN, BIMODAL_MEAN**2).cv2 == approx(0, abs=1e-12)


# ---- operational laws


def test_operational_laws():
    assert theory.little(throughput=20, time_in_system=0.3) == approx(6)
    assert theory.load_at(rate=30, mean_demand=0.1, servers=4) == approx(0.75)
    assert theory.rate_for_load(0.75, mean_demand=0.1, servers=4) == approx(30)
    assert theory.interactive_response_time(10, 0.098162, 50) == approx(51.8729, rel=1e-4)


def test_bounds_of_a_textbook_network():
    # D = 5 + 4 + 3, Z = 18: saturation at 1/5 from (12 + 18) / 5 = 6 clients on.
    bounds = asymptotic_bounds(20, [5, 4, 3], 18)
    assert theory.knee([5, 4, 3], 18) == 6
    assert (bounds.throughput_min, bounds.throughput_max) == approx((20 / 258, 0.2))
    assert (bounds.response_time_min, bounds.response_time_max) == approx((82, 240))
    assert asymptotic_bounds(3, [5, 4, 3], 18).throughput_max == approx(0.1)
    tighter = balanced_job_bounds(3, [5, 4, 3])
    assert tighter.throughput_min == approx(3 / (12 + 2 * 5))
    assert tighter.throughput_max == approx(3 / (12 + 2 * 4))


@few
@given(
    st.integers(1, 60),
    st.lists(st.floats(0.01, 10), min_size=1, max_size=4),
    st.one_of(st.just(0.0), st.floats(0, 200)),
)
def test_bounds_bracket_mva(clients, demands, think_time):
    exact = mva(clients, [Station(d) for d in demands], think_time)
    wide = asymptotic_bounds(clients, demands, think_time)
    tight = balanced_job_bounds(clients, demands, think_time)
    steps = [
        wide.throughput_min,
        tight.throughput_min,
        exact.throughput[-1],
        tight.throughput_max,
        wide.throughput_max,
    ]
    assert all(a <= b * (1 + 1e-9) for a, b in pairwise(steps)), steps
    response = exact.response_time[-1]
    assert tight.response_time_min <= response * (1 + 1e-9) + 1e-9 * think_time
    assert response <= tight.response_time_max * (1 + 1e-9) + 1e-9 * think_time


# ---- open stations


def test_mm1_response_is_exponential():
    law = theory.mm1_response(0.8, 1)
    assert law.mean == approx(5)
    assert law.sf(7) == approx(math.exp(-7 / 5))
    # The exponential rows for a demand of 0.1 ms at load 0.8.
    law = theory.mm1_response(8, 0.1)
    golden = {0.5: 0.3466, 0.9: 1.1513, 0.99: 2.3026, 0.999: 3.4539, 0.9999: 4.6052}
    assert {p: law.percentile(p) for p in golden} == approx(golden, rel=2e-4)


@pytest.mark.parametrize(
    ("servers", "work", "waits", "mean"),
    [
        (1, 0.8, 0.8, 4),
        (2, 1.6, 0.711111, 1.777778),
        (4, 3.2, 0.596432, 0.745541),
        (8, 7.2, 0.701533, 0.876916),
        (16, 14.4, 0.591343, 0.369590),
    ],
)
def test_mmc_waiting(servers, work, waits, mean):
    law = theory.mmc_waiting(work / 7, 7, servers)
    assert theory.erlang_c(servers, work) == approx(waits, abs=1e-6)
    assert law.probability == approx(waits, abs=1e-6)
    assert law.mean / 7 == approx(mean, abs=1e-6)
    assert law.sf([-1, 0]) == approx([1, waits], abs=1e-6)
    assert law.sf(7 / (servers - work)) == approx(waits / math.e, abs=1e-6)
    assert theory.mmc_response(work / 7, 7, servers).mean == approx(7 + 7 * mean, abs=1e-5)


def test_erlang_b_against_the_sum_it_stands_for():
    terms = [14.4**k / math.factorial(k) for k in range(17)]
    assert theory.erlang_b(16, 14.4) == approx(terms[-1] / sum(terms))
    assert theory.erlang_b(3, 0) == 0


@pytest.mark.parametrize(
    ("servers", "work"), [(2, 1.0), (2, 1 + 1e-9), (4, 2.9), (4, 3.9), (8, 0.5)]
)
def test_mmc_response_is_wait_plus_demand(servers, work):
    response = theory.mmc_response(work, 1, servers)
    waiting = theory.mmc_waiting(work, 1, servers)
    for t in (0.3, 2.0, 9.0):
        queued, _ = integrate.quad(lambda s, t=t: math.exp(-s) * waiting.sf(t - s), 0, t)
        assert response.sf(t) == approx(math.exp(-t) + queued, rel=1e-8)
    assert response.cdf(response.percentile(0.99)) == approx(0.99)
    assert response.sf(1e6) == 0


def test_mmc_response_where_the_formula_would_divide_by_zero():
    # c - 1 - a = 0: P(T > t) = e^-t (1 + C t) with C = 1/3 for two servers at load 1/2.
    law = theory.mmc_response(1, 1, 2)
    assert law.sf([0, 1, 3]) == approx([1, math.exp(-1) * 4 / 3, math.exp(-3) * 2])


@few
@given(loads, means)
def test_one_server_of_mmc_is_mm1(load, mean):
    rate = load / mean
    one, other = theory.mm1_response(rate, mean), theory.mmc_response(rate, mean, 1)
    times = one.mean * np.array([0, 0.1, 1, 10])
    assert other.sf(times) == approx(one.sf(times), rel=1e-9)
    assert other.mean == approx(one.mean)
    assert theory.mh1_response(rate, exponential(mean)).sf(times) == approx(one.sf(times))
    assert theory.mg1_mean_response(rate, exponential(mean)) == approx(one.mean)


@pytest.mark.parametrize(
    ("load", "mean", "percentiles"),
    [
        (0.5, 55, (10.544, 176.320, 265.020, 470.974, 765.629)),
        (0.8, 190, (94.436, 515.128, 696.312, 1117.006, 1718.884)),
        (0.9, 415, (258.626, 1040.387, 1377.074, 2158.835, 3277.283)),
    ],
)
def test_mh1_response_percentiles(load, mean, percentiles):
    law = theory.mh1_response(load / 10, H2)
    assert law.mean == approx(mean)
    got = [law.percentile(p) for p in (0.5, 0.9, 0.95, 0.99, 0.999)]
    assert got == approx(percentiles, abs=6e-4)


def test_mh1_of_the_bimodal_demand():
    rate = 0.8 / BIMODAL_MEAN
    response, waiting = theory.mh1_response(rate, BIMODAL), theory.mh1_waiting(rate, BIMODAL)
    golden = {0.5: 0.4182, 0.9: 14.1615, 0.99: 45.798, 0.999: 77.434, 0.9999: 109.07}
    assert response.mean == approx(4.1132, abs=5e-5)
    assert {p: response.percentile(p) for p in golden} == approx(golden, rel=1e-4)
    assert response.sf([15, 25]) == approx([0.09408, 0.04544], abs=5e-6)
    assert waiting.mean == approx(4.00328, abs=5e-6)
    t = np.array([0, 0.2, 20])
    tail = 0.522466 * np.exp(-2.747872 * t) + 0.277534 * np.exp(-0.07278361 * t)
    assert waiting.sf(t) == approx(tail, rel=2e-5)


@few
@given(loads, h2_laws)
def test_mh1_agrees_with_pollaczek_khinchine(load, law):
    rate = load / law.mean
    waiting, response = theory.mh1_waiting(rate, law), theory.mh1_response(rate, law)
    assert waiting.mean == approx(theory.mg1_mean_waiting(rate, law), rel=1e-8)
    assert response.mean == approx(theory.mg1_mean_response(rate, law), rel=1e-8)
    second = waiting.probability * waiting.delayed.second_moment
    variance = theory.mg1_waiting_variance(rate, law)
    assert second - waiting.mean**2 == approx(variance, rel=1e-7)
    is_survival_function(response)


def test_mh1_with_three_phases_is_wait_plus_demand():
    law = Hyperexponential((0.5, 0.3, 0.2), (4, 1, 0.25))
    response, waiting = theory.mh1_response(0.6, law), theory.mh1_waiting(0.6, law)
    for t in (0.5, 3.0, 30.0):

        def density(s):
            return sum(p * r * math.exp(-r * s) for p, r in zip(*phases_of(law), strict=True))

        queued, _ = integrate.quad(lambda s, t=t: density(s) * waiting.sf(t - s), 0, t)
        assert response.sf(t) == approx(law.sf(t) + queued, rel=1e-7)


def test_mg1_waiting_of_other_demands():
    assert theory.mg1_mean_waiting(0.8, Deterministic(1)) == approx(2)  # M/D/1: half of M/M/1
    assert theory.mg1_waiting_variance(0.8, Deterministic(1)) == approx(4 + 0.8 / 0.6)
    rate = 0.8 / BIMODAL_MEAN
    constants = Moments(BIMODAL_MEAN, 0.999 * 0.1**2 + 0.001 * 10**2)
    mixed = Moments(BIMODAL_MEAN, 0.999 * 2 * 0.1**2 + 0.001 * 10**2)
    # 7.279345 x 0.10999 / 0.4 + 0.1099, simulated 2.110; and with 0.11998, simulated 2.289.
    assert theory.mg1_mean_response(rate, constants) == approx(2.11154, abs=1e-5)
    assert theory.mg1_mean_response(rate, mixed) == approx(2.29334, abs=1e-5)
    for load, mean in ((0.5, 55), (0.7, 115), (0.8, 190), (0.9, 415)):
        assert theory.mg1_mean_response(load / 10, Moments.from_cv2(10, 8)) == approx(mean)
    assert theory.mg1_mean_response(0.08, Moments.from_cv2(10, 20)) == approx(430)


def test_ps_response():
    assert theory.ps_mean_response(0.07, 10) == approx(33.3333, abs=1e-4)
    assert theory.ps_conditional_response(0.08, 10, 3) == approx(15)
    assert theory.ps_conditional_response(0.08, 10, 10) == theory.ps_mean_response(0.08, 10)


@pytest.mark.parametrize("stay", [0, 0.5, 0.75, 0.9])
def test_partly_open_response_is_that_of_the_open_system(stay):
    session_rate = 0.8 * (1 - stay)  # simulated for each: 4.97 to 5.03
    assert theory.partly_open_mean_response(session_rate, stay, 1) == approx(5)
    at_station = theory.partly_open_mean_sessions(session_rate, stay, 1, 0)
    assert at_station == approx(4)
    thinking = session_rate * stay / (1 - stay) * 100
    present = theory.partly_open_mean_sessions(session_rate, stay, 1, 100)
    assert present == approx(4 + thinking)


# ---- percentiles and errors


@few
@given(loads, h2_laws, st.floats(1e-6, 0.999999))
def test_percentile_inverts_the_distribution(load, law, p):
    rate = load / law.mean
    for each in (law, theory.mh1_response(rate, law), theory.mmc_response(rate, law.mean, 3)):
        assert each.cdf(each.percentile(p)) == approx(p, rel=1e-8, abs=1e-10)


def test_percentile_of_a_wait_that_most_requests_do_not_have():
    law = theory.mm1_response(0.3, 1)
    waiting = theory.mmc_waiting(0.3, 1, 1)
    assert waiting.percentile(0.5) == 0
    assert waiting.percentile(0.9) == approx(math.log(0.3 / 0.1) / 0.7)
    assert law.percentile(0) == 0


@pytest.mark.parametrize("p", [-0.1, 1, 99, math.nan])
@pytest.mark.parametrize("law", [H2, Deterministic(1), closed_fcfs(3, H2, 10).response_time])
def test_percentile_wants_a_fraction(law, p):
    with pytest.raises(ValueError, match=r"0\.99, not 99"):
        law.percentile(p)


@pytest.mark.parametrize(
    "overloaded",
    [
        lambda: theory.mm1_response(0.125, 10),
        lambda: theory.mmc_waiting(0.5, 10, 4),
        lambda: theory.mmc_response(0.5, 10, 4),
        lambda: theory.erlang_c(4, 5),
        lambda: theory.mh1_response(0.125, H2),
        lambda: theory.mh1_waiting(0.125, H2),
        lambda: theory.mg1_mean_waiting(0.125, H2),
        lambda: theory.mg1_mean_response(0.125, H2),
        lambda: theory.mg1_waiting_variance(0.125, H2),
        lambda: theory.ps_mean_response(0.125, 10),
        lambda: theory.ps_conditional_response(0.125, 10, 3),
        lambda: theory.partly_open_mean_response(0.0625, 0.5, 10),
        lambda: theory.partly_open_mean_sessions(0.0625, 0.5, 10, 3),
        lambda: theory.rate_for_load(1.25, 10),
        lambda: think_time_for_load(5, H2, 1.25),
    ],
)
def test_a_load_of_one_or_more_is_named(overloaded):
    with pytest.raises(ValueError, match=r"load must be above 0 and below 1; it is 1\.25"):
        overloaded()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: theory.mm1_response(0.1, 10), "it is 1:"),
        (lambda: theory.mm1_response(0, 10), "rate must be finite and above 0"),
        (lambda: theory.mm1_response(0.1, math.nan), "mean_demand must be finite"),
        (lambda: theory.mmc_response(0.1, 1, 0), "servers must be a whole number"),
        (lambda: theory.mmc_response(0.1, 1, 1.5), "servers must be a whole number"),
        (lambda: theory.partly_open_mean_response(1, 1, 0.1), r"stay_probability .* below 1"),
        (lambda: Hyperexponential((0.5, 0.4), (1, 2)), r"must sum to 1; they sum to 0\.9"),
        (lambda: Hyperexponential((1,), (1, 2)), "one rate for each probability"),
        (lambda: Hyperexponential((), ()), "at least one"),
        (lambda: Hyperexponential((1.5, -0.5), (1, 2)), "each probability"),
        (lambda: Hyperexponential((1,), (0,)), "each rate"),
        (lambda: Hyperexponential.balanced(1, 0.5), r"C² of 1 or above; it is 0\.5"),
        (lambda: Deterministic(0), "above 0"),
        (lambda: Moments(2, 3.9), "at least the square of the mean"),
        (lambda: Moments.from_cv2(2, -1), "C² must be finite and 0 or above"),
        (lambda: Station(-1), "mean_demand"),
        (lambda: Station(1, servers=0), "servers"),
        (lambda: mva(0, [Station(1)]), "clients must be a whole number"),
        (lambda: mva(3, []), "at least one station"),
        (lambda: mva(3, [Station(1)], -1), "think_time must be finite and 0 or above"),
        (lambda: closed_fcfs(3, H2, -1), "think_time must be finite and 0 or above"),
        (lambda: theory.mm1n(3, 1, 0), "think_time must be finite and above 0"),
        (lambda: think_time_for_load(3, H2, 0), "it is 0:"),
        (lambda: think_time_for_load(3, Deterministic(1), 0.5), "must be Hyperexponential"),
        (lambda: think_time_for_load(3, H2, 0.5, "srpt"), "'fcfs' or 'ps'; it is 'srpt'"),
        (lambda: asymptotic_bounds(3, []), "at least one station"),
        (lambda: balanced_job_bounds(3, [1, 0]), "each demand"),
        (lambda: theory.little(-1, 1), "throughput"),
        (lambda: theory.interactive_response_time(10, 3, 5), "at most 2"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_all_lists_the_public_names_in_order():
    assert theory.__all__ == sorted(theory.__all__)
    assert all(getattr(theory, name).__doc__ for name in theory.__all__)
