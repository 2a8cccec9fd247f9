"""Scenarios of many populations at once, some on several hosts."""

from __future__ import annotations

from traffic.addresses import BROWSERS, CRAWLERS, Addresses
from traffic.arrivals import DAY, HOUR, clusters, daily, modulated, poisson
from traffic.laws import const, exp, geometric, lognormal
from traffic.people import People
from traffic.programs import Crawler, Even, Loop, Scanners
from traffic.scenarios.peopled import THINK
from traffic.scenarios.programmed import visitors
from traffic.scenarios.registry import named
from traffic.scenarios.sites import (
    FEED,
    HEALTH,
    RECORDS,
    SHOP,
    STATUS,
    UPLOAD,
    magazine,
    single_page,
)
from traffic.scene import EVERYWHERE, Scene
from traffic.servers import Server


@named("hosts", 2.8 * HOUR, "a shop, a magazine with objects and an interface in one log")
def hosts(span: float) -> Scene:
    shop = visitors(3.5)
    site = magazine(host="news.example.com")
    readers = People(
        *("readers", site, lognormal(3.0, 0.9), poisson(0.27)),
        addresses=Addresses(network=8),
        network=exp(0.05),
    )
    callers = People(
        *("callers", single_page(), exp(1.0), poisson(2.8)),
        addresses=Addresses(network=16, agent="okhttp/4.12.0"),
        pages=geometric(1.0),
    )
    return Scene([shop, readers, callers], span, format="json")


@named("hosts-vhost", 2.8 * HOUR, "a shop, and on another host a closed loop; vhost_combined")
def hosts_vhost(span: float) -> Scene:
    loops = Loop("workers", [RECORDS, UPLOAD], count=25, think=exp(6.0), host="jobs.example.com")
    return Scene([visitors(5.8), loops], span, format="vhost")


@named("pollers-and-callers", 2.8 * HOUR, "closed and open without people: 20 % pollers of an API")
def pollers_and_callers(span: float) -> Scene:
    callers = People(
        *("callers", single_page(), exp(1.0), poisson(8.0)),
        addresses=Addresses(agent="okhttp/4.12.0"),
        pages=geometric(1.0),
    )
    loops = Loop("pollers", [STATUS], 10, host="api.example.com", think=const(5.0))
    return Scene([callers, loops], span)


@named("two-kinds-of-people", 3.3 * HOUR, "hurried buyers and slow readers on one site")
def two_kinds_of_people(span: float) -> Scene:
    buyers = People("buyers", SHOP, lognormal(1.2, 0.6), poisson(1.3))
    site = magazine(1.5)
    readers = People(
        *("readers", site, lognormal(4.0, 0.8), poisson(0.6)),
        addresses=Addresses(network=8),
    )
    return Scene([buyers, readers], span, format="msec")


@named("everything", 4.0 * HOUR, "people, offices, pollers, checks, crawlers, a batch and scanners")
def everything(span: float) -> Scene:
    offices = Addresses(shared=0.3, behind=60)
    people = People(
        *("visitors", magazine(3.0, same=True), THINK, poisson(0.45)),
        addresses=offices,
        cache=True,
        tabs=0.05,
        network=exp(0.05),
        again=0.5,
    )
    site = magazine(3.0)
    populations = [
        people,
        Loop("pollers", [STATUS, FEED], count=12, think=const(15.0)),
        Even("checks", [HEALTH], count=2, every=10.0, network=104, agent="kube-probe/1.29"),
        Crawler("crawler", site.pages, agent=CRAWLERS[1], network=108, addresses=5),
        Loop(
            *("batch", [RECORDS], 4),
            network=112,
            one_address=True,
            think=const(0.0),
            during=[(0.5 * span, 0.505 * span)],
        ),
        Scanners(
            *("scanners", [SHOP.kinds["home"]]),
            network=116,
            scans=poisson(1 / 1200),
            agent="curl/8.5.0",
        ),
    ]
    server = Server("fcfs", workers=8, errors=0.01)
    return Scene(populations, span, {EVERYWHERE: server}, format="timed")


@named("mixture-40-percent-hidden", 3.2 * HOUR, "pollers as browsers 20 %, a hidden crawler 20 %")
def mixture_hidden(span: float) -> Scene:
    loops = Loop("pollers", [STATUS], count=14, think=const(8.0), agent=BROWSERS[3])
    pages = [SHOP.kinds["item"]]
    crawler = Crawler(
        *("crawler", pages),
        agent=BROWSERS[1],
        declared=False,
        think=exp(0.55),
        network=120,
    )
    bursts = modulated(low=0.6, high=6.0, quiet=120.0, busy=15.0)
    return Scene([visitors(5.0, bursts), loops, crawler], span)


@named("quiet-site", 21 * DAY, "programs make most of the lines of a small site: people 20 %")
def quiet_site(span: float) -> Scene:
    arrivals = poisson(0.0018, daily(0.1)) + clusters(0.00015, size=6.0, spread=600.0)
    people = visitors(0.0, arrivals)
    pages = [kind for kind in SHOP.pages if kind.name in ("item", "list", "help")]
    populations = [
        people,
        Even("monitor", [STATUS], every=60.0, agent="UptimeRobot/2.0"),
        Loop("readers", [FEED], count=6, think=const(900.0), network=104),
        Crawler("crawler", pages, agent=CRAWLERS[3], network=108, addresses=6, think=exp(90.0)),
        Crawler(
            *("hidden", pages),
            agent=BROWSERS[5],
            declared=False,
            network=116,
            think=exp(180.0),
        ),
    ]
    return Scene(populations, span, format="combined")
