"""Policies that look at demands: printed values, limits, simulation, and matches.

The golden table was computed by quadrature elsewhere.
"""

import heapq
import math
import time

import numpy as np
import pytest
from fakes import Distribution, Station, System, closed, const, exp, h2, one, open_, partly_open
from fakes import uniform as uniform_demand
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thinktime import theory
from thinktime.theory import Deterministic, Gamma, Hyperexponential, NumericalDemand, Uniform
from thinktime.theory.law import Law
from thinktime.theory.match import theory_for

approx = pytest.approx
POLICIES = ("sjf", "ljf", "psjf", "srpt", "las")

few = settings(max_examples=30)
loads = st.floats(0.05, 0.95)
laws = st.one_of(
    st.builds(Hyperexponential.balanced, mean=st.floats(1e-3, 1e3), cv2=st.floats(1, 50)),
    st.builds(Gamma, st.floats(0.4, 9), st.floats(1e-3, 1e3)),
    st.builds(lambda lo, width: Uniform(lo, lo + width), st.floats(0, 9), st.floats(0.1, 9)),
)


def mean(policy, rate, demand):
    return getattr(theory, f"{policy}_mean_response")(rate, demand)


def conditional(policy, rate, demand, x):
    return getattr(theory, f"{policy}_conditional_response")(rate, demand, x)


class Named(Law):
    """A law of scipy, or any that has its methods."""

    def __init__(self, law):
        self.law = law

    @property
    def mean(self):
        return float(self.law.mean())

    def sf(self, t):
        return np.asarray(self.law.sf(t))


class Discrete(Law):
    """A few values with their probabilities."""

    def __init__(self, *pairs):
        self.p, self.values = np.array(pairs).T

    @property
    def mean(self):
        return float(self.p @ self.values)

    def sf(self, t):
        return (np.asarray(t)[..., np.newaxis] < self.values) @ self.p


# ---- printed values


GOLDEN = [
    # mean, C², load: SJF, PSJF, SRPT, LAS
    (1, 1, 0.8, (2.88222, 2.65890, 2.35277, 5)),
    (1, 1, 0.9, (4.19691, 4.05177, 3.55213, 10)),
    (10, 4, 0.8, (43.4917, 24.2369, 21.9095, 37.6232)),
    (10, 4, 0.9, (57.0029, 34.9495, 30.9850, 67.5334)),
    (10, 8, 0.5, (37.3056, 14.6988, 14.0181, 17.2677)),
    (10, 8, 0.7, (53.2257, 19.2458, 17.8358, 25.7025)),
    (10, 8, 0.8, (64.0695, 23.7269, 21.5809, 35.4726)),
    (10, 8, 0.9, (80.8847, 33.9282, 30.1952, 63.2036)),
    (10, 20, 0.8, (126.1931, 23.3918, 21.3728, 34.1877)),
    (10, 20, 0.9, (153.7998, 33.2794, 29.7071, 60.7154)),
]


@pytest.mark.parametrize(("demand_mean", "cv2", "load", "expected"), GOLDEN)
@pytest.mark.parametrize("numerical", [False, True])
def test_golden_means(demand_mean, cv2, load, expected, numerical):
    demand = Hyperexponential.balanced(demand_mean, cv2)
    if numerical:
        demand = NumericalDemand(demand)
    digits = 5.1e-6 if demand_mean == 1 else 5.1e-5
    for policy, value in zip(("sjf", "psjf", "srpt", "las"), expected, strict=True):
        assert mean(policy, load / demand_mean, demand) == approx(value, abs=digits), policy


def test_constant_demands_are_served_in_order():
    # All are equally small: M/D/1, E[T] = 1 + 0.8 / (2 x 0.2).
    for demand in (Deterministic(1.0), NumericalDemand(Discrete((1, 1.0)))):
        for policy in ("sjf", "ljf", "psjf", "srpt"):
            assert mean(policy, 0.8, demand) == approx(3, rel=1e-7), policy
            assert conditional(policy, 0.8, demand, 1.0) == approx(3, rel=1e-7), policy
        # LAS serves all to the end together: 1 / 0.2 + 0.8 / (2 x 0.04).
        assert mean("las", 0.8, demand) == approx(15, rel=1e-7)


def test_two_demands_are_two_classes():
    # SJF and PSJF of two constants are priority queues of two classes.
    demand = NumericalDemand(Discrete((0.75, 1.0), (0.25, 5.0)))
    short, long = (
        theory.PriorityClass(rate, Deterministic(value)) for rate, value in ((0.3, 1.0), (0.1, 5.0))
    )
    for policy, times in (
        ("sjf", theory.non_preemptive_priority([short, long])),
        ("ljf", theory.non_preemptive_priority([long, short])),
        ("psjf", theory.preemptive_priority([short, long])),
    ):
        assert mean(policy, 0.4, demand) == approx(times.mean_response, rel=1e-7), policy
        expected = sorted(times.response_times, reverse=policy == "ljf")
        got = [conditional(policy, 0.4, demand, x) for x in (1.0, 5.0)]
        assert got == approx(expected, rel=1e-7), policy


def test_demands_of_nothing():
    # Half the requests need 0, half 2: λ E[S²] / 2 = 0.4 delays both, divided by the idle share of
    # earlier work.
    demand = NumericalDemand(Discrete((0.5, 0.0), (0.5, 2.0)))
    assert mean("sjf", 0.4, demand) == approx((0.4 + 2 + 0.4 / 0.6) / 2, rel=1e-7)
    assert mean("ljf", 0.4, demand) == approx((0.4 / 0.36 + 2 + 0.4 / 0.6) / 2, rel=1e-7)
    for policy in ("psjf", "srpt"):  # the short ones are served at once
        assert mean(policy, 0.4, demand) == approx((2 + 0.4 / 0.6) / 2, rel=1e-7)


# ---- limits and properties


def density(law, x):
    if isinstance(law, Uniform):
        return np.full(len(x), 1 / (law.hi - law.lo))
    if isinstance(law, Gamma):
        return stats.gamma(law.shape, scale=law.mean / law.shape).pdf(x)
    rates = np.array(law.rates)
    return np.exp(-np.multiply.outer(x, rates)) @ (rates * law.probabilities)


def average(function, law):
    """The mean of a function of the demand: Gauss-Legendre on panels that grow with it."""
    nodes, weights = np.polynomial.legendre.leggauss(6)
    lo, hi = (law.lo, law.hi) if isinstance(law, Uniform) else (0.0, law.percentile(1 - 1e-14))
    edges = lo + (hi - lo) * np.concatenate(([0], np.geomspace(1e-14, 1, 70)))
    steps = np.diff(edges)[:, np.newaxis]
    x = (edges[:-1, np.newaxis] + steps * (1 + nodes) / 2).ravel()
    weights = (steps * weights / 2).ravel() * density(law, x)
    assert weights.sum() == approx(1, rel=1e-5)
    return weights @ [function(each) for each in x]


@few
@given(loads, st.floats(1e-3, 1e3))
def test_an_exponential_demand_under_las_is_as_under_ps(load, demand_mean):
    demand = Hyperexponential.exponential(demand_mean)
    rate = load / demand_mean
    assert mean("las", rate, demand) == approx(theory.ps_mean_response(rate, demand_mean), rel=1e-8)


@few
@given(loads, laws)
def test_policies_are_in_their_order(load, demand):
    rate = load / demand.mean
    found = {policy: mean(policy, rate, demand) for policy in POLICIES}
    fcfs = theory.mg1_mean_response(rate, demand)
    slack = 1 + 1e-7
    assert demand.mean <= found["srpt"] * slack
    assert found["srpt"] <= found["psjf"] * slack
    assert found["srpt"] <= min(found["las"], found["sjf"]) * slack
    assert found["srpt"] <= theory.ps_mean_response(rate, demand.mean) * slack
    assert found["sjf"] <= fcfs * slack
    assert fcfs <= found["ljf"] * slack


@few
@given(loads, laws, st.sampled_from(POLICIES))
def test_the_conditional_mean_integrates_to_the_mean(load, demand, policy):
    rate = load / demand.mean
    found = average(lambda x: conditional(policy, rate, demand, x), demand)
    assert found == approx(mean(policy, rate, demand), rel=1e-4)
    assert found != approx(mean(policy, rate * 0.95, demand), rel=1e-4)


@few
@given(loads, laws, st.sampled_from(["sjf", "ljf"]))
def test_without_preemption_the_work_that_waits_is_conserved(load, demand, policy):
    rate = load / demand.mean
    share = rate * average(lambda x: x * (conditional(policy, rate, demand, x) - x), demand)
    kept = load * theory.mg1_mean_waiting(rate, demand)
    assert share == approx(kept, rel=1e-4)


@few
@given(loads, laws, st.floats(0, 20), st.sampled_from(POLICIES))
def test_numerical_demands_agree_with_closed_forms(load, demand, times, policy):
    rate, x = load / demand.mean, times * demand.mean
    numerical = NumericalDemand(demand)
    assert mean(policy, rate, numerical) == approx(mean(policy, rate, demand), rel=1e-9)
    close = conditional(policy, rate, demand, x)
    assert conditional(policy, rate, numerical, x) == approx(close, rel=1e-7, abs=1e-9 * x)


def test_short_and_long_demands():
    demand = Hyperexponential.balanced(10, 8)
    for policy in ("psjf", "srpt", "las"):
        assert conditional(policy, 0.08, demand, 0) == 0
        assert conditional(policy, 0.08, demand, 1e-4) == approx(1e-4, rel=0.01)
        # A very long one is slowed by all others, as under PS.
        assert conditional(policy, 0.08, demand, 1e7) == approx(5e7, rel=0.01)
    assert conditional("sjf", 0.08, demand, 0) == approx(0.08 * 900 / 2)
    assert theory.plcfs_conditional_response(0.08, 10, 3) == approx(15)
    assert theory.plcfs_mean_response(0.08, 10) == approx(50)


def test_an_infinite_variance_harms_only_who_waits_for_the_end():
    pareto = NumericalDemand(Named(stats.pareto(1.5)), math.inf)  # mean 3
    assert mean("sjf", 0.2, pareto) == math.inf
    found = [mean(policy, 0.2, pareto) for policy in ("srpt", "psjf", "las")]
    assert found == sorted(found)
    assert 3 < found[0] < found[2] < theory.ps_mean_response(0.2, 3)
    bounded = NumericalDemand(Named(stats.truncpareto(1.5, 1e5)))
    near = [mean(p, 0.6 / bounded.mean, bounded) for p in ("srpt", "psjf", "las")]
    assert found == approx(near, rel=0.02)


# ---- against a simulation of its own


def simulated(policy, rate, demands, seed=3):
    """Mean response time, one event after the other; ranks as the policy says."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, len(demands)))
    sign = -1 if policy == "ljf" else 1
    now, i, total, waiting = 0.0, 0, 0.0, []
    while i < len(arrivals) or waiting:
        if not waiting:
            now = max(now, arrivals[i])
        while i < len(arrivals) and arrivals[i] <= now:
            heapq.heappush(waiting, (sign * demands[i], i, demands[i]))
            i += 1
        rank, job, left = heapq.heappop(waiting)
        until = arrivals[i] if i < len(arrivals) else math.inf
        if policy in ("sjf", "ljf") or now + left <= until:
            now += left
            total += now - arrivals[job]
        else:
            left -= until - now
            now = until
            heapq.heappush(waiting, (left if policy == "srpt" else rank, job, left))
    return total / len(demands)


@pytest.mark.parametrize("policy", ["sjf", "ljf", "psjf", "srpt"])
def test_simulation_agrees(policy):
    law = Gamma(0.7, 1.0)
    demands = np.random.default_rng(4).gamma(0.7, 1 / 0.7, 200_000)
    assert simulated(policy, 0.7, demands) == approx(mean(policy, 0.7, law), rel=0.03)


# ---- speed and errors


@pytest.mark.parametrize("policy", POLICIES)
def test_a_value_takes_well_under_a_second(policy):
    begun = time.process_time()
    for law in (stats.lognorm(1.9), stats.weibull_min(0.4), stats.uniform(1, 2)):
        assert mean(policy, 0.7 / law.mean(), NumericalDemand(Named(law))) > 0
    assert time.process_time() - begun < 1.5


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("demand", [Hyperexponential.balanced(10, 8), Deterministic(10)])
def test_wrong_arguments(policy, demand):
    for overloaded in (mean, lambda *a: conditional(*a, 3)):
        with pytest.raises(ValueError, match=r"load must be above 0 and below 1; it is 1\.25"):
            overloaded(policy, 0.125, demand)
        with pytest.raises(ValueError, match="rate must be finite and above 0"):
            overloaded(policy, 0, demand)
    with pytest.raises(ValueError, match="the demand must be finite and 0 or above; it is -1"):
        conditional(policy, 0.05, demand, -1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Gamma(0, 1), "the shape"),
        (lambda: Gamma(1, -1), "the mean"),
        (lambda: Gamma.erlang(1.5, 1), "stages must be a whole number"),
        (lambda: Uniform(2, 2), "hi - lo"),
        (lambda: Uniform(-1, 2), "lo must be"),
        (lambda: NumericalDemand(Named(stats.pareto(0.9))), "the mean"),
        (lambda: NumericalDemand(Deterministic(1), 0), "must be above 0; it is 0"),
    ],
)
def test_wrong_demands(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


@few
@given(laws)
def test_moments_of_the_laws(law):
    numerical = NumericalDemand(law)
    moments = law.second_moment, law.third_moment
    assert (numerical.second_moment, numerical.third_moment) == approx(moments, rel=1e-8)
    assert law.cdf(law.percentile(0.3)) == approx(0.3)
    first, second = law.bounded_moments([0.0, 1e9 * law.mean])
    assert (first[0], second[0]) == (0, 0)
    assert (first[1], second[1]) == approx((law.mean, law.second_moment))


# ---- which systems they match


H2 = h2(0.010, 8)


@pytest.mark.parametrize(
    ("policy", "mean_ms", "model"),
    [
        ("SJF", 64.0695, "M/H2/1 SJF"),
        ("psjf", 23.7269, "M/H2/1 PSJF"),
        ("srpt", 21.5809, "M/H2/1 SRPT"),
        ("las", 35.4726, "M/H2/1 LAS"),
        ("lcfs", 190, "M/H2/1 LCFS"),
        ("plcfs", 50, "M/H2/1 PLCFS"),
    ],
)
def test_one_open_station(policy, mean_ms, model):
    found = theory_for(open_(80), one(H2, policy))
    assert found.model == model
    assert found.mean_s * 1e3 == approx(mean_ms, abs=5.1e-5)
    assert found.law is None
    assert found.load == approx(0.8)
    assert found.in_system == approx(80 * found.mean_s)
    sessions = theory_for(partly_open(80, const(1.0), exp(1)), one(H2, policy))
    assert sessions.mean_s == approx(found.mean_s)


def test_any_demand_is_matched():
    found = theory_for(open_(80), one(uniform_demand(0, 0.020), "srpt"))
    assert found.model == "M/G/1 SRPT"
    assert found.mean_s == approx(mean("srpt", 80, Uniform(0, 0.020)), rel=1e-8)
    assert theory_for(open_(80), one(const(0.010), "sjf")).mean_s == approx(0.030, rel=1e-6)
    longest = theory_for(open_(80), one(H2, "ljf")).mean_s
    assert longest == approx(mean("ljf", 80, Hyperexponential.balanced(0.010, 8)))
    # LCFS at several servers: the mean of Erlang's formula, if exponential.
    assert theory_for(open_(80), one(exp(0.020), "lcfs", 2)).mean_s == approx(0.020 / 0.36)


class Atoms(Distribution):
    """1 ms or 20 ms."""

    @property
    def mean(self):
        return 0.6 * 0.001 + 0.4 * 0.020

    @property
    def second_moment(self):
        return 0.6 * 0.001**2 + 0.4 * 0.020**2

    def cdf(self, x):
        return 0.6 * (x >= 0.001) + 0.4 * (x >= 0.020)


def test_laws_are_left_out_where_demands_jump():
    found = theory_for(open_(80), one(Atoms("atoms")))
    assert found.law is None
    assert found.source.startswith("Pollaczek-Khinchine; ")
    assert found.mean_s == approx(0.0086 + 80 * 1.606e-4 / 2 / (1 - 0.688))
    smooth = theory_for(open_(80), one(uniform_demand(0, 0.020)))
    assert smooth.law.mean == approx(smooth.mean_s)
    assert "inverted" in smooth.source


def test_preemptive_lcfs_has_a_product_form():
    system = System([Station(H2, policy="plcfs"), Station(exp(0.005), policy="lcfs")])
    assert theory_for(open_(80), system).mean_s == approx(0.050 + 0.005 / 0.6)
    assert theory_for(partly_open(80, const(5.0), exp(1)), system).mean_s == approx(
        0.05 + 0.005 / 0.6
    )
    for workload in (closed(10, uniform_demand(0, 1)), closed(10, exp(0.5))):
        by_ps = theory_for(workload, one(H2, "ps"))
        assert theory_for(workload, one(H2, "plcfs")).mean_s == approx(by_ps.mean_s)


def test_without_think_times():
    found = theory_for(closed(7, None), one(uniform_demand(0, 0.020)))
    assert (found.mean_s, found.throughput, found.load) == approx((0.070, 100, 1))
    assert found.law is None
    assert theory_for(closed(7, None), one(H2)).mean_s == approx(0.070)
    assert theory_for(closed(7, None), one(H2, "ps")).mean_s == approx(0.070)
    assert theory.saturated_mean_response(7, 0.01) == approx(0.07)
    with pytest.raises(ValueError, match="clients must be a whole number"):
        theory.saturated_mean_response(0, 1)


@pytest.mark.parametrize(
    ("workload", "system"),
    [
        (open_(80), one(H2, "rr(1ms)")),
        (open_(80), one(H2, "rr")),
        (open_(80), one(exp(0.01), "fcsf")),
        (closed(1, exp(1)), one(H2, "rr(1ms, switch=5us)")),
        (open_(80), System([Station(exp(0.01)), Station(exp(0.01), policy="surprise")])),
        (open_(80), one(H2, "sjf", 2)),
        (open_(80), one(H2, "las", 2)),
        (open_(80), one(H2, "lcfs", 2)),
        (open_(80), one(H2, "plcfs", 2)),
        (open_(80), System([Station(H2, policy="srpt"), Station(exp(0.01))])),
        (partly_open(80, const(5.0), exp(1)), one(exp(0.01), "srpt")),
        (closed(10, exp(1)), one(exp(0.01), "srpt")),
        (closed(10, exp(1)), one(H2, "lcfs")),
        (closed(10, None), one(H2, "lcfs")),  # some are never served
        (closed(10, None), one(uniform_demand(0, 1), "fcfs", 2)),
    ],
)
def test_no_formula(workload, system):
    assert theory_for(workload, system) is None
