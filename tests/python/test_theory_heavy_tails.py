"""Policies that look at demands, under laws with heavy tails or extreme shapes.

The expected means come from the conditional formulas of Harchol-Balter (2013, chapters 30 to 33)
with the partial moments of each law in closed form, averaged in a variable in which the law is
smooth: for a Pareto law by quadrature in v = x^(1 - shape), the share of the load of larger
demands; for others by the trapezium rule in ln x, which converges faster than any power there.
"""

import math

import numpy as np
import pytest
from scipy import special
from scipy.integrate import cumulative_simpson, quad

import thinktime as tt
from thinktime import theory
from thinktime.theory import NumericalDemand
from thinktime.theory._checks import PrecisionError
from thinktime.theory._queue import Queue
from thinktime.theory.law import Law

approx = pytest.approx
LOADS = (0.5, 0.8, 0.95)


class Pareto(Law):
    """P(S > x) = x^-shape for x >= 1."""

    def __init__(self, shape):
        self.shape = shape

    @property
    def mean(self):
        return self.shape / (self.shape - 1)

    @property
    def second_moment(self):
        return self.shape / (self.shape - 2) if self.shape > 2 else math.inf

    def sf(self, t):
        return np.maximum(np.asarray(t, dtype=np.float64), 1.0) ** -self.shape


def pareto_means(shape, load):
    """PSJF, SRPT and LAS, in means of the demand; shape not 2, scale 1."""
    a, mean = shape, shape / (shape - 1)
    rate = load / mean

    def average(f):
        """Of f(x, v) over x: dF = a/(a-1) v^(1/(a-1)) dv, here with all powers of x in v."""
        return quad(f, 0, 1, epsabs=1e-14, epsrel=1e-12, limit=500)[0] * a / (a - 1)

    def x_to(v, power):  # x^power dF/dv a/(a-1), x = v^(-1/(a-1))
        return v ** ((1 - power) / (a - 1))

    def m2(v):  # E[S²; S <= x] dF
        return a / (2 - a) * (x_to(v, 2 - a) - x_to(v, 0))

    def bounded2(v):  # E[min(S, x)²] dF
        return 2 / (2 - a) * (x_to(v, 2 - a) - x_to(v, 0)) + x_to(v, 0)

    def idle(v):  # 1 - ρ(x)
        return 1 - load + load * v

    def idle_las(v):  # 1 - λ E[min(S, x)]
        return 1 - load + rate * v / (a - 1)

    alone = -math.log1p(-load) / load
    psjf = mean * alone + average(lambda v: rate * m2(v) / (2 * idle(v) ** 2))
    served = 1 + alone / (a - 1)
    srpt = served + average(lambda v: rate * bounded2(v) / (2 * idle(v) ** 2))
    las = average(lambda v: 1 / idle_las(v) + rate * bounded2(v) / (2 * idle_las(v) ** 2))
    return [psjf / mean, srpt / mean, las / mean]


def computed(demand, load):
    rate = load / demand.mean
    names = ("psjf", "srpt", "las")
    return [getattr(theory, f"{name}_mean_response")(rate, demand) / demand.mean for name in names]


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("shape", [1.03, 1.05, 1.1, 1.3, 1.7, 2.1, 3.0, 6.0])
def test_pareto_demands(shape, load):
    law = Pareto(shape)
    found = computed(NumericalDemand(law, law.second_moment), load)
    assert found == approx(pareto_means(shape, load), rel=1e-8)


def test_pareto_demands_as_files_write_them():
    for shape in (1.05, 1.1):
        queue = Queue(tt.Distribution(f"pareto(shape={shape}, scale=1ms)"), 1, "srpt")
        found = computed(queue.demand_law, 0.8)
        assert found == approx(pareto_means(shape, 0.8), rel=1e-8)
        assert found[1] < found[0] < found[2]  # SRPT is the best there is


# ---- other laws, in ln x


def lognormal(sigma):
    def partial(k, y):
        whole = math.exp(k * k * sigma * sigma / 2)
        return whole * special.ndtr(y / sigma - k * sigma), whole * special.ndtr(
            k * sigma - y / sigma
        )

    return partial, np.linspace(-12 * sigma, 12 * sigma + 2 * sigma**2, 200_001)


def weibull(shape):
    def partial(k, y):
        z, whole = np.exp(shape * y), math.gamma(1 + k / shape)
        return whole * special.gammainc(1 + k / shape, z), whole * special.gammaincc(
            1 + k / shape, z
        )

    return partial, np.linspace(-40 / shape, 6.7 / shape, 400_001)


def gamma(shape):
    def partial(k, y):
        x, whole = np.exp(y), special.poch(shape, k)
        return whole * special.gammainc(shape + k, x), whole * special.gammaincc(shape + k, x)

    return partial, np.linspace(-40 / shape, 6.6, 400_001)


LAWS = {
    "lognormal(mu=0, sigma=0.1)": lognormal(0.1),
    "lognormal(mu=0, sigma=3)": lognormal(3.0),
    "lognormal(mu=0, sigma=5)": lognormal(5.0),
    "weibull(shape=0.25, scale=1s)": weibull(0.25),
    "weibull(shape=5, scale=1s)": weibull(5.0),
    "gamma(shape=0.05, scale=1s)": gamma(0.05),
    "gamma(shape=80, scale=1s)": gamma(80.0),
}


def means_in_logarithms(law, load):
    """As `pareto_means`, for E[S^k; S <= x] and E[S^k; S > x] at x = e^y."""
    partial, y = law
    x = np.exp(y)
    (below0, above0), (below1, above1), (below2, _) = (partial(k, y) for k in range(3))
    mean = below1[-1] + above1[-1]
    rate = load / mean
    idle = np.where(below1 < above1, 1 - rate * below1, 1 - load + rate * above1)
    idle_las = idle - rate * x * above0
    bounded2 = below2 + x * x * above0
    density = np.gradient(np.where(below0 < 0.5, below0, 1 - above0), y)  # dF / dy, for checks
    assert np.trapezoid(density, y) == approx(1, abs=1e-6)

    def average(f):
        """∫ f dF by parts: F rises by itself below the median, and its rest falls above."""
        steps = np.where(below0[1:] < 0.5, np.diff(below0), -np.diff(above0))
        return float(((f[1:] + f[:-1]) / 2) @ steps)

    def corrected(f):
        """`average` on the grid and on every other place, extrapolated (Richardson)."""
        steps = np.where(below0[2::2] < 0.5, np.diff(below0[::2]), -np.diff(above0[::2]))
        rough = float(((f[2::2] + f[:-2:2]) / 2) @ steps)
        return (4 * average(f) - rough) / 3

    alone = cumulative_simpson(x / idle, x=y, initial=0) + x[0]
    return [
        corrected(f) / mean
        for f in (
            x / idle + rate * below2 / (2 * idle**2),
            alone + rate * bounded2 / (2 * idle**2),
            x / idle_las + rate * bounded2 / (2 * idle_las**2),
        )
    ]


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("law", LAWS)
def test_laws_of_extreme_shapes(law, load):
    queue = Queue(tt.Distribution(law), 1, "srpt")
    assert computed(queue.demand_law, load) == approx(
        means_in_logarithms(LAWS[law], load), rel=1e-7
    )


# ---- laws of atoms


def test_a_thousand_values(tmp_path):
    values = np.sort(np.random.default_rng(5).lognormal(0, 2, 1000))
    file = tmp_path / "demands.txt"
    file.write_text("".join(f"{value!r}\n" for value in values.tolist()))
    demand = Queue(tt.Distribution(f"empirical({file})"), 1, "psjf").demand_law
    rate, n = 0.8 / values.mean(), len(values)
    # By sums: priority classes of one value each, and LAS by its conditional mean.
    work = np.concatenate(([0.0], np.cumsum(values) / n))
    idle = 1 - rate * work
    squares = np.cumsum(values**2) / n
    psjf = np.mean(values / idle[:-1] + rate * squares / (2 * idle[:-1] * idle[1:]))
    rest = 1 - np.arange(1, n + 1) / n
    idle_las = 1 - rate * (work[1:] + values * rest)
    las = np.mean(values / idle_las + rate * (squares + values**2 * rest) / (2 * idle_las**2))
    assert len(demand.atoms) == n
    found = computed(demand, 0.8)
    assert found[0] * demand.mean == approx(psjf, rel=1e-8)
    assert found[2] * demand.mean == approx(las, rel=1e-8)


def test_a_few_values_that_nobody_told_of():
    values = np.array([1e-3, 0.2, 0.2000001, 3.0, 500.0])
    probabilities = np.array([0.5, 0.2, 0.2, 0.0999, 0.0001])

    class Values(Law):
        @property
        def mean(self):
            return float(probabilities @ values)

        def sf(self, t):
            return (np.asarray(t)[..., np.newaxis] < values) @ probabilities

    rate = 0.8 / Values().mean
    work = np.concatenate(([0.0], np.cumsum(values * probabilities)))
    idle, squares = 1 - rate * work, np.cumsum(values**2 * probabilities)
    means = values / idle[:-1] + rate * squares / (2 * idle[:-1] * idle[1:])
    found = computed(NumericalDemand(Values()), 0.8)
    assert found[0] * Values().mean == approx(probabilities @ means, rel=1e-8)


# ---- what cannot be had


@pytest.mark.parametrize("policy", ["psjf", "srpt", "las"])
def test_what_cannot_be_had_is_refused_with_a_reason(policy):
    formula = getattr(theory, f"{policy}_mean_response")
    law = Pareto(1.003)  # a share of 0.13 of the mean lies beyond the largest number
    with pytest.raises(PrecisionError, match="could be wrong by"):
        formula(0.8 / law.mean, NumericalDemand(law, math.inf))
    exponential = theory.Hyperexponential.exponential(1.0)
    with pytest.raises(PrecisionError, match="at this load"):
        formula(1 - 1e-12, exponential)
