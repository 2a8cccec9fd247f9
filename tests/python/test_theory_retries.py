"""Retries: the fixed point against printed values and a search of another kind."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime import theory
from thinktime.theory import (
    Hyperexponential,
    late_fraction,
    mm1_retry_capacity,
    retry_capacity,
    retry_equilibrium,
    surely_stable,
)

approx = pytest.approx

few = settings(max_examples=40)
BIMODAL = Hyperexponential((0.999, 0.001), (10, 0.1))  # 0.1 ms or, rarely, 10 ms
LATE = late_fraction(BIMODAL, timeout=15)


def mm1_late(mean, timeout):
    return lambda load: math.exp(-(1 - load) * timeout / mean)


def test_capacity_of_the_bimodal_server():
    # max r (1 - f(r)) = 0.7354 at r = 0.846; P(T > 15 ms) is 0.09408 at load 0.8.
    found = retry_capacity(LATE)
    assert found.load == approx(0.7354, abs=5e-5)
    assert found.offered_load == approx(0.846, abs=5e-4)
    assert LATE(0.8) == approx(0.09408, abs=5e-6)


@pytest.mark.parametrize("retries", [None, 1, 2, 3])
def test_the_bimodal_server_collapses_at_load_0_8(retries):
    assert retry_equilibrium(0.8, LATE, retries) is None
    assert retry_capacity(LATE, retries).load < 0.8


@pytest.mark.parametrize("load", [0.3, 0.7, 0.73])
def test_equilibrium_of_the_bimodal_server(load):
    found = retry_equilibrium(load, LATE)
    assert found.offered_load * (1 - found.late) == approx(load)
    assert found.late == approx(LATE(found.offered_load))
    assert load < found.offered_load < 0.846
    assert found.given_up == 0


@few
@given(st.floats(0.02, 0.98), st.floats(0.3, 30), st.sampled_from([None, 0, 1, 2, 5]))
def test_equilibrium_is_where_load_settles(load, timeout, retries):
    """Retries added round after round, from none, rise to the least fixed point."""
    late = mm1_late(1, timeout)
    offered = load
    for _ in range(20_000):
        f = late(offered)
        tries = 1 / (1 - f) if retries is None else sum(f**i for i in range(retries + 1))
        if load * tries >= 1:
            offered = math.inf
            break
        if load * tries - offered < 1e-15:
            break
        offered = load * tries
    found = retry_equilibrium(load, late, retries)
    if found is None:
        assert offered == math.inf or offered > 0.999
    else:
        assert offered == approx(found.offered_load, rel=1e-4)
        given_up = 0 if retries is None else late(offered) ** (retries + 1)
        assert found.given_up == approx(given_up, rel=1e-3, abs=1e-12)


@few
@given(st.floats(0.01, 100), st.floats(0.01, 1e3))
def test_mm1_capacity(mean, timeouts):
    found = mm1_retry_capacity(mean, timeouts * mean)
    general = retry_capacity(mm1_late(mean, timeouts * mean))
    assert found.load == approx(general.load, rel=1e-7)
    y = (1 - found.offered_load) * timeouts
    assert math.exp(y) == approx(1 + found.offered_load * timeouts, rel=1e-9)
    r = np.linspace(1e-4, 1 - 1e-4, 5000)
    assert found.load >= np.max(r * -np.expm1(-(1 - r) * timeouts)) * (1 - 1e-12)


def test_late_fraction_of_mm1():
    late = late_fraction(Hyperexponential.exponential(2), 10)
    assert late(0.8) == approx(math.exp(-1))
    assert retry_capacity(late).load == approx(mm1_retry_capacity(2, 10).load)


def test_capacity_separates_equilibrium_from_collapse():
    late = mm1_late(1, 5)
    capacity = mm1_retry_capacity(1, 5).load
    at_edge = retry_equilibrium(capacity * (1 - 1e-9), late)
    assert at_edge.offered_load == approx(mm1_retry_capacity(1, 5).offered_load, rel=1e-3)
    assert retry_equilibrium(capacity * (1 + 1e-9), late) is None


def test_without_retries_nothing_changes():
    found = retry_equilibrium(0.8, LATE, 0)
    assert found.offered_load == approx(0.8)
    assert found.given_up == found.late == approx(0.09408, abs=5e-6)
    assert retry_capacity(LATE, 0).load == approx(1, abs=1e-4)


def test_certain_stability():
    assert surely_stable(0.3, 2)
    assert not surely_stable(0.34, 2)
    assert not surely_stable(0.5, 1)
    assert surely_stable(0.999, 0)
    # However late attempts are, a fixed point then exists.
    for retries in (1, 2, 3):
        assert retry_equilibrium(0.99 / (retries + 1), lambda _: 0.999999, retries) is not None


def test_it_says_that_it_is_optimistic():
    # Simulations of the bimodal server with retries collapse at load 0.3, although a fixed point
    # exists: a reader must know that.
    assert retry_equilibrium(0.3, LATE) is not None
    for each in (theory.retries, retry_capacity, retry_equilibrium):
        assert "optimistic" in each.__doc__


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: late_fraction(BIMODAL, 0), "timeout must be finite and above 0"),
        (lambda: LATE(1.25), r"it is 1\.25"),
        (lambda: retry_equilibrium(1.25, LATE), r"load must be above 0 and below 1; it is 1\.25"),
        (lambda: retry_equilibrium(0.5, LATE, -1), "retries must be finite and 0 or above"),
        (lambda: retry_capacity(LATE, 1.5), "retries must be a whole number"),
        (lambda: mm1_retry_capacity(0, 1), "mean_demand"),
        (lambda: mm1_retry_capacity(1, -1), "timeout"),
        (lambda: surely_stable(-1, 1), "load must be finite and 0 or above"),
        (lambda: surely_stable(0.5, 0.5), "retries must be a whole number"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
