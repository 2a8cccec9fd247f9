"""The formula that holds for a workload on a system, and its value.

A case is matched only if the formula is exact for the model as simulated:

- *Open*, Poisson, one FCFS station: M/M/c and M/H_k/1 with their laws, M/G/1 with its law by
  transform inversion, or the mean only where the demand has several atoms; LCFS, of which the
  mean is the same; and one server under SJF, LJF, PSJF, SRPT or LAS, or with priority classes,
  PESJF or PELJF by the request's name, the mean only.
- *Product form* (Baskett, Chandy, Muntz and Palacios, JACM 22, 1975; Kelly, 'Reversibility and
  Stochastic Networks', 1979), the mean only: stations in a row, each FCFS or LCFS with an
  exponential demand, PS with any demand (n requests on c servers served at the rate
  min(1, c / n) each), or one server under preemptive LCFS with any demand; and independent
  demands. Thinking is a station of infinitely many servers, so think times may
  have any law. Partly open, sessions that arrive as a Poisson process may have any law of length
- *Closed*, one FCFS server with a mixture of exponentials and exponential think times, with its
  law; one FCFS server with any demand and no think times, the mean only; one client, for which
  the response time is the demand under every policy; and the product form, by mean value
  analysis, where it is the only steady state: `_closed.py` has the condition.

- *Several populations*, and requests that follow one another: the product form by mean value
  analysis of several classes, open and closed, as long as it takes no more than a second. Each
  population, and each kind of request, has a mean of its own then; under PS and preemptive LCFS
  demands may differ by name. A kind of request need not visit every station. Open populations at a
  single station are one Poisson process, for which all of the above holds. Pages have no exact
  values, as their objects come together, nor have sessions that end after a time: only the loads
  are given.

- *A single station whose speed varies*, with one population, the mean only: speeds by the number
  present, open, partly open or closed, where the product form holds; failures after exponential
  times, or setups, at one server with Poisson arrivals.

At a single station the demand may differ by the request's name: it is a mixture then. One machine
under processor sharing with a thread for each request is a PS station. Policies without a formula
here, round robin among them, machines under other schedulers, timeouts, retries and rates that
change match no case.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from thinktime.theory._checks import PrecisionError, load_below_one
from thinktime.theory._classes import (
    PRODUCT_FORM,
    one_client,
    product_form,
    waiting_alike,
    with_names,
)
from thinktime.theory._closed import closed
from thinktime.theory._demands import StationDemands, loads_in_words, offered_load, station_demands
from thinktime.theory._float_range import out_of_reach
from thinktime.theory._queue import Queue, in_a_row, queues
from thinktime.theory._users import Users, users_of
from thinktime.theory._varying import at_varying_speed
from thinktime.theory.law import Law
from thinktime.theory.open_queue import mh1_response, mmc_response
from thinktime.theory.priority import PriorityClass, non_preemptive_priority, preemptive_priority
from thinktime.theory.size_based import (
    las_mean_response,
    ljf_mean_response,
    psjf_mean_response,
    sjf_mean_response,
    srpt_mean_response,
)
from thinktime.theory.solution import Theory
from thinktime.theory.transform import mg1_response

if TYPE_CHECKING:
    from thinktime import Result, System, Workload

POLLACZEK_KHINCHINE = "Pollaczek-Khinchine; Kleinrock 1975, section 5.6"
TRANSFORM = "Pollaczek-Khinchine transform, inverted; Abate and Whitt 1995"
MMC = "Erlang; Harchol-Balter 2013, chapter 14"
MH1 = "Kleinrock 1975, section 5.8"
FEEDBACK = "Takács 1963: a single-server queue with feedback"
PRIORITY = "Cobham 1954; Kleinrock 1976, chapter 3"

SIZE_BASED = {
    "sjf": (sjf_mean_response, "Harchol-Balter 2013, chapter 31"),
    "ljf": (ljf_mean_response, "Harchol-Balter 2013, chapter 31, the order reversed"),
    "psjf": (psjf_mean_response, "Harchol-Balter 2013, chapter 32"),
    "srpt": (srpt_mean_response, "Schrage and Miller 1966"),
    "las": (las_mean_response, "Harchol-Balter 2013, chapter 30"),
}
"""By policy: the formula for the mean response time of M/G/1, and its source."""


def theory_for(workload: Workload, system: System, load: float | None = None) -> Theory | None:
    """The exact steady state of the workload on the system; None if no formula is known.

    ``load`` holds the load of the busiest station at this value, 0 < load < 1: it replaces the
    rate, or for a closed model stretches the think time. None takes the workload as it is; an
    open system of load 1 or more has no steady state.

    Raises ValueError if the load lies outside, or the clients cannot reach it.
    """
    found = theory_or_reason(workload, system, load)
    return found if isinstance(found, Theory) else None


def theory_of(result: Result) -> Theory | str | None:
    """As `theory_or_reason`, of the model of a result; None if its system is no model."""
    return None if result.system is None else theory_or_reason(result.workload, result.system)


def theory_or_reason(
    workload: Workload, system: System, load: float | None = None
) -> Theory | str | None:
    """As `theory_for`; if a formula is known but its value cannot be computed, the reason."""
    if not workload.plain:
        return None
    users = users_of(workload)
    refused = next((one.refused for one in users if one.refused), None)
    if refused is not None:
        return refused + loads_in_words(users, system)
    alone = len(users) == 1 and users[0].drawn_alone
    try:
        if alone and any(not station.steady for station in system.stations):
            return at_varying_speed(workload, users[0], system, load)
        stations = queues(workload, system) if alone else None
        if stations:
            found = _one_population(workload, users, stations, load)
            if not isinstance(found, Theory) or len(users[0].shares) == 1 or load is not None:
                return found
            served = station_demands(system, users)
            return _with_names(found, users, served) if served else found
        served = station_demands(system, users)
        return _several(users, served, load) if served else None
    except PrecisionError as error:
        return str(error)


def _one_population(
    workload: Workload, users: list[Users], stations: list[Queue], load: float | None
) -> Theory | str | None:
    if load is not None:
        load_below_one(load)
    reason = out_of_reach(users, stations)
    if reason is not None:
        return reason
    if workload.model != "closed":
        return _arriving(workload, stations, load)
    return closed(workload, stations, load)


# ---- several populations, or one that browses


def _several(
    users: list[Users], stations: list[StationDemands], load: float | None
) -> Theory | str | None:
    if load is not None:
        load_below_one(load)
    arriving = [one for one in users if one.clients is None]
    if not all(one.poisson and one.rate for one in arriving):
        return None
    if load is None and not offered_load(arriving, stations) < 1:
        return None
    reason = out_of_reach(users, [one.queue for one in stations])
    if reason is not None:
        return reason
    everyone = {name for one in users for name, share in one.shares.items() if share > 0}
    alone = len(stations) == 1 and everyone <= stations[0].demands.keys()
    if alone and all(one.single and one.clients is None for one in users):
        return _superposed(users, stations[0], load)
    if len(users) == 1 and users[0].clients == 1 and load is None:
        return one_client(users[0], stations)
    if not all(one.queue.product_form for one in stations):
        return None
    return product_form(users, stations, load)


def _superposed(users: list[Users], station: StationDemands, load: float | None) -> Theory | None:
    """Poisson processes combine into one, whose requests are drawn by their rates."""
    if load is not None:
        factor = load / offered_load(users, [station])
        users = [replace(one, rate=factor * (one.rate or 0.0)) for one in users]
    found = _open_station(sum(one.rate or 0.0 for one in users), station.queue)
    return found and _with_names(found, users, [station])


def _with_names(theory: Theory, users: list[Users], stations: list[StationDemands]) -> Theory:
    """The theory by the request's name and by population, too, if that is known."""
    if len(users) == 1 and users[0].clients == 1:
        return replace(theory, by_request=one_client(users[0], stations).by_request)
    if all(one.queue.product_form for one in stations):
        return with_names(theory, users, stations)
    alone = len(stations) == 1 and all(one.clients is None and one.single for one in users)
    if alone and stations[0].queue.policy in ("fcfs", "lcfs", "siro"):
        return waiting_alike(users, stations[0], theory)
    return theory


# ---- open and partly open


def _arriving(workload: Workload, stations: list[Queue], load: float | None) -> Theory | None:
    busiest = max(station.demand_per_server for station in stations)
    rate = workload.request_rate if load is None else load / busiest
    if not workload.poisson or rate is None or not 0 < rate * busiest < 1:
        return None
    if len(stations) == 1 and _one_request_a_session(workload):
        return _open_station(rate, stations[0])
    found = _open_network(workload.model, rate, stations)
    return found or _fed_back(workload, rate, stations)


def _fed_back(workload: Workload, rate: float, stations: list[Queue]) -> Theory | None:
    """Sessions of geometrically many requests without think times, at one server in turn.

    After each request the session stays with the same probability, whichever it is, and queues
    again. The number in the system is that of M/G/1 with the demands of whole sessions.
    """
    length, think, station = workload.session_length, workload.think, stations[0]
    alike = station.policy in ("fcfs", "lcfs", "siro") and station.servers == 1
    if len(stations) > 1 or not alike or length is None or (think is not None and think.mean > 0):
        return None
    if not str(length).startswith("geometric(") or not math.isfinite(station.demand.second_moment):
        return None
    load = rate * station.demand.mean
    cv2 = 1 + (station.demand.cv2 - 1) / length.mean
    mean_s = station.demand.mean * (1 + load * (1 + cv2) / (2 * (1 - load)))
    return Theory(f"partly open, {station.words}", FEEDBACK, mean_s, None, load, rate)


def _one_request_a_session(workload: Workload) -> bool:
    length = workload.session_length
    return workload.model == "open" or (length is not None and length.cdf(1.0) >= 1)


def _open_station(rate: float, station: Queue) -> Theory | None:
    load = rate * station.demand_per_server
    model = f"M/{station.words}"
    if station.policy in SIZE_BASED:
        formula, source = SIZE_BASED[station.policy]
        if station.servers > 1:
            return None
        mean = formula(rate, station.demand_law)
        return Theory(model, source, mean, None, load, rate) if math.isfinite(mean) else None
    if station.policy in ("ps", "plcfs"):
        return _open_network("open", rate, [station])
    if station.classes:
        return _classes(model, rate, station)
    served = _served_in_turn(rate, station)
    if served is None:
        return None
    law, source = served
    shown = law if station.policy == "fcfs" and not station.jumps else None
    if shown is None and station.servers == 1:
        source = POLLACZEK_KHINCHINE
    return Theory(model, source, law.mean, shown, load, rate)


def _classes(model: str, rate: float, station: Queue) -> Theory | None:
    moments = [law.second_moment for _, law in station.classes]
    if station.servers > 1 or not all(map(math.isfinite, moments)):
        return None
    classes = [PriorityClass(rate * share, law) for share, law in station.classes]
    formula = preemptive_priority if station.preemptive else non_preemptive_priority
    load = rate * station.demand_per_server
    return Theory(model, PRIORITY, formula(classes).mean_response, None, load, rate)


def _served_in_turn(rate: float, station: Queue) -> tuple[Law, str] | None:
    """The law under FCFS, which has the same mean as LCFS and random order, and its source."""
    if station.exponential and station.servers > 1:
        return mmc_response(rate, station.demand.mean, station.servers), MMC
    if station.servers > 1 or not math.isfinite(station.demand.second_moment):
        return None
    if station.phases is not None:
        return mh1_response(rate, station.phases), MH1
    return mg1_response(rate, station.demand_law), TRANSFORM


def _open_network(model: str, rate: float, stations: list[Queue]) -> Theory | None:
    if not all(station.product_form for station in stations):
        return None
    # Each station by itself behaves as M/M/c; for one server the mean is E[S] / (1 - load).
    means = [mmc_response(rate, s.demand.mean, s.servers).mean for s in stations]
    words = in_a_row(stations)
    if model == "open":
        words = f"M/{words}" if len(stations) == 1 else f"Poisson arrivals, {words}"
    else:
        words = f"partly open, {words}"
    load = rate * max(station.demand_per_server for station in stations)
    return Theory(words, PRODUCT_FORM, sum(means), None, load, rate)
