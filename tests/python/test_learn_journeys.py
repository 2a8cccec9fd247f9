"""Journeys: matrices, think times, pages and rates against logs with a known truth.

Seeds are fixed. Entries of matrices may be off by four standard deviations, plus a tolerance that
each test gives: of the hundred or so entries of a matrix one is beyond in one of 160 seeds.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from population_traffic import Learned, learned, learned_of, requests_offered, workload_of
from traffic.arrivals import poisson
from traffic.laws import exp, geometric
from traffic.people import People
from traffic.scenarios.sites import SHOP
from traffic.scene import Scene, make
from traffic.site import Kind, Objects, Site, Target

from thinktime import Distribution, workload
from thinktime.learn.journeys.chain import JOURNEY, WEIGHTS


@pytest.fixture(scope="module")
def people() -> Learned:
    return learned("people", seed=11, scale=0.3)


@pytest.fixture(scope="module")
def magazine() -> Learned:
    return learned("objects", seed=12)


def test_the_matrix_of_a_shop(people: Learned) -> None:
    chain = people.journeys.chain
    assert chain.model == JOURNEY
    assert people.off(chain.next, 100) < 0.005
    assert people.off(chain.offered, 100) < 0.01
    first = dict(zip(people.names, chain.first.tolist(), strict=False))
    for name, share in people.facts["first"].items():
        assert first[name] == pytest.approx(share, abs=0.025)


def test_pages_without_order_are_drawn_by_weight() -> None:
    found = learned("independent-pages", seed=13, scale=0.1)
    assert found.journeys.chain.model == WEIGHTS
    assert "weight = " in workload_of(found.journeys)[1]
    visits = found.facts["visits"]
    for name, weight in zip(found.names, found.journeys.chain.weights, strict=False):
        if name in visits:
            assert weight == pytest.approx(visits[name] / sum(visits.values()), abs=0.02)


def law_of(law: str) -> str:
    """The name of a law, though it is cut off at the timeout."""
    return law.removeprefix("truncated(").partition("(")[0]


def mu_of(law: str | None) -> float:
    """The median's logarithm of a lognormal law."""
    found = re.search(r"lognormal\(mu=([\d.]+)", law or "")
    assert found is not None, law
    return float(found[1])


def test_think_times_by_page() -> None:
    """Seven pages have laws of their own; those of the most visited are found by name."""
    found = learned("thinks-by-page", seed=14, scale=0.4)
    own = {found.names[kind]: law_of(law) for kind, law in found.journeys.thinks.own.items()}
    assert {"home": "exp", "item": "lognormal"}.items() <= own.items()
    assert {"search", "list"} <= set(own)
    law = found.journeys.thinks.law
    assert law is not None
    assert law_of(law) == "exp"
    assert Distribution(law).mean == pytest.approx(12.0, rel=0.05)


def test_one_law_where_all_think_alike(people: Learned) -> None:
    thinks = people.journeys.thinks
    assert thinks.own == {}
    assert mu_of(thinks.law) == pytest.approx(2.5, abs=0.03)


def test_whole_seconds_without_durations() -> None:
    found = learned("people-seconds", seed=15, scale=0.1)
    assert found.off(found.journeys.chain.next, 100) < 0.005
    assert mu_of(found.journeys.thinks.law) == pytest.approx(2.5, abs=0.06)


def test_pages_and_what_they_embed(magazine: Learned) -> None:
    found = magazine.journeys
    role = (magazine.truth["role"].cast(str) == "object").to_numpy()[found.visits.order]
    assert np.mean(found.visits.embedded != role) < 0.001
    assert found.embeddings.connections == 6
    names = magazine.names
    for kind, embedding in found.embeddings.of_kind.items():
        truth = magazine.truth.filter(magazine.truth["role"].cast(str) == "page")
        assert names[kind] in truth["kind"].cast(str).unique().to_list()
        assert embedding.law.startswith("geometric(")
        shares = {names[one]: many for one, many in embedding.of.items()}
        total = sum(shares.values())
        assert shares["image"] / total == pytest.approx(0.65, abs=0.03)


@pytest.mark.parametrize("form", ["json", "combined", "timed"])
def test_calls_belong_to_their_pages(form: str) -> None:
    """They have no ending that identifies them, but come at once; stamps of `timed` may reverse
    them."""
    objects = Objects(geometric(2.0), {"suggest": 0.5, "count": 0.5})
    pages = [
        replace(kind, objects=objects) if kind.name in ("home", "item") else kind
        for kind in SHOP.pages
    ]
    calls = [
        Kind("suggest", Target("/api/suggest/{id}", 500, 0.8)),
        Kind("count", Target("/api/cart-count")),
    ]
    site = replace(SHOP, pages=pages, objects=calls)
    people = People("p", site, exp(6.0), poisson(0.5), network=exp(0.05))
    found = learned_of(make(Scene([people], 2000.0, format=form), 31))
    role = (found.truth["role"].cast(str) == "object").to_numpy()[found.journeys.visits.order]
    assert np.mean(found.journeys.visits.embedded != role) < 0.003


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("people", {"seed": 11, "scale": 0.3}),
        ("objects", {"seed": 12}),
        ("caches", {"seed": 16, "scale": 0.1}),
        ("tabs", {"seed": 17}),
        ("errors-and-retries", {"seed": 19}),
    ],
)
def test_the_file_offers_what_the_log_offered(name: str, how: dict[str, Any]) -> None:
    """Of logs that other tests look at, too."""
    found = learned(name, **how).journeys
    logged = np.count_nonzero(~found.visits.retry) / found.journeys
    assert requests_offered(found) == pytest.approx(logged, rel=0.02)


def test_tabs_are_journeys_of_their_own() -> None:
    found = learned("tabs", seed=17)
    assert found.journeys.visits.tabs > 0.2 * found.journeys.visits.sessions
    assert found.off(found.journeys.chain.next, 100) < 0.01
    assert mu_of(found.journeys.thinks.law) == pytest.approx(2.5, abs=0.05)


@pytest.mark.parametrize("name", ["shared-addresses", "one-address", "closed-people"])
def test_journeys_are_found_where_users_are_not(name: str) -> None:
    """By referrers: people behind one address, and clients who begin anew at once."""
    found = learned(name, seed=21, scale=0.1)
    first = found.truth["session"].is_first_distinct()  # some began before the log
    begun = int((first | (found.truth["referrer"] == "-")).sum())
    assert found.journeys.journeys == pytest.approx(begun, rel=0.05)
    assert found.off(found.journeys.chain.next, 100) < 0.01


def test_caches_are_told_and_change_no_rate() -> None:
    found = learned("caches", seed=16, scale=0.1)
    role = (found.truth["role"].cast(str) == "object").to_numpy()[found.journeys.visits.order]
    assert np.mean(found.journeys.visits.embedded != role) < 0.01
    assert found.journeys.embeddings.unchanged > 0
    assert "# cache = true" in workload_of(found.journeys)[1]


def test_retries_are_no_pages() -> None:
    found = learned("errors-and-retries", seed=19)
    true = (found.truth["retry"] > 0).to_numpy()[found.journeys.visits.order]
    assert np.mean(found.journeys.visits.retry != true) < 0.01
    assert found.off(found.journeys.chain.next, 100) < 0.005


def test_fourteen_interactions_of_a_bookstore() -> None:
    """The chain of a preset, each interaction a page, ending with the probability 0.04."""
    pages = []
    for request in tomllib.loads(workload.text("bookstore-shopping"))["request"]:
        row = {name: 0.96 * share for name, share in request["next"].items()}
        row["end"] = 1 - sum(row.values())
        pages.append(Kind(request["name"], Target(f"/{request['name']}"), next=row))
    site = Site(pages, first={"home": 1.0})
    scene = Scene([People("browsers", site, exp(7.0), poisson(0.4))], 3600.0, format="combined")
    found = learned_of(make(scene, 20))
    assert len(found.journeys.kinds.kinds) == 14
    assert found.off(found.journeys.chain.next, 100) < 0.005


def test_different_things_with_many_names_stay_apart() -> None:
    """Eighteen calls of an interface, in a circle, look like a list of names, but are not one."""
    names = [f"do{one}{two}" for one in "bdfgkl" for two in "aio"]
    pages = [
        Kind(
            name,
            Target(f"/api/{name}"),
            next={names[(at + 1) % 18]: 0.6, names[(at + 5) % 18]: 0.3, "end": 0.1},
        )
        for at, name in enumerate(names)
    ]
    lists = Kind("list", Target("/list/{name}", 40, 0.8), next={"list": 0.5, "end": 0.5})
    site = Site([*pages, lists], first={names[0]: 0.8, "list": 0.2})
    found = learned_of(make(Scene([People("p", site, exp(7.0), poisson(0.8))], 3000.0), 22))
    told = {kind.template for kind in found.journeys.kinds.kinds}
    assert {f"/api/{name}" for name in names} <= told
    assert "/list/*" in told
