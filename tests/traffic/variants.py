"""Random logs: populations, shares, intervals, clients and formats drawn by a seed."""

from __future__ import annotations

import math
from random import Random

from traffic.addresses import BROWSERS, CRAWLERS, Addresses
from traffic.arrivals import HOUR, poisson
from traffic.laws import Law, const, exp, geometric, lognormal, uniform
from traffic.people import People
from traffic.programs import Crawler, Even, Loop, Scanners
from traffic.scenarios.sites import FEED, HEALTH, RECORDS, SHOP, STATUS, magazine, single_page
from traffic.scene import Made, Scene, make

LINES = 12_000
FORMATS = ["json", "json", "msec", "combined", "combined-end", "timed", "apache-timed"]
AGENTS = [BROWSERS[0], BROWSERS[7], "python-requests/2.32.3", "stock-sync/3.2", "okhttp/4.12.0"]


def variant(seed: int) -> Made:
    """A log of about `LINES` lines: people, and one to three populations of programs."""
    return make(_scene(Random(f"variant {seed}")), seed)


def _scene(random: Random) -> Scene:
    span = random.choice([1.0, 2.0, 4.0]) * HOUR
    rate = LINES / span
    share = random.uniform(0.05, 0.6)
    count = random.choice([1, 1, 2, 3])
    builders = random.sample([_loop, _loop, _even, _crawler, _scanners, _callers, _batch], count)
    populations = [_people(random, rate * (1 - share))]
    for place, build in enumerate(builders):
        populations.append(build(random, rate * share / count, span, 110 + 20 * place))
    for place, one in enumerate(populations[1:]):
        one.name = f"{one.name}-{place + 1}"
    return Scene(populations, span, format=random.choice(FORMATS))


def _people(random: Random, rate: float) -> People:
    site, lines = random.choice([(SHOP, 3.93), (SHOP, 3.93), (magazine(2.0), 6.7)])
    think = lognormal(random.uniform(1.5, 3.5), random.uniform(0.7, 1.5))
    shared = random.choice([0.0, 0.0, random.uniform(0.1, 0.6)])
    behind = random.choice([1, 40, 1000])
    return People(
        *("visitors", site, think, poisson(rate / lines)),
        addresses=Addresses(shared=shared, behind=behind),
        returning=random.choice([0.0, 0.3]),
        tabs=random.choice([0.0, 0.0, 0.1]),
        network=exp(0.05),
    )


def _interval(random: Random, rate: float) -> tuple[float, int]:
    """An interval of 0.5 s to 10 min, and the number of clients that make the rate with it: 1 to
    200."""
    interval = math.exp(random.uniform(math.log(0.5), math.log(600)))
    clients = min(max(round(rate * interval), 1), 200)
    return round(min(interval, clients / rate * 1.5), 1) or 0.5, clients


def _think(random: Random, interval: float) -> Law:
    spread = random.choice([0.0, 0.0, 0.1, 0.3])
    if random.random() < 0.15:
        return lognormal(math.log(interval), 0.35)
    return uniform((1 - spread) * interval, (1 + spread) * interval) if spread else const(interval)


def _loop(random: Random, rate: float, span: float, network: int) -> Loop:
    interval, clients = _interval(random, rate)
    asks = random.choice([[STATUS], [FEED], [STATUS, FEED], [RECORDS]])
    return Loop(
        *("loop", asks, clients),
        network=network,
        one_address=random.random() < 0.4,
        agent=random.choice(AGENTS),
        think=_think(random, interval),
    )


def _even(random: Random, rate: float, span: float, network: int) -> Even:
    interval, clients = _interval(random, rate)
    return Even(
        *("even", [HEALTH], clients),
        network=network,
        one_address=random.random() < 0.3,
        agent=random.choice([*AGENTS, "kube-probe/1.29"]),
        every=interval,
    )


def _crawler(random: Random, rate: float, span: float, network: int) -> Crawler:
    hidden = random.random() < 0.6
    hands = random.choice([1, 1, 3])
    pages = [kind for kind in SHOP.pages if kind.name in ("item", "list", "reviews")]
    pause = hands / rate
    return Crawler(
        *("crawler", pages, hands),
        network=network,
        agent=random.choice(BROWSERS if hidden else CRAWLERS),
        declared=not hidden,
        think=random.choice([exp(pause), const(pause), lognormal(math.log(pause) - 0.3, 0.8)]),
        addresses=random.choice([1, 2, 8]),
    )


def _scanners(random: Random, rate: float, span: float, network: int) -> Scanners:
    probes = random.choice([30.0, 100.0, 400.0])
    return Scanners(
        *("scanners", [SHOP.kinds["home"]]),
        network=network,
        agent=random.choice([BROWSERS[4], "curl/8.5.0"]),
        scans=poisson(max(rate / probes, 4 / span)),
        probes=exp(probes),
        gap=exp(random.choice([0.05, 1.0])),
        hands=random.choice([1, 3]),
    )


def _callers(random: Random, rate: float, span: float, network: int) -> People:
    shared = random.choice([0.0, 0.0, 1.0])
    return People(
        *("callers", single_page("www.example.com"), exp(1.0), poisson(rate)),
        addresses=Addresses(network, shared, random.choice([1, 5]), agent="okhttp/4.12.0"),
        pages=geometric(1.0),
    )


def _batch(random: Random, rate: float, span: float, network: int) -> Loop:
    hands = random.choice([1, 4, 12])
    # The demand of records has a mean of 30 ms.
    lasting = min(rate * span * 0.03 / hands, 0.5 * span)
    begin = random.uniform(0.1, 0.4) * span
    return Loop(
        *("batch", [RECORDS], hands),
        network=network,
        one_address=random.random() < 0.7,
        agent=random.choice(AGENTS[2:]),
        think=const(0.0),
        during=[(begin, begin + lasting)],
    )
