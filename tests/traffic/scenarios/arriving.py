"""Scenarios of session arrivals: crowds, bursts, days, weeks, and logs with holes."""

from __future__ import annotations

from typing import Any

from traffic.arrivals import (
    DAY,
    HOUR,
    Arrivals,
    clusters,
    daily,
    flash,
    modulated,
    poisson,
    steps,
    weekly,
)
from traffic.laws import lognormal
from traffic.people import People
from traffic.scenarios.peopled import THINK
from traffic.scenarios.registry import named
from traffic.scenarios.sites import SHOP
from traffic.scene import Scene


def _visitors(arrivals: Arrivals, **more: Any) -> list[People]:
    return [People("visitors", SHOP, THINK, arrivals, **more)]


@named("flash-crowd", 3.2 * HOUR, "a crowd comes at half of the log: twelve times the rate")
def flash_crowd(span: float) -> Scene:
    crowd = flash(at=span / 2, factor=12.0, decay=span / 25)
    return Scene(_visitors(poisson(1.6, crowd)), span)


@named("bursts", 3.6 * HOUR, "a Markov-modulated Poisson process: 20 s of eleven times the rate")
def bursts(span: float) -> Scene:
    arrivals = modulated(low=1.0, high=11.0, quiet=180.0, busy=20.0)
    return Scene(_visitors(arrivals), span)


@named("bursts-seconds", 3.6 * HOUR, "the same in whole seconds")
def bursts_seconds(span: float) -> Scene:
    arrivals = modulated(low=1.0, high=11.0, quiet=180.0, busy=20.0)
    return Scene(_visitors(arrivals), span, format="combined-end")


@named("clusters", 3.6 * HOUR, "a Poisson cluster process: ten sessions within two seconds")
def clustered(span: float) -> Scene:
    return Scene(_visitors(clusters(0.2, size=10.0, spread=2.0)), span)


@named("swing", 3.6 * HOUR, "the rate jumps between a third and five thirds every ten minutes")
def swing(span: float) -> Scene:
    return Scene(_visitors(poisson(2.0, steps(1 / 3, 5 / 3, length=600.0))), span)


@named("day", DAY, "one day with a quiet night")
def day(span: float) -> Scene:
    # A shorter log has the whole swing, too.
    rates = daily(0.15, period=span, peak=0.6 * span)
    return Scene(_visitors(poisson(0.3, rates)), span, format="timed")


@named("weeks", 21 * DAY, "three weeks with nights and weekends")
def weeks(span: float) -> Scene:
    rates = daily(0.1).times(weekly(0.4))
    visitors = _visitors(poisson(0.0165, rates), returning=0.3)
    return Scene(visitors, span, format="combined")


@named("weeks-with-bursts", 14 * DAY, "two weeks, the sessions in clusters")
def weeks_with_bursts(span: float) -> Scene:
    arrivals = poisson(0.008, daily(0.1)) + clusters(0.0015, size=9.0, spread=40.0)
    return Scene(_visitors(arrivals), span)


@named("lost-hours", 12 * HOUR, "a sixth of the log was lost, in two places")
def lost_hours(span: float) -> Scene:
    lost = [(0.30 * span, 0.42 * span), (0.71 * span, 0.76 * span)]
    return Scene(_visitors(poisson(0.72)), span, lost=lost, format="timed")


@named("bunched-stamps", 3.6 * HOUR, "stamps of a collector that writes every ten seconds")
def bunched_stamps(span: float) -> Scene:
    return Scene(_visitors(poisson(2.0)), span, format="combined", bunch_s=10.0)


@named("long-thinks", 14 * HOUR, "think times that are often longer than half an hour")
def long_thinks(span: float) -> Scene:
    visitors = People("visitors", SHOP, lognormal(4.0, 2.5), poisson(0.55))
    return Scene([visitors], span, lead_s=3 * HOUR)
