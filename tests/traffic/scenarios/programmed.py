"""Scenarios of programs: pollers, checks, batch loops, crawlers and scanners beside people."""

from __future__ import annotations

from traffic.addresses import BROWSERS, CRAWLERS, Addresses
from traffic.arrivals import HOUR, Arrivals, poisson
from traffic.laws import const, exp, lognormal, uniform
from traffic.people import People
from traffic.programs import Crawler, Even, Loop, Scanners
from traffic.scenarios.peopled import THINK
from traffic.scenarios.registry import named
from traffic.scenarios.sites import (
    FEED,
    HEALTH,
    RECORDS,
    REPORT,
    SHOP,
    STATUS,
    UPLOAD,
    magazine,
)
from traffic.scene import Scene

BOT, SEO = CRAWLERS[0], CRAWLERS[2]
LIBRARY = "python-requests/2.32.3"


def visitors(rate: float, arrivals: Arrivals | None = None) -> People:
    """People of the shop, `rate` lines a second of them: a session has 3.93 pages on average."""
    return People("visitors", SHOP, THINK, arrivals or poisson(rate / 3.931))


@named("pollers", 3.6 * HOUR, "people beside 22 browsers that poll every 5 s: 55 % of lines")
def pollers(span: float) -> Scene:
    loops = Loop("pollers", [STATUS], count=22, think=const(5.0), agent=BROWSERS[0])
    return Scene([visitors(3.5), loops], span)


@named("pollers-seconds", 3.6 * HOUR, "the same in whole seconds, without durations")
def pollers_seconds(span: float) -> Scene:
    loops = Loop("pollers", [STATUS], count=22, think=const(5.0), agent=BROWSERS[0])
    return Scene([visitors(3.5), loops], span, format="combined")


@named("pollers-5-percent", 3.6 * HOUR, "4 pollers of 10 s among people, with a library's agent")
def pollers_few(span: float) -> Scene:
    loops = Loop(
        *("pollers", [STATUS, FEED], 4),
        think=const(10.0),
        agent=LIBRARY,
        weights=[3, 1],
    )
    return Scene([visitors(7.2), loops], span, format="timed")


@named("pollers-behind-one", 3.6 * HOUR, "40 pollers of 10 s behind one address, with one agent")
def pollers_behind_one(span: float) -> Scene:
    loops = Loop("pollers", [STATUS], count=40, think=const(10.0), one_address=True)
    return Scene([visitors(3.9), loops], span)


@named("pollers-jittered", 3.6 * HOUR, "pollers with browsers' agents, which wait 8 to 12 s")
def pollers_jittered(span: float) -> Scene:
    loops = Loop("pollers", [STATUS], count=20, think=uniform(8.0, 12.0), agent=BROWSERS[0])
    return Scene([visitors(5.8), loops], span)


@named("few-people", 18.5 * HOUR, "22 jittered pollers of three paths, and few people: a quarter")
def few_people(span: float) -> Scene:
    loops = Loop(
        *("pollers", [STATUS, FEED, HEALTH], 22),
        think=lognormal(2.9, 0.4),
        agent=BROWSERS[0],
    )
    return Scene([visitors(0.4), loops], span, format="timed")


@named("health-checks", 3.6 * HOUR, "6 even checks of 5 s, and one a minute: 16 % of lines")
def health_checks(span: float) -> Scene:
    checks = Even("checks", [HEALTH], count=6, every=5.0, agent="ELB-HealthChecker/2.0")
    monitor = Even("monitor", [STATUS], every=60.0, network=110, agent=BROWSERS[2])
    return Scene([visitors(6.4), checks, monitor], span, format="combined")


@named("batch-one-address", 3.6 * HOUR, "8 hands without think time behind one address, at times")
def batch_one_address(span: float) -> Scene:
    times = [(0.2 * span, 0.206 * span), (0.7 * span, 0.705 * span)]
    hands = Loop(
        *("batch", [RECORDS, UPLOAD], 8),
        think=const(0.0),
        one_address=True,
        during=times,
        weights=[0.9, 0.1],
    )
    return Scene([visitors(4.8), hands], span, format="msec")


@named("batch-many-addresses", 3.0 * HOUR, "12 hands without think time from 12 addresses, always")
def batch_many_addresses(span: float) -> Scene:
    slow = Loop("batch", [REPORT], count=12, think=const(0.0), agent="Go-http-client/1.1")
    return Scene([visitors(4.7), slow], span)


@named("crawlers", 3.6 * HOUR, "declared crawlers make 30 % of the lines, from many addresses")
def crawlers(span: float) -> Scene:
    pages = [kind for kind in SHOP.pages if kind.name in ("item", "list", "user")]
    google = Crawler("google", pages, count=2, agent=BOT, think=exp(1.5), addresses=8)
    seo = Crawler("seo", pages, count=1, agent=SEO, think=const(1.0), addresses=3, network=120)
    return Scene([visitors(5.4), google, seo], span, format="combined")


@named("hidden-crawlers", 3.6 * HOUR, "crawlers that call themselves browsers: 35 % of the lines")
def hidden_crawlers(span: float) -> Scene:
    pages = [kind for kind in SHOP.pages if kind.name in ("item", "reviews")]
    hidden = Crawler(
        *("hidden", pages, 3),
        agent=BROWSERS[1],
        declared=False,
        think=lognormal(-0.3, 0.8),
        addresses=2,
    )
    return Scene([visitors(5.0), hidden], span)


@named("crawler-of-objects", 2.6 * HOUR, "a magazine with objects, and a crawler without")
def crawler_of_objects(span: float) -> Scene:
    site = magazine()
    people = People("visitors", site, THINK, poisson(0.75), network=exp(0.05))
    slow = Crawler("crawler", site.pages, agent=BOT, think=const(2.0), addresses=4)
    return Scene([people, slow], span, format="timed")


@named("scanners", 3.6 * HOUR, "scanners look for holes: 25 % of the lines, most of them 404")
def scanners(span: float) -> Scene:
    asked = [SHOP.kinds["home"]]
    scans = Scanners("scanners", asked, scans=poisson(1 / 150), hands=3, agent=BROWSERS[4])
    return Scene([visitors(5.8), scans], span, format="combined")


@named("feed-readers", 6 * HOUR, "900 readers fetch a feed every half hour: closed, not people")
def feed_readers(span: float) -> Scene:
    readers = Loop(
        *("readers", [FEED], 900),
        think=const(1800.0),
        agent="Feedbin feed-id:1373711 - 3 subscribers",
    )
    return Scene([visitors(4.1), readers], span)


@named("people-behind-the-poller", 3.6 * HOUR, "people and 30 pollers behind the same address")
def people_behind_the_poller(span: float) -> Scene:
    office = Addresses(network=90, shared=0.4, behind=1)
    people = People("visitors", SHOP, THINK, poisson(1.0), addresses=office)
    # The network of shared addresses of network 90, whose first address has the number 0.
    loops = Loop(
        *("pollers", [STATUS], 30),
        think=const(8.0),
        one_address=True,
        network=290,
        agent=BROWSERS[0],
    )
    return Scene([people, loops], span)
