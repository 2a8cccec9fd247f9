"""`load`: the achieved load or rate against the offered and the exact one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.results.busiest_demand import busiest_demand_s
from thinktime.results.finding import DOUBTFUL, FINE, Finding, NoData
from thinktime.validity.evidence import Evidence

if TYPE_CHECKING:
    from thinktime._core import System, Workload

NAME = "load"

MATTERS = 0.01
"""A smaller shortfall of load moves few figures by much."""

MATTERS_CLOSED = 0.02
"""Simulations find the think times that hold a load, with this error."""

_MORE = ("station", "token_server", "pool", "cluster", "link", "limiter", "behaviour")
"""Tables of a system file that describes more than machines."""

_SAME = 1e-3
_DEVIATIONS = 4.0
"""The number of standard deviations that are left to chance."""

TELLING = 0.05
"""If chance moves the load by a larger part in one of 20 runs, the achieved load says little; and a
load that is off by as much is not called fine."""

FEW = 100
"""Demands of fewer requests may vary less than their law does; they count as exponential ones."""

_NORMAL = 1.96
"""Chance moves 19 of 20 runs by no more than this many standard deviations."""

_ADVICE = (
    "run for longer, so that long sessions have come and gone often, and leave out the time in "
    "which it fills up (`--warmup`)"
)


def check(seen: Evidence) -> Finding | None:
    """The load of the busiest station or machine; without any, the rate of requests.

    Machines are among the summary's stations, with their cores as servers.
    """
    loads = [one.get("load") for one in (seen.summary.get("stations") or {}).values()]
    known = [float(one) for one in loads if one is not None]
    if seen.kind == "simulate" and known:
        return _of_load(seen, max(known))
    return _of_rate(seen)


def _of_load(seen: Evidence, reached: float) -> Finding | None:
    wanted_load = _wanted(seen)
    if not wanted_load:
        raise NoData("no load was asked for, and none is known exactly")
    if seen.system is not None and not all(one.steady for one in seen.system.stations):
        raise NoData(
            "the speed of a station varies, so the part of the time for which it has work is not "
            "its load"
        )
    words = f"a load of {reached:.3f} was reached"
    words += "".join(f", {value:.3f} {name}" for name, value in wanted_load)
    # Above 1 the servers are busy all the time, as was wanted.
    wanted = max((min(value, 1.0) for _, value in wanted_load), key=lambda one: abs(reached - one))
    # Few requests may have brought little work by chance, and say little of how much that varies.
    deviation = _deviation(seen, reached) * max(wanted / reached, 1.0) if reached else math.inf
    if not math.isfinite(deviation):
        raise NoData(f"{words}; how far chance moves it is not known")
    miss = abs(reached - wanted)
    return _judged(words, miss, wanted, deviation, _least(seen), f"{_NORMAL * deviation:.3f}")


def _judged(
    words: str, miss: float, wanted: float, deviation: float, least: float, chance: str
) -> Finding:
    """The verdict on a miss, by the standard deviation of chance.

    `least` is the part of `wanted` that matters; `chance` says how far 19 of 20 runs are off.

    Raises:
        NoData: if chance may be a good part of the miss.
    """
    words += f"; by chance 19 of 20 such runs are within {chance}"
    if miss > max(least * wanted, _DEVIATIONS * deviation):
        return Finding(NAME, DOUBTFUL, f"{words}, which does not explain that", _ADVICE)
    if max(miss, _NORMAL * deviation) > TELLING * wanted:
        raise NoData(f"{words}: too few requests to tell whether it was reached; run for longer")
    return Finding(NAME, FINE, words)


def _wanted(seen: Evidence) -> list[tuple[str, float]]:
    """The wanted load and the exact one; only one if they are equal.

    A result that is made again has no wanted load, only the workload that this load led to.
    """
    exact = None if seen.theory is None else seen.theory.load
    asked = _offered(seen) if seen.asked_load is None and exact is None else seen.asked_load
    if asked is not None and exact is not None and abs(asked - exact) <= _SAME * exact:
        asked = None
    both = (("was asked for", asked), ("is exact", exact))
    return [(name, value) for name, value in both if value is not None]


def _least(seen: Evidence) -> float:
    closed = any(one["model"] == "closed" for one in seen.arrivals)
    return MATTERS_CLOSED if closed else MATTERS


def _offered(seen: Evidence) -> float | None:
    """Rate times demand of the busiest station or machine."""
    rate, demand = seen.workload.request_rate, busiest_demand_s(seen.system)
    system = seen.system
    if rate is None or system is None or not seen.workload.plain:
        return None
    if system.machines:
        return _of_machines(seen.workload, system)
    return rate * demand if demand is not None and system.plain else None


def _of_machines(workload: Workload, system: System) -> float | None:
    """The same for machines by themselves: their loads are in proportion to the rate."""
    from thinktime import InputError

    tables, rate = system.tables, workload.session_rate
    if workload.model == "closed" or rate is None or any(map(tables.get, _MORE)):
        return None
    if any(one["queue_limit"] is not None for one in (*tables["machine"], *tables["service"])):
        return None  # an admission limit turns requests away
    try:
        half = workload.at_load(system, 0.5).session_rate
    except InputError:  # several populations, or no demand
        return None
    return 0.5 * rate / half if half else None


def _deviation(seen: Evidence, load: float) -> float:
    """The standard deviation of a load by chance, by the theory of renewal reward processes.

    Work comes in sessions of N requests with demands S. Over a time t its variance is λ t (E[N] Var
    S + E[N²] E[S]²) for Poisson sessions of rate λ. For single requests with gaps of another C²,
    the number of requests varies by that. Closed systems vary less, because waiting clients bring
    no work.
    """
    begin, end = seen.window
    busiest = max(
        (seen.summary.get("stations") or {}).values(), key=lambda one: one.get("load") or 0.0
    )
    demand = busiest.get("demand_s") or {}
    mean, cv2 = demand.get("mean"), demand.get("cv2")
    length = (end - begin) * seen.replications
    requests = float(seen.summary.get("requests") or 0)
    if not mean or cv2 is None or not length or not requests:
        return math.inf
    # The number of servers follows from load = rate times demand over servers.
    per_request = load / (requests / length) / mean if requests else 0.0
    if requests < FEW:
        cv2 = max(cv2, 1.0)
    variance = requests * mean**2 * (cv2 + _bunched(seen)) * per_request**2
    return math.sqrt(variance) / length


def _companions(seen: Evidence) -> float:
    """E[N²] / E[N] of sessions, as far as it is known: 1 for requests that come by themselves."""
    length, pages = seen.workload.session_length, seen.page_companions
    if length is None:
        sessions = float(seen.summary.get("sessions") or 0)
        several = seen.summary.get("model") not in ("open", "closed") and sessions
        # If the length of sessions is unknown: that of geometric ones with the measured mean.
        return 2.0 * float(seen.summary["requests"]) / sessions if several else pages
    # A session has at least one request, whatever its law says.
    return pages * max(length.second_moment, 1.0) / max(length.mean, 1.0)


def _of_rate(seen: Evidence) -> Finding | None:
    """The requests begun against those that the workload plans."""
    wanted = seen.workload.request_rate
    if wanted is None or not math.isfinite(wanted):
        raise NoData("the workload has no rate of its own")
    if not seen.is_steady_by_plan:
        raise NoData("the workload's rate is to change over time")
    if seen.interrupted:
        raise NoData("it was stopped before its end")
    begin, end = seen.window
    length = (end - begin) * seen.replications
    reached = float(seen.summary.get("offered_rate") or 0.0)
    words = f"{units.rate(reached)} were begun, {units.rate(wanted)} were asked for"
    if not length:
        raise NoData(f"{words}, of no time at all")
    requests = max(float(seen.summary.get("requests") or 0), 1.0)
    deviation = max(reached, wanted) * math.sqrt(_bunched(seen) / requests)
    # At each end of the time one request may be counted or not.
    miss = max(abs(reached - wanted) - 1 / length, 0.0)
    chance = units.rate(_NORMAL * deviation)
    return _judged(words, miss, wanted, deviation, MATTERS, chance)


def _bunched(seen: Evidence) -> float:
    """The variance of the number of requests, relative to a Poisson process."""
    known, companions = seen.workload.dispersion, _companions(seen)
    dispersion = 1.0 if known is None else known
    # Sessions in progress at the ends vary even if the gaps are even.
    return dispersion if companions == 1.0 else companions + max(dispersion - 1.0, 0.0)
