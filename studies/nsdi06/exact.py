"""Exact values for points of the study, where queueing theory knows them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import thinktime as tt
from thinktime import theory
from thinktime.theory.match import theory_for

if TYPE_CHECKING:
    from points import Point

MODELS = ("open", "closed", "partly-open")


def demand(point: Point) -> theory.Hyperexponential:
    """The hyperexponential law of the service demand."""
    return theory.Hyperexponential.balanced(mean=point.mean, cv2=point.cv2)


@cache
def think_time(point: Point, load: float) -> float | None:
    """The mean think time that holds the load of a closed point; None if unknown."""
    if point.policy == "ps":
        return theory.think_time_for_load(point.clients, demand(point), load, "ps")
    if point.policy == "fcfs" and not point.auction:
        return theory.think_time_for_load(point.clients, demand(point), load)
    return None


def mean_response(point: Point, workload: tt.Workload, system: tt.System) -> float | None:
    """The exact mean response time in seconds; None if no formula is known."""
    if point.model == "open" and point.policy in ("pesjf", "peljf"):
        return two_kinds(point)
    if point.model == "partly-open" and point.policy == "fcfs" and point.think == 0:
        return at_once_again(point)
    if point.policy in ("pesjf", "peljf"):
        return None
    found = theory_for(workload, system)
    return None if found is None else found.mean_s


def two_kinds(point: Point) -> float:
    """M/G/1 with preemptive priority by kind: PESJF, or PELJF."""
    law, rate = demand(point), theory.rate_for_load(point.load or 0.0, point.mean)
    kinds = [
        theory.PriorityClass(rate * share, theory.Hyperexponential((1.0,), (speed,)))
        for share, speed in zip(law.probabilities, law.rates, strict=True)
    ]
    return (theory.pesjf if point.policy == "pesjf" else theory.peljf)(kinds).mean_response


def at_once_again(point: Point, load: float | None = None) -> float:
    """A partly-open FCFS station without think times: M/G/1 with feedback (Takács 1963).

    A continuing session goes to the end of the queue with a new demand. The number in the system is
    the same as if it were served at once. So it is that of M/G/1 whose demand is the whole
    session's: as if C² - 1 were divided by the mean number of requests of a session.
    """
    load = load if load is not None else point.load or 0.0
    cv2 = 1 + (point.cv2 - 1) / point.session
    return point.mean * (1 + load * (1 + cv2) / (2 * (1 - load)))


def open_fcfs(load: float, cv2: float, mean: float) -> float:
    """M/G/1 FCFS (Pollaczek and Khinchine)."""
    law = theory.Hyperexponential.balanced(mean=mean, cv2=cv2)
    return theory.mg1_mean_response(theory.rate_for_load(load, mean), law)


def open_srpt(load: float, cv2: float = 8.0, mean: float = 10.0) -> float:
    """M/G/1 under SRPT (Schrage and Miller)."""
    law = theory.Hyperexponential.balanced(mean=mean, cv2=cv2)
    return theory.srpt_mean_response(theory.rate_for_load(load, mean), law)
