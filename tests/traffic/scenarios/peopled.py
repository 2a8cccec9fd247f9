"""Scenarios of people alone: their paths from page to page, and their marks in a log."""

from __future__ import annotations

from dataclasses import replace

from traffic.addresses import Addresses
from traffic.arrivals import HOUR, poisson
from traffic.laws import erlang, exp, geometric, h2, lognormal, weibull
from traffic.people import People
from traffic.scenarios.registry import named
from traffic.scenarios.sites import SHOP, archive, magazine, shop_with_thinks, single_page
from traffic.scene import Scene
from traffic.site import END, Site, Target

THINK = lognormal(2.5, 1.0)
"""Mean 20 s."""


def _without_end(site: Site) -> Site:
    """The site for users who do not leave yet."""

    def stay(row: dict[str, float]) -> dict[str, float]:
        rest = 1 - row.get(END, 0.0)
        return {name: weight / rest for name, weight in row.items() if name != END}

    return replace(site, pages=[replace(kind, next=stay(kind.next)) for kind in site.pages])


@named("people", 3.6 * HOUR, "journeys over 14 pages, all think by one law; milliseconds")
def people(span: float) -> Scene:
    return Scene([People("visitors", SHOP, THINK, poisson(2.0))], span)


@named("people-seconds", 3.6 * HOUR, "the same in whole seconds, combined, without durations")
def people_seconds(span: float) -> Scene:
    return Scene([People("visitors", SHOP, THINK, poisson(2.0))], span, format="combined")


@named("thinks-by-page", 3.6 * HOUR, "a think time law of its own for each of seven pages")
def thinks_by_page(span: float) -> Scene:
    site = shop_with_thinks()
    return Scene([People("visitors", site, exp(12.0), poisson(2.0))], span, format="msec")


@named("objects", 2.9 * HOUR, "pages with embedded objects over six connections")
def objects(span: float) -> Scene:
    visitors = People("visitors", magazine(), THINK, poisson(0.85), network=exp(0.06))
    return Scene([visitors], span, format="msec")


@named("caches", 2.2 * HOUR, "browsers that keep objects, and ask whether they changed: 304")
def caches(span: float) -> Scene:
    site = magazine(6.0, same=True)
    visitors = People(
        *("visitors", site, THINK, poisson(0.8)),
        cache=True,
        returning=0.4,
        network=exp(0.06),
    )
    return Scene([visitors], span, format="timed")


@named("tabs", 3.2 * HOUR, "a tenth of the pages open a second tab")
def tabs(span: float) -> Scene:
    return Scene(
        [People("visitors", SHOP, THINK, poisson(1.7), tabs=0.12)], span, format="json-start"
    )


@named("independent-pages", 3.6 * HOUR, "pages without order: each drawn by the same weights")
def independent_pages(span: float) -> Scene:
    stay = 0.75
    weights = {"item": 0.45, "home": 0.2, "list": 0.2, "search": 0.1, "help": 0.05}
    follow = {name: stay * weight for name, weight in weights.items()} | {"end": 1 - stay}
    pages = [replace(kind, next=follow) for kind in SHOP.pages if kind.name in weights]
    site = replace(SHOP, pages=pages, first=weights)
    return Scene([People("visitors", site, weibull(0.6, 12.0), poisson(2.0))], span)


@named("many-paths", 3.6 * HOUR, "a long tail: most paths are asked for once; 103 templates")
def many_paths(span: float) -> Scene:
    return Scene([People("visitors", archive(), THINK, poisson(1.95))], span)


@named("fashions", 3.6 * HOUR, "what is popular changes: every minute another item comes first")
def fashions(span: float) -> Scene:
    latest = Target("/item/{id}", 10_000, 0.9, fashion_s=60.0)
    pages = [replace(kind, target=latest) if kind.name == "item" else kind for kind in SHOP.pages]
    site = replace(SHOP, pages=pages)
    return Scene([People("visitors", site, THINK, poisson(2.0))], span, format="msec")


@named("single-requests", 3.1 * HOUR, "an open system: each user asks once")
def single_requests(span: float) -> Scene:
    callers = People("callers", single_page(), exp(1.0), poisson(9.0), pages=geometric(1.0))
    return Scene([callers], span)


@named("long-sessions", 3.1 * HOUR, "partly open, with 30 pages a session: not closed")
def long_sessions(span: float) -> Scene:
    endless = _without_end(SHOP)
    visitors = People("visitors", endless, h2(15.0, 3.0), poisson(0.3), pages=geometric(30.0))
    return Scene([visitors], span)


@named("closed-people", 2.8 * HOUR, "a load test: 200 clients who begin anew when they are through")
def closed_people(span: float) -> Scene:
    testers = People("testers", SHOP, lognormal(2.7, 0.8), clients=200)
    return Scene([testers], span)


@named("few-behind-one", 3.6 * HOUR, "half of the people share 2,000 addresses, a few on each")
def few_behind_one(span: float) -> Scene:
    homes = Addresses(shared=0.5, behind=2_000)
    visitors = People("visitors", SHOP, THINK, poisson(2.0), addresses=homes, returning=0.2)
    return Scene([visitors], span, format="combined")


@named("shared-addresses", 3.6 * HOUR, "two thirds of the people are behind 40 addresses")
def shared_addresses(span: float) -> Scene:
    offices = Addresses(shared=0.67, behind=40)
    return Scene([People("visitors", SHOP, THINK, poisson(2.0), addresses=offices)], span)


@named("heavy-address", 3.6 * HOUR, "a third of all traffic is people behind one address")
def heavy_address(span: float) -> Scene:
    campus = Addresses(shared=0.35, behind=1)
    visitors = People("visitors", SHOP, THINK, poisson(2.0), addresses=campus)
    return Scene([visitors], span, format="timed")


@named("one-address", 3.6 * HOUR, "a proxy's address in all lines, with the browsers' agents")
def one_address(span: float) -> Scene:
    proxy = Addresses(shared=1.0, behind=1)
    return Scene([People("visitors", SHOP, THINK, poisson(2.0), addresses=proxy)], span)


@named("proxy-that-tells", 3.6 * HOUR, "a proxy's address in all lines, the users' at their end")
def proxy_that_tells(span: float) -> Scene:
    visitors = People("visitors", SHOP, THINK, poisson(2.0))
    return Scene([visitors], span, format="forwarded")


@named("gateway", 3.6 * HOUR, "one address and one agent in all lines")
def gateway(span: float) -> Scene:
    everybody = Addresses(shared=1.0, behind=1, agent="-")
    visitors = People("visitors", SHOP, erlang(2, 20.0), poisson(2.0), addresses=everybody)
    return Scene([visitors], span, format="combined")
