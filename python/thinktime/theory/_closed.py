"""Closed systems, as `thinktime.theory.match` knows them.

The product form is *a* steady state for any law of the think time, and of demands under PS or
preemptive LCFS. If it is the only one, averages over time reach it from every start. That needs a
law with a density, of the think time or of a demand, which every client passes in every turn; a
part of the law is enough (it is then spread out: Asmussen, 'Applied Probability and Queues', 2003,
section VII.1). If all laws are constant, or have atoms only, clients may stay in step for ever, and
the result depends on how they began. Without think times a single server under LCFS or preemptive
LCFS serves the last client to come, over and over: others never leave.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from thinktime.numerics import brentq
from thinktime.theory._queue import Queue, in_a_row, mixture
from thinktime.theory.closed import closed_fcfs, saturated_mean_response
from thinktime.theory.mva import Station, mva
from thinktime.theory.solution import Theory

if TYPE_CHECKING:
    from thinktime import Distribution, Workload

MVA = "mean value analysis; Reiser and Lavenberg 1980"
SATURATED = "no client ever thinks: N E[S]; Schroeder, Wierman and Harchol-Balter 2006"
MARKOV_CHAIN = "Markov chain on number and phase; Stewart 2009, chapters 9 and 10"
ALONE = "one client never waits: the response time is the demand"
NEVER_SERVED = "without think times some clients are never served under this policy"
IN_STEP = (
    "no think time and no demand has a density: clients may stay in step for ever, so that "
    "averages depend on how they began"
)

CLIENTS_MAX = 5_000  # beyond this a solution takes too long to wait for
_JUMPS_MAX = 1e5  # limits the time for the far tail of a law to seconds


def closed(workload: Workload, stations: list[Queue], load: float | None) -> Theory | str | None:
    """The exact steady state; a reason if the formula does not hold; None without a formula.

    ``load`` stretches the think time. Raises ValueError if the clients cannot reach it.
    """
    clients, think = workload.clients, workload.think
    think_s = think.mean if think is not None else 0.0
    if clients is None or clients > CLIENTS_MAX or not math.isfinite(think_s):
        return None
    exponential = think_s == 0 or _is_exponential(think)

    def at(think_s: float) -> Theory | None:
        return _at(clients, stations, think_s, exponential)

    first = stations[0]
    alone = len(stations) == first.servers == 1
    if alone and think_s == 0 and load is None and clients > 1:
        if first.policy in ("lcfs", "plcfs"):
            return NEVER_SERVED
        if first.policy == "ps":
            return _saturated(clients, first)
    found = at(think_s) if load is None else _at_load(clients, stations, load, at)
    spread = [think, *(station.demand for station in stations)]
    forgets = found is None or found.source in (ALONE, SATURATED) or any(map(has_density, spread))
    return found if forgets else IN_STEP


def has_density(law: Distribution | None) -> bool:
    """Whether a part of the law has a density: only laws that consist of atoms have none."""
    return law is not None and not law.discrete


def _is_exponential(law: Distribution | None) -> bool:
    phases = None if law is None else mixture(law)
    return phases is not None and len(phases.rates) == 1


def _saturated(clients: int, station: Queue) -> Theory:
    mean = saturated_mean_response(clients, station.demand.mean)
    words = _words(clients, [station])
    return Theory(words, SATURATED, mean, None, 1.0, 1 / station.demand.mean)


def _words(clients: int, stations: list[Queue]) -> str:
    return f"{clients} client{'s' if clients > 1 else ''}, {in_a_row(stations)}"


def _at(
    clients: int, stations: list[Queue], think_s: float, exponential_think: bool
) -> Theory | None:
    busiest = max(station.demand_per_server for station in stations)
    words = _words(clients, stations)
    if clients == 1:
        mean = sum(station.demand.mean for station in stations)
        law = stations[0].demand_law if len(stations) == 1 else None
        rate = 1 / (mean + think_s)
        return Theory(words, ALONE, mean, law, rate * busiest, rate)
    first = stations[0]
    phases = first.phases if len(stations) == 1 and first.servers == 1 else None
    if phases is not None and first.policy == "fcfs" and exponential_think:
        state = closed_fcfs(clients, phases, think_s)
        response = state.response_time
        shown = response if response.jumps_of_a_phase < _JUMPS_MAX else None
        return Theory(words, MARKOV_CHAIN, response.mean, shown, state.load, state.throughput)
    if first.policy == "fcfs" and len(stations) == first.servers == 1 and think_s == 0:
        return _saturated(clients, first)
    if not all(station.product_form for station in stations):
        return None
    network = mva(clients, [Station(s.demand.mean, s.servers) for s in stations], think_s)
    rate = float(network.throughput[-1])
    return Theory(words, MVA, float(network.response_time[-1]), None, rate * busiest, rate)


def _at_load(
    clients: int, stations: list[Queue], load: float, at: Callable[[float], Theory | None]
) -> Theory | None:
    """Solve for the mean think time: N = X (Z + E[T]), where X E[S] / c is the load."""
    busiest = max(station.demand_per_server for station in stations)
    most = clients * busiest / load

    def excess(think_s: float) -> float:
        theory = at(think_s)
        return 0.0 if theory is None else theory.load - load

    if at(most) is None:
        return None
    if excess(0.0) < 0:
        who = f"{clients} client{'s' if clients > 1 else ''}"
        raise ValueError(f"{who} cannot bring the system to a load of {load:.6g}")
    think_s = float(brentq(excess, 0.0, most, xtol=1e-13 * most, rtol=1e-13))
    theory = at(think_s)
    return theory and replace(theory, load=load)
