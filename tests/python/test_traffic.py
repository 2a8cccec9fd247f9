"""The generator of access logs keeps to its stated laws.

Random checks have fixed seeds. Each test of a law errs with probability 1e-3 for another seed, and
each comparison of a count or a mean is 4.5 standard errors wide (false alarm 7e-6).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import polars as pl
import pytest
from scipy import stats
from traffic.addresses import CRAWLERS, Addresses
from traffic.arrivals import (
    Arrivals,
    at_times,
    clusters,
    daily,
    even,
    flash,
    modulated,
    poisson,
    steps,
    weekly,
)
from traffic.laws import (
    Law,
    const,
    erlang,
    exp,
    geometric,
    h2,
    lognormal,
    mix,
    pareto,
    truncated,
    uniform,
    weibull,
)
from traffic.people import People
from traffic.programs import Crawler, Even, Loop, Scanners
from traffic.scenarios.sites import RECORDS, SHOP, STATUS, THINKS, magazine, shop_with_thinks
from traffic.scene import Made, Scene, make
from traffic.site import Site, Target
from traffic.truth import Truth

P_LEAST = 1e-3
DEVIATIONS = 4.5
SESSIONS = 2500


def follows(values: list[float], law: Law) -> bool:
    """Whether values could come from the law, by Kolmogorov and Smirnov."""
    cdf = np.vectorize(law.cdf, otypes=[float])
    return stats.kstest(values, cdf).pvalue > P_LEAST


# ---- laws


CONTINUOUS = [
    *(uniform(2.0, 5.0), exp(7.0), erlang(3, 6.0), lognormal(1.0, 0.8), weibull(0.6, 4.0)),
    *(pareto(2.5, 1.0), h2(5.0, 4.0), mix((0.3, exp(1.0)), (0.7, uniform(3.0, 4.0)))),
    truncated(exp(5.0), 8.0),
]


@pytest.mark.parametrize("law", CONTINUOUS, ids=str)
def test_draws_follow_their_law(law: Law) -> None:
    random = Random(1)
    values = [law.draw(random) for _ in range(4000)]
    assert follows(values, law)
    error = np.std(values) / math.sqrt(len(values))
    assert abs(np.mean(values) - law.mean) < DEVIATIONS * error


def test_counts_follow_their_law() -> None:
    random, law = Random(1), geometric(4.0)
    counts = np.bincount([int(law.draw(random)) for _ in range(4000)], minlength=13)
    shares = np.diff([law.cdf(n) for n in range(13)])
    expected = [*(4000 * shares), 4000 * (1 - law.cdf(12))]
    seen = [*counts[1:13], counts[13:].sum()]
    assert stats.chisquare(seen, expected).pvalue > P_LEAST
    assert all(geometric(1.0).draw(random) == 1 for _ in range(10))
    assert const(3.0).draw(random) == 3.0


def test_another_law_is_told() -> None:
    random = Random(1)
    values = [exp(6.0).draw(random) for _ in range(4000)]
    assert not follows(values, exp(7.0))


# ---- arrivals


def drawn(arrivals: Arrivals, span: float = 20_000.0) -> np.ndarray:
    times = arrivals.draw(np.random.default_rng(1), 0.0, span)
    assert (np.diff(times) >= 0).all()
    assert ((times >= 0) & (times < span)).all()
    return times


PROFILES = {
    "daily": daily(0.2, period=5000.0, peak=1000.0),
    "weekly": weekly(0.3),
    "flash": flash(8000.0, factor=10.0, decay=900.0),
    "steps": steps(0.5, 1.5, 1.0, length=700.0),
    "product": daily(0.5, period=4000.0).times(steps(1.0, 2.0, length=1000.0)),
}


@pytest.mark.parametrize("name", PROFILES)
def test_a_poisson_process_has_the_rate_of_its_profile(name: str) -> None:
    """Time that runs as fast as the rate makes the times uniform."""
    profile = PROFILES[name]
    times = drawn(poisson(0.2, profile))
    grid = np.linspace(0, 20_000, 200_001)
    upto = np.concatenate([[0.0], np.cumsum(profile.at(grid[:-1] + 0.05)) * 0.1])
    assert (profile.at(grid) <= profile.most + 1e-12).all()
    count = 0.2 * upto[-1]
    assert abs(len(times) - count) < DEVIATIONS * math.sqrt(count)
    assert stats.kstest(np.interp(times, grid, upto) / upto[-1], "uniform").pvalue > P_LEAST


def dispersion(times: np.ndarray, window_s: float) -> float:
    """The variance of counts in windows, by their mean."""
    counts = np.bincount((times / window_s).astype(int))
    return float(np.var(counts) / np.mean(counts))


def test_bursts_are_bursts() -> None:
    """A cluster of geometric size with mean m has E[size²] / E[size] = 2 m - 1, the dispersion in
    long windows; that of 1,000 windows is within a quarter (5 standard errors)."""
    found = drawn(clusters(0.1, size=5.0, spread=1.0), 1e5)
    assert len(found) == pytest.approx(0.1 * 5 * 1e5, rel=0.06)
    assert dispersion(found, 100.0) == pytest.approx(9.0, rel=0.25)
    # A quarter of the time at the high rate.
    switched = drawn(modulated(low=0.1, high=2.0, quiet=30.0, busy=10.0), 1e5)
    assert len(switched) == pytest.approx((0.75 * 0.1 + 0.25 * 2.0) * 1e5, rel=0.1)
    assert dispersion(switched, 100.0) > 5
    assert dispersion(drawn(poisson(0.5), 1e5), 100.0) == pytest.approx(1.0, rel=0.25)
    assert set(np.diff(drawn(even(10.0, first=3.0))).round(9)) == {10.0}


# ---- people


@pytest.fixture(scope="module")
def journeys() -> Made:
    """Sessions whose ends are all in the log, so that none of them is cut."""
    starts = at_times(*(2.0 * n for n in range(SESSIONS)))
    people = People("visitors", shop_with_thinks(), exp(12.0), starts)
    return make(Scene([people], 1e9, lead_s=0.0), seed=1)


def test_pages_follow_by_the_matrix(journeys: Made) -> None:
    counts = journeys.truth.transitions("visitors")
    assert sum(counts.values()) == journeys.truth.table.height
    squares, freedom = 0.0, 0
    for kind, row in SHOP.matrix().items():
        total = sum(count for (one, _), count in counts.items() if one == kind)
        for following, share in row.items():
            squares += (counts.pop((kind, following), 0) - total * share) ** 2 / (total * share)
        freedom += len(row) - 1
    assert not counts, "pages that cannot follow"
    assert stats.chi2.sf(squares, freedom) > P_LEAST


def test_transitions_and_sessions_are_counted(journeys: Made) -> None:
    """By hand, for the first ten sessions."""
    truth = journeys.truth
    some = truth.sessions("visitors").head(10)
    assert some["begin"].to_list() == [2.0 * n for n in range(10)]
    counts = Counter()
    for session, pages, lines in some.select("session", "pages", "lines").rows():
        own = truth.table.filter(pl.col("session") == session).sort("arrival")
        assert own.height == pages == lines
        counts.update(pairwise([*own["kind"].cast(str), "end"]))
    part = Truth(truth.table.filter(pl.col("session").is_in(some["session"].to_list())), {})
    assert part.transitions("visitors") == counts


def test_journeys_begin_and_visit_as_the_chain_does(journeys: Made) -> None:
    table = journeys.truth.table.with_columns(pl.col("kind").cast(str))
    facts = journeys.truth.facts["populations"]["visitors"]
    assert (facts["sessions"], facts["users"]) == (SESSIONS, SESSIONS)
    begun = dict(table.filter(pl.col("page") == 0).group_by("kind").len().rows())
    seen = [begun[kind] for kind in SHOP.first]
    expected = [SESSIONS * share for share in SHOP.first.values()]
    assert stats.chisquare(seen, expected).pvalue > P_LEAST
    per_session = table.group_by("session", "kind").len()
    for kind, visits in facts["visits"].items():
        own = per_session.filter(pl.col("kind") == kind)["len"].to_numpy()
        error = math.sqrt((own**2).sum() / SESSIONS / SESSIONS)
        assert abs(own.sum() / SESSIONS - visits) < DEVIATIONS * error, kind
    assert sum(facts["visits"].values()) == pytest.approx(3.93, abs=0.005)


@pytest.mark.parametrize("kind", [*THINKS, "cart"])
def test_think_times_follow_the_law_of_the_page(journeys: Made, kind: str) -> None:
    """From the answer to the next request, as the log has it."""
    pages = journeys.truth.table.sort("session", "page").with_columns(pl.col("kind").cast(str))
    gap = pl.col("arrival").shift(-1).over("session") - pl.col("done")
    gaps = pages.with_columns(gap=gap).filter(pl.col("kind") == kind, gap.is_not_null())
    assert gaps.height > 100
    law = THINKS.get(kind, exp(12.0))
    assert follows(gaps["gap"].to_list(), law)
    assert not follows((3 * gaps["gap"]).to_list(), law)


def test_popularity_is_that_of_zipf() -> None:
    """The ten most popular of a hundred: each within 4.5 standard deviations."""
    random, target, draws = Random(1), Target("/item/{id}", 100, 0.9), 20_000
    ranks = np.bincount([target.number(random) for _ in range(draws)], minlength=100)
    shares = (np.arange(100) + 1.0) ** -0.9
    shares /= shares.sum()
    assert (abs(ranks - draws * shares) < DEVIATIONS * np.sqrt(draws * shares) + 1).all()
    later = Target("/item/{id}", 100, 2.0, fashion_s=60.0)
    assert np.bincount([later.number(random, 150.0) for _ in range(200)]).argmax() == 98
    for template in ("/item/{id}", "/u/{name}", "/{uuid}"):
        assert len({Target(template, 2000).path(number) for number in range(2000)}) == 2000


def test_a_matrix_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="what follows first sums to"):
        Site(SHOP.pages, first={"home": 0.5})
    with pytest.raises(ValueError, match="which is no page"):
        Site(SHOP.pages[:1], first={"home": 1.0})


@pytest.fixture(scope="module")
def readers() -> Made:
    """A magazine with objects, browsers with caches and second tabs."""
    people = People(
        *("readers", magazine(5.0, same=True), exp(20.0), poisson(0.4)),
        cache=True,
        returning=0.3,
        tabs=0.2,
        network=exp(0.05),
    )
    return make(Scene([people], 1500.0, lead_s=0.0), seed=1)


def test_objects_come_after_their_page_over_six_connections(readers: Made) -> None:
    table = readers.truth.table
    pages = table.filter(pl.col("role") == "page").select("session", "page", pl.col("done"))
    objects = table.filter(pl.col("role") == "object", pl.col("page") >= 0)
    both = objects.join(pages, on=["session", "page"], suffix="_page")
    assert both.height > 1000
    assert (both["arrival"] >= both["done_page"]).all()
    most = 0
    for _, group in both.group_by("session", "page"):
        begun, done = group["arrival"].to_numpy(), group["done"].to_numpy()
        most = max(most, *(((begun <= now) & (done > now)).sum() for now in begun))
    assert 4 <= most <= 6


def test_browsers_keep_objects_and_ask_whether_they_changed(readers: Made) -> None:
    objects = readers.truth.table.filter(pl.col("role") == "object").sort("done")
    again = objects.filter(pl.col("status") == 304)
    assert again.height > 50
    assert (again["bytes"] == 0).all()
    fetched = objects.filter(pl.col("status") == 200).group_by("user", "path")
    first = fetched.agg(pl.col("done").min().alias("fetched"))
    both = again.join(first, on=["user", "path"])
    assert both.height == again.height, "nobody asks whether changed what was never fetched"
    assert (both["fetched"] < both["arrival"]).all()


def test_tabs_overlap(readers: Made) -> None:
    pages = readers.truth.table.filter(pl.col("role") == "page").sort("session", "page")
    assert (pages["tab"] > 0).mean() == pytest.approx(0.13, abs=0.08)
    both = pages.group_by("session").agg(pl.col("tab").n_unique(), pl.col("user").n_unique())
    assert (both["tab"] > 1).any()
    assert (both["user"] == 1).all()


def test_addresses_are_shared_as_said() -> None:
    random = Random(1)
    given = [Addresses(shared=0.4, behind=5).of(user, random)[0] for user in range(4000)]
    behind = [address for address in given if address.startswith("10.200.")]
    assert abs(len(behind) - 1600) < DEVIATIONS * math.sqrt(4000 * 0.24)
    assert len(set(behind)) == 5
    own = [address for address in given if not address.startswith("10.200.")]
    assert len(set(own)) == len(own)
    one = Addresses(shared=1.0, behind=1, agent="-")
    assert {one.of(user, random) for user in range(100)} == {("10.200.0.0", "-")}


def test_a_closed_population_of_people_never_leaves() -> None:
    testers = People("testers", SHOP, exp(10.0), clients=20)
    truth = make(Scene([testers], 600.0), seed=1).truth
    facts = truth.facts["populations"]["testers"]
    assert (facts["users"], facts["sessions"], facts["model"]) == (20, 20, "closed")
    # Each asks once in 10.02 s; the count of a renewal process has variance of about its mean.
    expected = 20 * 600 / 10.02
    assert abs(facts["lines"] - expected) < DEVIATIONS * math.sqrt(expected)


# ---- programs


def test_loops_ask_a_think_time_after_the_answer() -> None:
    loops = Loop("pollers", [STATUS], count=5, think=const(3.0))
    table = make(Scene([loops], 300.0), seed=1).truth.table.sort("user", "arrival")
    waits = table.select(pl.col("arrival") - pl.col("done").shift(1).over("user")).drop_nulls()
    assert np.allclose(waits.to_numpy(), 3.0)
    assert table.height == pytest.approx(5 * 300 / 3.004, abs=6)


def test_hands_without_think_time_are_always_busy() -> None:
    hands = Loop("batch", [RECORDS], count=4, think=const(0.0), one_address=True)
    table = make(Scene([hands], 60.0, lead_s=5.0), seed=1).truth.table
    assert table["address"].n_unique() == 1
    begun, done = table["arrival"].to_numpy(), table["done"].to_numpy()
    inside = [((begun <= moment) & (done > moment)).sum() for moment in np.linspace(1, 58, 500)]
    assert set(inside) == {4}


def test_checks_are_even_whatever_the_answer_takes() -> None:
    slow = replace(STATUS, demand=uniform(0.0, 15.0))
    checks = Even("checks", [slow], count=3, every=10.0)
    table = make(Scene([checks], 400.0), seed=1).truth.table.sort("user", "arrival")
    assert (table["done"] - table["arrival"] > 10).any()
    gaps = table.select(pl.col("arrival").diff().over("user")).drop_nulls()
    assert np.allclose(gaps.to_numpy(), 10.0)


def test_crawlers_say_who_they_are_or_not() -> None:
    pages = [kind for kind in SHOP.pages if kind.name in ("item", "list")]
    said = Crawler("said", pages, agent=CRAWLERS[0], think=const(1.0), addresses=4)
    hidden = Crawler("hidden", pages, declared=False, agent="Mozilla/5.0 (X11)", network=120)
    table = make(Scene([said, hidden], 400.0), seed=1).truth.table
    robots = table.filter(pl.col("path") == "/robots.txt")
    assert set(robots["population"]) <= {"said"}
    own = table.filter(pl.col("population") == "said")
    assert 2 <= own["address"].n_unique() <= 4
    items = own.filter(pl.col("kind") == "item")["path"]
    assert items.n_unique() == len(items), "it goes from path to path"


def test_scanners_ask_for_what_is_not_there() -> None:
    scans = Scanners("scanners", [SHOP.kinds["home"]], scans=at_times(10.0, 50.0), hands=3)
    table = make(Scene([scans], 5000.0), seed=1).truth.table
    assert table["user"].n_unique() == 2
    assert (table["status"] == 404).mean() == pytest.approx(0.9, abs=0.05)
