"""thinktime.theory against published numbers, independent solutions and properties.

Golden values come from quadrature, from simulations of 1e8 requests and more, or from solving
the Markov chain by other means; no value was taken from the code under test.
"""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.linalg import expm
from scipy.special import gammaincc

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

approx = pytest.approx
exponential = Hyperexponential.exponential

H2 = Hyperexponential.balanced(mean=10, cv2=8)
BIMODAL = Hyperexponential((0.999, 0.001), (10, 0.1))  # 0.1 ms or, rarely, 10 ms
BIMODAL_MEAN = 0.1099

few = settings(max_examples=40, deadline=None, derandomize=True)
loads = st.floats(0.01, 0.97)
means = st.floats(1e-3, 1e3)
h2_laws = st.builds(Hyperexponential.balanced, mean=means, cv2=st.floats(1, 60))


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
    _is_survival_function(response)


def test_mh1_with_three_phases_is_wait_plus_demand():
    law = Hyperexponential((0.5, 0.3, 0.2), (4, 1, 0.25))
    response, waiting = theory.mh1_response(0.6, law), theory.mh1_waiting(0.6, law)
    for t in (0.5, 3.0, 30.0):

        def density(s):
            return sum(p * r * math.exp(-r * s) for p, r in zip(*_phases(law), strict=True))

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


# ---- closed systems: mean-value analysis


@pytest.mark.parametrize(
    ("clients", "think_time", "throughput", "response", "load"),
    [
        (10, 50, 0.098162, 51.872889, 0.981615),
        (50, 450, 0.094590, 78.599602, 0.945896),
        (100, 900, 0.097304, 127.704213, 0.973043),
        (1000, 9000, 0.099994, 1000.593021, 0.999941),
    ],
)
def test_mva_golden(clients, think_time, throughput, response, load):
    solved = mva(clients, [Station(10)], think_time)
    assert solved.throughput.shape == solved.response_time.shape == (clients,)
    assert solved.loads.shape == solved.queue_lengths.shape == (clients, 1)
    assert solved.throughput[-1] == approx(throughput, abs=1e-6)
    assert solved.response_time[-1] == approx(response, abs=2e-6)
    assert solved.loads[-1, 0] == approx(load, abs=1e-6)
    states = theory.mm1n(clients, 10, think_time)
    assert states.shape == (clients + 1,)
    assert states.sum() == approx(1)
    assert 1 - states[0] == approx(load, abs=1e-6)
    assert np.arange(clients + 1) @ states == approx(solved.queue_lengths[-1, 0])


def _brute_force(clients, stations, think_time):
    """Throughput and queue lengths by summing the product form over every state."""

    def weight(station, n):
        together = math.prod(min(j, station.servers) for j in range(1, n + 1))
        return station.mean_demand**n / together

    def constant(n):
        total, lengths = 0.0, np.zeros(len(stations))
        for state in product(range(n + 1), repeat=len(stations)):
            thinking = n - sum(state)
            if thinking < 0:
                continue
            w = think_time**thinking / math.factorial(thinking)
            w *= math.prod(weight(s, k) for s, k in zip(stations, state, strict=True))
            total, lengths = total + w, lengths + w * np.array(state)
        return total, lengths

    whole, lengths = constant(clients)
    return constant(clients - 1)[0] / whole, lengths / whole


@pytest.mark.parametrize("think_time", [0.0, 5.0])
@pytest.mark.parametrize(
    "stations",
    [
        [Station(1), Station(2.5), Station(0.5)],
        [Station(4, servers=2)],
        [Station(1), Station(6, servers=3)],
        [Station(2, servers=2), Station(1), Station(6, servers=9)],
        [Station(2, servers=2), Station(5, servers=3), Station(3, servers=2)],
    ],
)
def test_mva_against_the_product_form(stations, think_time):
    solved = mva(7, stations, think_time)
    for n in (1, 2, 4, 7):
        throughput, lengths = _brute_force(n, stations, think_time)
        assert solved.throughput[n - 1] == approx(throughput, rel=1e-9)
        assert solved.queue_lengths[n - 1] == approx(lengths, rel=1e-9)
        assert solved.loads[n - 1] == approx(
            [throughput * s.mean_demand / s.servers for s in stations]
        )


def test_mva_with_many_servers_keeps_its_digits_at_saturation():
    # M/M/8//200 as a birth-death chain, whose load comes within 1e-9 of 1.
    log_weights = [0.0]
    for n in range(1, 201):
        log_weights.append(log_weights[-1] + math.log((201 - n) / 40 * 8 / min(n, 8)))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    mean = np.arange(201) @ weights / weights.sum()
    assert mva(200, [Station(8, servers=8)], 40).queue_lengths[-1, 0] == approx(mean, rel=1e-9)


# ---- closed systems: FCFS with a hyperexponential demand


@pytest.mark.parametrize(
    ("clients", "load", "think_time", "response"),
    [
        (10, 0.5, 169.4752, 30.5248),
        (10, 0.8, 79.3806, 45.6194),
        (10, 0.9, 57.5571, 53.5540),
        (100, 0.5, 1950.7447, 49.2553),
        (100, 0.8, 1131.4460, 118.5540),
        (100, 0.9, 937.1713, 173.9398),
    ],
)
def test_closed_fcfs_golden(clients, load, think_time, response):
    assert think_time_for_load(clients, H2, load) == approx(think_time, abs=6e-5)
    solved = closed_fcfs(clients, H2, think_time)
    assert solved.load == approx(load, abs=1e-6)
    assert solved.throughput == approx(load / 10, abs=1e-7)
    assert solved.response_time.mean == approx(response, abs=6e-4)


@pytest.mark.parametrize(
    ("clients", "load", "think_time"),
    [
        (10, 0.8, 96.8497),
        (50, 0.8, 585.0816),
        (100, 0.8, 1206.4379),
        (1000, 0.8, 12450.9357),
        (10, 0.9, 75.1058),
        (50, 0.9, 495.6211),
        (100, 0.9, 1041.0976),
        (1000, 0.9, 11018.0788),
    ],
)
def test_think_time_for_load(clients, load, think_time):
    assert think_time_for_load(clients, H2, load, "ps") == approx(think_time, abs=6e-5)
    if clients <= 100:
        found = think_time_for_load(clients, exponential(10), load, "fcfs")
        assert found == approx(think_time, abs=6e-5)


def test_think_time_of_one_client_is_what_is_left_of_the_cycle():
    assert think_time_for_load(1, BIMODAL, 0.8) == approx(0.027475)
    assert think_time_for_load(1, Deterministic(2), 0.5, "ps") == approx(2)


def test_think_times_of_the_bimodal_study():
    assert think_time_for_load(10, BIMODAL, 0.8) == approx(1.00643, abs=5e-6)
    assert think_time_for_load(10, exponential(0.1), 0.8) == approx(0.96850, abs=5e-6)
    assert closed_fcfs(10, exponential(0.1), 1.1450).load == approx(0.7210, abs=5e-5)
    assert closed_fcfs(10, BIMODAL, 1.258355).load == approx(0.6975, abs=5e-5)
    assert closed_fcfs(10, BIMODAL, 1.258355).response_time.mean == approx(0.31737, abs=5e-6)


@pytest.mark.parametrize(
    ("demand", "think_time", "mean", "simulated"),
    [
        (BIMODAL, 1.00643, 0.36732, (0.2175, 0.6056, 1.3251, 22.749, 46.04)),
        (BIMODAL, 1.258355, 0.31737, (0.1706, 0.5156, 1.1978, 22.590, 45.76)),
        (exponential(0.1), 0.96850, 0.28150, (0.2241, 0.6026, 1.0320, 1.4071, 1.7551)),
        (exponential(0.1), 1.1450, 0.24196, (0.1850, 0.5318, 0.9451, 1.3119, 1.656)),
    ],
)
def test_closed_response_percentiles_against_simulation(demand, think_time, mean, simulated):
    law = closed_fcfs(10, demand, think_time).response_time
    assert law.mean == approx(mean, abs=1e-5)
    got = [law.percentile(p) for p in (0.5, 0.9, 0.99, 0.999, 0.9999)]
    assert got == approx(simulated, rel=0.01)


def test_response_of_one_client_is_its_demand():
    law = closed_fcfs(1, BIMODAL, 0.02198).response_time
    golden = {0.5: 0.0694, 0.9: 0.2311, 0.99: 0.4704, 0.999: 0.9325, 0.9999: 23.026}
    assert {p: law.percentile(p) for p in golden} == approx(golden, rel=5e-4)
    times = np.array([0, 0.05, 0.4, 3, 50])
    assert law.sf(times) == approx(BIMODAL.sf(times), rel=1e-9)


def _whole_chain(clients, law, think_time):
    """States (n at the station, phase), and the generator's entering and completing parts."""
    p, rates = (np.array(x) for x in _phases(law))
    phases = range(len(p))
    index = {(0, 0): 0}
    for state in product(range(1, clients + 1), phases):
        index[state] = len(index)
    enter, complete = np.zeros((2, len(index), len(index)))
    for (n, k), i in index.items():
        for phase in phases:
            if n < clients:
                share = p[phase] if n == 0 else float(phase == k)
                enter[i, index[n + 1, phase]] = (clients - n) / think_time * share
            if n > 0:
                complete[i, index[n - 1, phase if n > 1 else 0]] += rates[k] * p[phase]
    return index, enter, complete


@pytest.mark.parametrize(("clients", "think_time"), [(2, 8.0), (6, 3.0), (6, 200.0)])
def test_closed_fcfs_against_a_chain_solved_otherwise(clients, think_time):
    """By the null vector of the whole generator, and the matrix exponential."""
    law = Hyperexponential((0.7, 0.2, 0.1), (2, 0.5, 0.08))
    index, enter, complete = _whole_chain(clients, law, think_time)
    generator = enter + complete
    generator -= np.diag(generator.sum(axis=1))
    system = np.vstack((generator.T, np.ones(len(index))))
    states = np.linalg.lstsq(system, np.eye(len(index) + 1)[-1], rcond=None)[0]

    solved = closed_fcfs(clients, law, think_time)
    assert solved.load == approx(1 - states[0], rel=1e-9)
    length = sum(n * states[i] for (n, _), i in index.items())
    assert solved.queue_length == approx(length, rel=1e-9)

    # Follow a request from the state after its arrival, until no other is before it.
    start = states @ enter / (states @ enter).sum()
    ahead = complete - np.diag(complete.sum(axis=1))
    for t in (0.1, 2.0, 25.0):
        expected = (start @ expm(ahead * t))[1:].sum()
        assert solved.response_time.sf(t) == approx(expected, rel=1e-9)


def test_closed_exponential_response_is_a_mixture_of_erlang_laws():
    # By the arrival theorem a request finds the state that 24 clients would be in.
    times = np.array([1.0, 20, 60, 200])
    found = theory.mm1n(24, 10, 300)
    expected = sum(w * gammaincc(n + 1, times / 10) for n, w in enumerate(found))
    law = closed_fcfs(25, exponential(10), 300).response_time
    assert law.sf(times) == approx(expected, rel=1e-10)


@few
@given(st.integers(1, 80), means, st.floats(1e-3, 1e5))
def test_closed_exponential_station_equals_mva(clients, mean, think_time):
    solved = closed_fcfs(clients, exponential(mean), think_time)
    expected = mva(clients, [Station(mean)], think_time)
    assert solved.load == approx(expected.loads[-1, 0], rel=1e-8)
    assert solved.queue_length == approx(expected.queue_lengths[-1, 0], rel=1e-8)
    assert solved.response_time.mean == approx(expected.response_time[-1], rel=1e-8)


@few
@given(st.integers(1, 30), h2_laws, st.floats(0.05, 0.95))
def test_closed_response_obeys_the_laws(clients, law, load):
    think_time = think_time_for_load(clients, law, load)
    solved = closed_fcfs(clients, law, think_time)
    assert solved.load == approx(load, rel=1e-9)
    assert solved.throughput * law.mean == approx(load)
    # The law's own mean against N / X - Z and against Little's law.
    response = solved.response_time
    cycle = clients / solved.throughput
    assert response.mean == approx(cycle - think_time, abs=1e-8 * cycle)
    assert response.mean == approx(solved.queue_length / solved.throughput, rel=1e-8)
    _is_survival_function(response, rounding=1e-12)


def test_closed_response_mean_is_the_integral_of_its_survival_function():
    law = closed_fcfs(10, H2, 79.3806).response_time
    points = np.concatenate((np.linspace(0, 50, 200), np.linspace(50, 3000, 1000)[1:]))
    assert integrate.simpson(law.sf(points), x=points) == approx(law.mean, rel=1e-4)


@pytest.mark.parametrize("clients", [1, 3, 20])
def test_no_think_time_keeps_every_client_at_the_station(clients):
    solved = closed_fcfs(clients, H2, 0)
    assert (solved.throughput, solved.load, solved.queue_length) == (0.1, 1, clients)
    assert solved.response_time.mean == approx(10 * clients)
    assert mva(clients, [Station(10)]).response_time[-1] == approx(10 * clients)
    nearly = closed_fcfs(clients, H2, 1e-9)
    assert nearly.response_time.mean == approx(10 * clients, rel=1e-6)
    assert nearly.response_time.sf(70) == approx(solved.response_time.sf(70), rel=1e-6)


def test_many_clients_come_close_to_the_open_system():
    rate = 0.5 / 10
    clients = 5000
    solved = closed_fcfs(clients, H2, clients / rate)
    opened = theory.mh1_response(rate, H2)
    assert solved.response_time.mean == approx(opened.mean, rel=0.01)
    assert solved.response_time.percentile(0.9) == approx(opened.percentile(0.9), rel=0.01)


@pytest.mark.parametrize("clients", [10, 100])
def test_closed_percentile_takes_few_looks_at_the_law(clients, monkeypatch):
    """Each look sums over the jumps of a chain, which takes most of the time."""
    law = closed_fcfs(clients, H2, 11 * clients).response_time
    looks = []
    look_at = type(law)._sf_at

    def counted(self, t):
        looks.append(t)
        return look_at(self, t)

    monkeypatch.setattr(type(law), "_sf_at", counted)
    law.percentile(0.999)
    assert 3 < len(looks) < 40


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


def _phases(law):
    return law.probabilities, law.rates


def _is_survival_function(law, rounding=0.0):
    times = law.mean * np.concatenate(([-1, 0], np.geomspace(1e-3, 300, 40)))
    survival = law.sf(times)
    assert survival[:2] == approx([1, 1])
    assert np.all(np.diff(survival) <= rounding)
    assert np.all((survival >= 0) & (survival <= 1 + 1e-12))
    assert law.sf(law.mean * 1e5) < 1e-9
