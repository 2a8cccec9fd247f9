"""thinktime.theory of closed systems against published numbers, independent solutions and laws.

The golden values are of the origin that test_theory.py names.
"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.linalg import expm
from scipy.special import gammaincc
from theory_cases import (
    BIMODAL,
    H2,
    approx,
    exponential,
    few,
    h2_laws,
    is_survival_function,
    means,
    phases_of,
)

from thinktime import theory
from thinktime.theory import (
    Deterministic,
    Hyperexponential,
    Station,
    closed_fcfs,
    mva,
    think_time_for_load,
)

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
    p, rates = (np.array(x) for x in phases_of(law))
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
    is_survival_function(response, rounding=1e-12)


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
