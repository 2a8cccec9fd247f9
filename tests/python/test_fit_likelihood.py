"""The foundations of the fits: families against Rust's laws, probabilities of bins, odd tallies."""

import math
from itertools import pairwise

import numpy as np
import pytest
from fit_errors import standard_errors
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special

import thinktime
from thinktime import _core
from thinktime.learn.fit import COUNTS, SIZES, TIMES, Tally, fit, tail
from thinktime.learn.fit.candidates import FAMILIES
from thinktime.learn.fit.observations import Observations
from thinktime.learn.fit.problem import bounded, unbounded

few = settings(max_examples=150)

PARAMETERS = {
    "const": [[5.3]],
    "exp": [[7.0], [1e-4]],
    "geometric": [[4.0], [1.01], [1.0]],
    "poisson": [[3.0], [0.1]],
    "erlang": [[3.0, 15.0]],
    "uniform": [[2.0, 20.0], [0.0, 1.0]],
    "pareto": [[1.4, 1.0], [1.0, 2.0], [0.6, 3.0]],
    "lognormal": [[2.2, 1.9], [-3.0, 0.1]],
    "weibull": [[0.6, 20.0], [3.0, 2.0]],
    "gamma": [[2.5, 4.0], [0.3, 40.0]],
    "h2": [[10.0, 8.0], [10.0, 1.0]],
    "inverse_gaussian": [[3.86, 9.46], [10.0, 0.5]],
    "bounded_pareto": [[1.1, 1.0, 1e4], [1.0, 1.0, 10.0]],
    "exp+lognormal": [[0.4, 0.5, 2.5, 1.2]],
    "lognormal+pareto": [[0.93, 7.63, 1.0, 1.1, 10240.0]],
    "cut lognormal+pareto": [[0.93, 7.63, 1.0, 1.1, 10240.0]],
}
CASES = [(name, p) for name, cases in PARAMETERS.items() for p in cases]
FRACTIONS = (1e-6, 0.01, 0.3, 0.5, 0.9, 0.999)


def masses(seen, family, p):
    """P(bin) for each bin."""
    return np.array(seen.likelihood.masses(family.name, p))


def test_every_family_is_looked_at():
    assert set(PARAMETERS) == set(FAMILIES) == {*TIMES, *SIZES, *COUNTS}


@pytest.mark.parametrize(("name", "p"), CASES)
@pytest.mark.parametrize("unit", ["s", "B", ""])
def test_families_are_the_laws_that_their_notation_means(name, p, unit):
    """Against the Rust implementation, which other tests compare with mpmath and scipy."""
    family = FAMILIES[name]
    law = thinktime.Distribution(family.notation(p, unit))
    assert family.mean(p) == pytest.approx(law.mean, rel=1e-5)
    for u in FRACTIONS:
        x = family.quantile(u, p)
        assert x == pytest.approx(law.quantile(u), rel=1e-4)
        at = np.array([x])
        assert float(family.cdf(at, p)[0]) == pytest.approx(law.cdf(x), rel=1e-4, abs=1e-12)
        assert float((family.cdf(at, p) + family.sf(at, p))[0]) == pytest.approx(1)
    below = np.array([-1.0])
    assert (float(family.cdf(below, p)[0]), float(family.sf(below, p)[0])) == (0, 1)


@pytest.mark.parametrize(("name", "p"), CASES)
def test_clipped_means_are_integrals_of_the_tail(name, p):
    family = FAMILIES[name]
    bounds = [0.0, *(family.quantile(u, p) for u in FRACTIONS)]
    jumps = range(1, 20) if family.whole_only else sorted({*p, *bounds})
    found = family.clipped_mean(np.array(bounds), p)
    for x, mean in zip(bounds, found, strict=True):
        parts = [0.0, *(j for j in jumps if 0 < j < x), x]
        by_parts = [
            integrate.quad(lambda t: float(family.sf(np.array([t]), p)[0]), a, b, limit=200)[0]
            for a, b in pairwise(parts)
        ]
        assert mean == pytest.approx(sum(by_parts), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("sigma", [0.05, 0.7, 3.0])
@pytest.mark.parametrize("from_z", [-3.0, 0.0, 4.0, 30.0])
def test_a_tail_over_a_threshold_has_the_probabilities_of_another_implementation(sigma, from_z):
    """Lognormal: e^{-a y - b y²} with b = 1 / (2 sigma²), and a = z / sigma at the threshold."""
    z = from_z + np.linspace(0, 4, 81)
    edges = np.exp(sigma * z)
    tail = _core.Tail(edges[:-1].tolist(), edges[1:].tolist(), [1.0] * 80, 0, float(edges[-1]))
    far = special.log_ndtr(-z)
    masses = -np.expm1(far[1:] - far[:-1]) * np.exp(far[:-1] - far[0])
    masses /= -np.expm1(far[-1] - far[0])
    found = np.exp(tail.logs(from_z / sigma, 1 / (2 * sigma**2)))
    assert found == pytest.approx(masses, rel=1e-9)
    upto = np.cumsum(masses) - np.arange(1, 81) / 80
    assert tail.distance(from_z / sigma, 1 / (2 * sigma**2)) == pytest.approx(np.abs(upto).max())


# ---- probabilities of bins


@pytest.mark.parametrize("name", [name for name in TIMES if name != "const"])
@pytest.mark.parametrize("limit", [None, 60.0])
def test_stamps_have_the_probabilities_of_two_rounded_times(name, limit):
    """P(D = k) = G(k + 1) - 2 G(k) + G(k - 1) with G the integral of F, by quadrature."""
    family, p = FAMILIES[name], PARAMETERS[name][0]
    law = thinktime.Distribution(family.notation(p, "s"))
    jumps = [law.range[0], law.range[1]]

    def mean_cdf(k):
        points = [x for x in jumps if k < x < k + 1] or None
        return integrate.quad(law.cdf, k, k + 1, points=points, epsabs=1e-13, limit=200)[0]

    upto = np.array([0.0, *(mean_cdf(k) for k in range(61))])
    expected = np.diff(upto) / (upto[61] if limit else 1)
    numbers = np.arange(61.0)
    seen = Observations(Tally(numbers, numbers, np.ones(61), resolution=1.0, limit=limit))
    assert masses(seen, family, p) == pytest.approx(expected, rel=2e-5, abs=1e-10)


def test_stamps_as_they_are_made():
    """Against a simulation; the largest of 20 deviations passes 4 once in 800 runs."""
    random = np.random.default_rng(1)
    gaps, start = random.gamma(2, 1.5, 200_000), random.random(200_000)
    made = np.bincount((np.floor(start + gaps) - np.floor(start)).astype(int), minlength=20)[:20]
    numbers = np.arange(20.0)
    tally = Tally(numbers, numbers, np.ones(20), resolution=1.0)
    mass = masses(Observations(tally), FAMILIES["gamma"], [2.0, 1.5])
    expected = 200_000 * mass
    assert np.max(np.abs(made - expected) / np.sqrt(expected)) < 4


@pytest.mark.parametrize("name", COUNTS)
def test_whole_numbers_are_rounded_as_sessions_round_them(name):
    family, p = FAMILIES[name], PARAMETERS[name][0]
    law = thinktime.Distribution(family.notation(p, ""))
    draws = np.maximum(np.floor(np.array(law.sample(40_000, 3)) + 0.5), 1)
    made = np.bincount(np.minimum(draws, 30).astype(int), minlength=31)[1:30]
    numbers = np.arange(1.0, 30)
    mass = masses(Observations(Tally(numbers, numbers, np.ones(29), whole=True)), family, p)
    expected = 40_000 * mass
    some = expected > 5
    assert np.max(np.abs(made - expected)[some] / np.sqrt(expected[some])) < 4
    assert np.all(made[~some] < 30)


@pytest.mark.parametrize("limit", [None, 50.0])
@pytest.mark.parametrize("name", [name for name in TIMES if name != "const"])
def test_bins_that_cover_everything_have_the_probability_one(name, limit):
    family, p = FAMILIES[name], PARAMETERS[name][0]
    edges = np.array([0.0, *np.geomspace(1e-3, 50, 400), math.inf])
    seen = Observations(Tally(edges[:-1], edges[1:], np.ones(401), limit=limit))
    assert masses(seen, family, p).sum() == pytest.approx(1)
    # Stamps of a tenth, joined to bins of one in a hundred far up.
    stamps = 0.1 * np.arange(20_000.0)
    stamps = stamps[stamps <= (limit or math.inf)]
    seen = Observations(Tally(stamps, stamps, np.ones(len(stamps)), 0.1, limit))
    beyond = float(family.sf(np.array([2000.0]), p)[0]) if limit is None else 0
    assert masses(seen, family, p).sum() == pytest.approx(1 - beyond, abs=1e-4)


def test_joined_bins_lose_nothing_that_matters():
    random = np.random.default_rng(1)
    values = np.floor(random.random(50_000) + random.lognormal(6, 1.2, 50_000))
    tally = Tally.from_values(values, resolution=1.0)
    assert len(Observations(tally).count) < 700 < 4000 < len(tally.count)
    found = fit(tally, ["lognormal"])[0]
    errors = standard_errors(found, tally)
    for name, true in (("mu", 6), ("sigma", 1.2)):
        assert abs(found.parameters[name] - true) < 3 * errors[name]


@pytest.mark.parametrize("within", [(0.0, math.inf), (-math.inf, math.inf), (1.0, 1e9), (0.2, 0.9)])
def test_scales_without_bounds_come_back(within):
    for value in (0.25, 0.5, 1.0000001, 3.0, 1e5):
        if within[0] < value < within[1]:
            assert bounded(unbounded(value, *within), *within) == pytest.approx(value, rel=1e-9)


# ---- tallies


def test_a_tally_says_its_quantiles_and_its_mean():
    values = np.random.default_rng(1).exponential(7, 50_000)
    for resolution in (0.0, 0.001):
        tally = Tally.from_values(values, resolution=resolution)
        assert tally.total == 50_000
        assert tally.mean == pytest.approx(values.mean(), rel=1e-3)
        for u in (0.1, 0.5, 0.99):
            assert tally.quantile(u) == pytest.approx(np.quantile(values, u), rel=0.01)
    empty = Tally.from_values([])
    assert (empty.total, empty.mean, empty.quantile(0.5)) == (0, 0.0, 0.0)
    with pytest.raises(ValueError, match="from 0 to 1; it is 50"):
        empty.quantile(50)


def test_bins_come_in_any_order_and_bad_ones_are_dropped():
    nan, inf = math.nan, math.inf
    tally = Tally(
        np.array([3.0, 1.0, nan, 5.0, -1.0, 7.0, 2.0, 90.0]),
        np.array([4.0, 2.0, 1.0, 4.0, 1.0, inf, 2.0, 91.0]),
        np.array([5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 0.0, 3.0]),
        limit=80.0,
    )
    assert list(tally.low) == [1, 3, 7]
    assert list(tally.count) == [6, 5, 1]
    assert tally.mean == pytest.approx((6 * 1.5 + 5 * 3.5 + 7) / 12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [2.0], [1.0, 2.0]), "columns of one length"),
        (([1.0], [2.0], [1.0], -1.0), "the resolution is 0 or above"),
        (([1.0], [2.0], [1.0], 1.0, None, True), "0 for whole numbers; it is 1.0"),
        (([1.0], [2.0], [1.0], 0.0, 0.0), "the limit must be above 0"),
    ],
)
def test_tallies_that_make_no_sense_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Tally(*arguments)


# ---- odd tallies


def check(tally, candidates=None):
    """Everything that fits and tails say is a number, and every notation is read."""
    fits = fit(tally, candidates)
    for one in fits:
        law = thinktime.Distribution(one.notation)
        numbers = [
            *one.parameters.values(),
            one.log_likelihood,
            one.bic,
            one.ks,
            one.mean,
            one.median,
            one.quantile(0.99),
        ]
        assert not any(map(math.isnan, numbers)), one
        assert 0 <= one.ks <= 1
        assert one.median <= one.quantile(0.99)
        if not one.whole and one.mean < 1e12:
            assert law.mean == pytest.approx(one.mean, rel=0.02)
    found = tail(tally)
    assert found.verdict in {"heavy", "not heavy", "cannot tell"}
    assert not any(math.isnan(x) for x in vars(found).values() if isinstance(x, float)), found
    return fits


ODD = {
    "nothing": ([], {}, [], ""),
    "zero counts": ([1.0, 2.0], {"count": [0.0, 0.0]}, [], ""),
    "all zero": ([0.0] * 5, {}, ["const"], "all values are 0"),
    "all zero stamps": ([0.0] * 90, {"resolution": 1.0}, ["const", "exp"], "the same"),
    "one value": ([5.0], {}, ["const"], "fewer than 50 values"),
    "all equal": ([5.0] * 900, {}, ["const"], "all values are the same"),
    "all equal stamps": ([5.0] * 900, {"resolution": 1.0}, ["const"], "the same"),
    "one a session": ([1.0] * 900, {"whole": True}, ["const"], "the same"),
    "two values": ([5.0, 500.0], {}, None, "fewer than 50 values"),
    "two heaps": ([5.0] * 500 + [500.0] * 500, {}, None, ""),
    "huge": ([1e15, 2e15, 8e17] * 90, {}, None, ""),
    "tiny": ([1e-9, 2e-9, 8e-12] * 90, {}, None, ""),
    "zeros and one": ([0.0] * 90 + [3.0], {}, ["const"], "99 % of the values are 0"),
    "at the limit": ([9.99, 10.0] * 90, {"limit": 10.0}, None, ""),
    "above the limit": ([20.0] * 90, {"limit": 10.0}, [], ""),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_values_are_no_error(case):
    values, options, laws, note = ODD[case]
    if "count" in options:
        tally = Tally(np.array(values), np.array(values), np.array(options["count"]))
    else:
        tally = Tally.from_values(values, **options)
    fits = check(tally)
    if laws is None:
        assert fits
    else:
        assert (fits[0].law if fits else None) == (laws[0] if laws else None) or (
            fits[0].law in laws
        )
    assert note in (fits[0].note if fits else "")


@st.composite
def tallies(draw):
    """Overlapping, empty, far-away and infinite bins in all three kinds of observation."""
    scale = 10.0 ** draw(st.integers(-9, 12))
    bins = draw(
        st.lists(
            st.tuples(
                st.floats(0, 100), st.sampled_from([0, 1e-9, 0.01, 2]), st.integers(0, 10**8)
            ),
            max_size=12,
        )
    )
    low = scale * np.array([low for low, _, _ in bins])
    high = low * (1 + np.array([width for _, width, _ in bins]))
    if draw(st.booleans()) and len(high):
        high[-1] = math.inf
    kind = draw(st.sampled_from(["exact", "stamps", "whole"]))
    if kind != "exact":
        low, high = np.floor(low), np.floor(high)
    return Tally(
        low,
        high,
        np.array([float(count) for _, _, count in bins]),
        resolution=draw(st.sampled_from([1.0, 1e-3])) if kind == "stamps" else 0.0,
        limit=draw(st.none() | st.floats(1e-9, 1e12)),
        whole=kind == "whole",
        unit=draw(st.sampled_from(["s", "B", ""])),
    )


@few
@given(tallies(), st.data())
def test_no_tally_is_an_error(tally, data):
    names = COUNTS if tally.whole else sorted({*TIMES, *SIZES})
    check(tally, data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3)))
