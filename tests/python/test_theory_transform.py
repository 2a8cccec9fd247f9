"""Laws by transform inversion against closed forms and a series in exact arithmetic."""

import math
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from thinktime import theory
from thinktime.theory import (
    Deterministic,
    Gamma,
    Hyperexponential,
    Moments,
    NumericalDemand,
    Uniform,
    mg1_response,
    mg1_waiting,
)
from thinktime.theory.law import Law

approx = pytest.approx

few = settings(max_examples=40)
loads = st.floats(0.05, 0.95)
TIMES = np.concatenate(([-1.0, 0.0], np.geomspace(1e-3, 300, 60)))


class Lognormal(Law):
    mean = math.exp(0.5)

    def sf(self, t):
        return np.asarray(stats.lognorm(1).sf(t))


def md1_waiting(load, t):
    """P(W > t) of M/D/1 with a demand of 1: a sum of huge terms of changing sign (Erlang)."""
    with localcontext(prec=120):
        rate, time_ = Decimal(load), Decimal(t)
        terms = (
            (-rate * (k - time_)).exp() * (rate * (k - time_)) ** k / math.factorial(k)
            if k else (rate * time_).exp()
            for k in range(int(t) + 1)
        )  # fmt: skip
        return float(1 - (1 - rate) * sum(terms))


# ---- transforms


@few
@given(
    st.one_of(
        st.builds(Hyperexponential.balanced, mean=st.floats(0.1, 10), cv2=st.floats(1, 30)),
        st.builds(Gamma, st.floats(0.3, 9), st.floats(0.1, 10)),
        st.builds(lambda lo, width: Uniform(lo, lo + width), st.floats(0, 3), st.floats(0.1, 9)),
        st.builds(Deterministic, st.floats(0.1, 10)),
    ),
    st.floats(0.01, 20),
    st.floats(-20, 20),
)
def test_transforms_are_the_integrals_that_they_stand_for(law, real, imaginary):
    s = np.array([complex(real, imaginary), complex(real, 0), complex(real, -imaginary)])
    found = law.survival_transform(s)
    assert found == approx(NumericalDemand(law).survival_transform(s), rel=1e-7, abs=1e-9)
    assert found[2] == approx(found[0].conjugate())
    corners = [getattr(law, "lo", 0.0), law.mean, getattr(law, "hi", 0.0)]
    edges = np.unique([0.0, *corners, *np.geomspace(1e-3 * law.mean, 600 * law.mean, 30)])
    whole = sum(
        integrate.quad(lambda t: math.exp(-real * t) * law.sf(t), a, b, limit=200)[0]
        for a, b in pairwise(edges)
    )
    assert found[1].real == approx(whole, rel=1e-6)
    tiny = law.survival_transform(np.array([1e-9 + 0j]))
    assert tiny[0].real == approx(law.mean, rel=1e-6)


def test_shapes_of_a_numerical_transform():
    numerical, closed = NumericalDemand(Gamma(2, 3)), Gamma(2, 3)
    s = np.array([[1 + 1j, 2, 5 - 3j], [0.1, 0.2, 0.3 + 0j]])
    assert numerical.survival_transform(s) == approx(closed.survival_transform(s))
    assert numerical.survival_transform(np.array(1 + 1j)) == approx(
        closed.survival_transform(np.array(1 + 1j))
    )


def test_transforms_known_by_heart():
    s = np.array([0.5 + 2j])
    assert 1 - s * Gamma.erlang(3, 6).survival_transform(s) == approx((1 + 2 * s) ** -3)
    assert 1 - s * Deterministic(2).survival_transform(s) == approx(np.exp(-2 * s))
    uniform = (np.exp(-s) - np.exp(-3 * s)) / (2 * s)
    assert 1 - s * Uniform(1, 3).survival_transform(s) == approx(uniform)


# ---- against closed forms


@few
@given(loads, st.floats(1e-3, 1e3))
def test_mm1(load, mean):
    law = Hyperexponential.exponential(mean)
    found, exact = mg1_response(load / mean, law), theory.mm1_response(load / mean, mean)
    assert found.sf(TIMES * mean) == approx(exact.sf(TIMES * mean), abs=2e-9)
    assert found.mean == approx(exact.mean)
    # Erlang's law of one stage is the exponential one.
    by_gamma = mg1_response(load / mean, Gamma.erlang(1, mean))
    assert by_gamma.sf(TIMES * mean) == approx(exact.sf(TIMES * mean), abs=2e-9)


@few
@given(loads, st.floats(1, 200))
def test_mh1(load, cv2):
    law = Hyperexponential.balanced(1, cv2)
    response, waiting = theory.mh1_response(load, law), theory.mh1_waiting(load, law)
    assert mg1_response(load, law).sf(TIMES) == approx(response.sf(TIMES), abs=2e-9)
    assert mg1_waiting(load, law).sf(TIMES) == approx(waiting.sf(TIMES), abs=2e-9)
    assert mg1_waiting(load, law).mean == approx(waiting.mean)
    shifted = theory.mh1_response(load * 0.99, law)
    assert mg1_response(load, law).sf(3.0) != approx(shifted.sf(3.0), abs=1e-5)


@pytest.mark.parametrize(
    ("load", "percentiles"),
    [
        (0.5, (10.544, 176.320, 265.020, 470.974, 765.629)),
        (0.8, (94.436, 515.128, 696.312, 1117.006, 1718.884)),
        (0.9, (258.626, 1040.387, 1377.074, 2158.835, 3277.283)),
    ],
)
@pytest.mark.parametrize("numerical", [False, True])
def test_golden_percentiles(load, percentiles, numerical):
    demand = Hyperexponential.balanced(10, 8)
    law = mg1_response(load / 10, NumericalDemand(demand) if numerical else demand)
    got = [law.percentile(p) for p in (0.5, 0.9, 0.95, 0.99, 0.999)]
    assert got == approx(percentiles, abs=6e-4)


@pytest.mark.parametrize("load", [0.3, 0.8, 0.95])
def test_md1(load):
    waiting = mg1_waiting(load, Deterministic(1.0))
    response = mg1_response(load, Deterministic(1.0))
    times = [0.0, 0.1, 0.5, 0.99, 1.0, 1.01, 1.5, 2.0, 3.3, 7.7, 20.0]
    exact = [md1_waiting(load, t) for t in times]
    assert waiting.sf(times) == approx(exact, abs=4e-6)
    assert response.sf(np.array(times) + 1) == approx(exact, abs=4e-6)
    assert response.sf([-1, 0, 0.5, 0.999]).tolist() == [1, 1, 1, 1]
    assert response.percentile(0.99) == approx(1 + waiting.percentile(0.99))


@few
@given(loads, st.one_of(st.builds(Gamma, st.floats(0.5, 6), st.just(1.0)), st.just(Uniform(0, 2))))
def test_the_survival_function_has_the_mean_and_the_variance(load, demand):
    waiting = mg1_waiting(load, demand)
    slow = 60 * waiting.mean + 20
    edges = np.concatenate(([0], np.geomspace(1e-4, slow, 60)))
    nodes, weights = np.polynomial.legendre.leggauss(6)
    t = (edges[:-1, None] + np.diff(edges)[:, None] * (1 + nodes) / 2).ravel()
    w = (np.diff(edges)[:, None] * weights / 2).ravel()
    survival = waiting.sf(t)
    assert w @ survival == approx(waiting.mean, rel=1e-5)
    variance = theory.mg1_waiting_variance(load, demand)
    assert w @ (2 * t * survival) - waiting.mean**2 == approx(variance, rel=1e-4)
    assert waiting.sf(0) == approx(load)


@few
@given(loads, st.floats(0.5, 6))
def test_response_is_wait_plus_demand(load, shape):
    demand = Gamma(shape, 1.0)
    waiting, response = mg1_waiting(load, demand), mg1_response(load, demand)
    u, weights = np.polynomial.legendre.leggauss(60)
    for t in (0.4, 2.0, 8.0):
        # E[P(W > t - S)] over S < t, in steps of equal probability.
        below = float(demand.cdf(t))
        s = np.array([demand.percentile(p) for p in below * (1 + u) / 2])
        queued = below * np.sum(weights / 2 * waiting.sf(t - s))
        assert response.sf(t) == approx(1 - below + queued, abs=1e-4)


def test_a_law_without_a_transform():
    numerical = NumericalDemand(Lognormal())
    load, mean = 0.7, Lognormal.mean
    law = mg1_response(load / mean, numerical)
    # E[S²] = e² for σ = 1: Pollaczek-Khinchine.
    assert law.mean == approx(mean + load / mean * math.exp(2) / (2 * 0.3), rel=1e-6)
    survival = law.sf(TIMES)
    assert survival[:2] == approx([1, 1], abs=1e-8)
    assert np.all(np.diff(survival) <= 1e-8)
    # Lindley's recursion on 2e6 requests.
    rng = np.random.default_rng(5)
    n = 2_000_000
    steps = rng.lognormal(0, 1, n) - rng.exponential(mean / load, n)
    walk = np.concatenate(([0.0], np.cumsum(steps)))
    waits = walk - np.minimum.accumulate(walk)
    responses = waits[:-1] + rng.permutation(rng.lognormal(0, 1, n))
    for p in (0.5, 0.9, 0.99):
        assert law.percentile(p) == approx(np.quantile(responses, p), rel=0.03)


def test_it_asks_for_few_values_of_the_law():
    """The cost, in points at which the law of the demand is evaluated."""
    points = 0

    class Counted(Gamma):
        def sf(self, t):
            nonlocal points
            points += np.size(t)
            return super().sf(t)

    law = mg1_response(0.5, NumericalDemand(Counted(0.5, 1)))
    law.percentile(0.99)
    law.sf(np.geomspace(0.01, 30, 50))
    assert 0 < points < 200_000  # 143,549 when this was written


@pytest.mark.parametrize("solve", [mg1_response, mg1_waiting])
def test_wrong_arguments(solve):
    with pytest.raises(ValueError, match=r"load must be above 0 and below 1; it is 1\.25"):
        solve(0.125, Uniform(0, 20))
    with pytest.raises(ValueError, match="rate must be finite"):
        solve(math.nan, Uniform(0, 20))
    with pytest.raises(ValueError, match=r"E\[S²\] must be finite"):
        solve(0.1, NumericalDemand(Gamma(1, 1), math.inf))
    with pytest.raises(ValueError, match=r"0\.99, not 99"):
        solve(0.05, Uniform(0, 20)).percentile(99)
    with pytest.raises(AttributeError):
        solve(0.05, Moments(1, 2)).sf(1)
