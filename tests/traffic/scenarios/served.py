"""Scenarios of servers: queues, overload, errors, retries and outages."""

from __future__ import annotations

from dataclasses import replace

from traffic.arrivals import HOUR, flash, poisson, steps
from traffic.laws import const, exp, h2, lognormal
from traffic.people import People
from traffic.programs import Loop
from traffic.scenarios.peopled import THINK
from traffic.scenarios.registry import named
from traffic.scenarios.sites import SHOP, STATUS
from traffic.scene import EVERYWHERE, Scene
from traffic.servers import Server
from traffic.site import Site


def _demanding(mean: float, cv2: float) -> Site:
    """The shop with the same demand for all pages."""
    law = h2(mean, cv2) if cv2 > 1 else exp(mean)
    return replace(SHOP, pages=[replace(kind, demand=law) for kind in SHOP.pages])


def _one(server: Server) -> dict[str, Server]:
    return {EVERYWHERE: server}


@named("busy-fcfs", 3.6 * HOUR, "one FCFS server at load 0.8, demands with C² 4")
def busy_fcfs(span: float) -> Scene:
    people = People("visitors", _demanding(0.8 / 7.86, 4.0), THINK, poisson(2.0))
    return Scene([people], span, _one(Server("fcfs")))


@named("busy-ps", 3.6 * HOUR, "one PS server of two cores at load 0.8")
def busy_ps(span: float) -> Scene:
    people = People("visitors", _demanding(1.6 / 7.86, 8.0), THINK, poisson(2.0))
    return Scene([people], span, _one(Server("ps", workers=2)), format="msec")


@named("overload-fcfs", 3.4 * HOUR, "twice what 2 FCFS workers can do, for a tenth of the log")
def overload_fcfs(span: float) -> Scene:
    rates = steps(1.0, 1.0, 1.0, 1.0, 3.4, 1.0, 1.0, 1.0, 1.0, 1.0, length=span / 10)
    people = People(
        *("visitors", _demanding(1.2 / 7.86, 1.0), THINK, poisson(1.8, rates)),
        patience=8.0,
        again=0.5,
    )
    return Scene([people], span, _one(Server("fcfs", workers=2, room=400)), format="timed")


@named("overload-ps", 3.4 * HOUR, "a crowd at a PS server with room for 150: answers 503")
def overload_ps(span: float) -> Scene:
    crowd = flash(at=0.4 * span, factor=8.0, decay=span / 20)
    people = People(
        *("visitors", _demanding(0.09, 4.0), THINK, poisson(1.6, crowd)),
        patience=15.0,
        again=0.4,
    )
    return Scene([people], span, _one(Server("ps", room=150)))


@named("errors-and-retries", 3.4 * HOUR, "an eighth of the answers are 500; most ask again")
def errors_and_retries(span: float) -> Scene:
    pages = [
        replace(kind, missing=0.1) if kind.name in ("item", "share") else kind
        for kind in SHOP.pages
    ]
    site = replace(SHOP, pages=pages)
    people = People(
        *("visitors", site, THINK, poisson(2.2)),
        again=0.7,
        backoff=lognormal(0.5, 0.6),
    )
    loops = Loop("pollers", [STATUS], count=6, think=const(6.0))
    return Scene([people, loops], span, _one(Server(errors=0.125)))


@named("deploys", 3.6 * HOUR, "a deploy every quarter of the log: 502 for a minute, then all retry")
def deploys(span: float) -> Scene:
    down = [(part * span, part * span + 60.0) for part in (0.2, 0.45, 0.7, 0.95)]
    people = People("visitors", SHOP, THINK, poisson(1.6), again=0.8, backoff=exp(6.0))
    loops = Loop("pollers", [STATUS], count=8, think=const(5.0))
    return Scene([people, loops], span, _one(Server(down=down)), format="timed")


@named("silent-gaps", 3.8 * HOUR, "the server is away for a tenth of the log, and logs nothing")
def silent_gaps(span: float) -> Scene:
    down = [(0.25 * span, 0.31 * span), (0.6 * span, 0.64 * span)]
    server = Server("fcfs", workers=4, down=down, down_status=0)
    people = People("visitors", SHOP, THINK, poisson(1.6))
    loops = Loop("pollers", [STATUS], count=8, think=const(5.0))
    return Scene([people, loops], span, _one(server), format="apache-timed")


@named("busy-pollers", 2.9 * HOUR, "60 pollers of 15 s at a busy server: their gaps are not even")
def busy_pollers(span: float) -> Scene:
    people = People("visitors", _demanding(0.1, 4.0), THINK, poisson(1.5))
    loops = Loop("pollers", [replace(STATUS, demand=exp(0.05))], count=60, think=const(15.0))
    return Scene([people, loops], span, _one(Server("ps")))
