"""A system of one station whose speed varies, as `thinktime.theory.match` knows it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thinktime.theory._closed import CLIENTS_MAX, IN_STEP, NEVER_SERVED, has_density
from thinktime.theory._float_range import out_of_reach
from thinktime.theory._queue import Queue, mixture, queue_of
from thinktime.theory.demand import Moments
from thinktime.theory.solution import Theory
from thinktime.theory.varying_speed import (
    Delay,
    StationAtSpeeds,
    closed_at_speeds,
    delayed_busy_share,
    delayed_mean_response,
    interrupted_demand,
    open_at_speeds,
    repair_delay,
)

if TYPE_CHECKING:
    from thinktime import Distribution, System, Workload
    from thinktime._core_types import StationTable
    from thinktime.theory._users import Users

SPEEDS = "birth and death; Kelly 1979, section 3.3"
SETUPS = "Welch 1964"
FAILURES = "Avi-Itzhak and Naor 1963; Welch 1964"

_OTHERS = ("machine", "service", "token_server", "pool", "cluster", "link", "limiter", "behaviour")
_LIMITS = ("queue_limit", "queue_timeout", "newest_first_above")


class _Varying(NamedTuple):
    queue: Queue
    table: StationTable
    law: type[Distribution]

    def law_of(self, text: float | str) -> Distribution:
        return self.law(str(text))

    @property
    def speeds(self) -> list[float]:
        """The total speeds by number, empty without a `rate`."""
        rate = self.table["rate"]
        inside = rate[rate.index("(") + 1 : rate.rindex(")")] if rate else ""
        return [float(one) for one in inside.split(",") if one.strip()]


def at_varying_speed(
    workload: Workload, users: Users, system: System, load: float | None
) -> Theory | str | None:
    """The exact steady state; a reason if it cannot be computed; None without a formula.

    ``load`` holds the load of an open system at this part of what it can do in the long run.
    """
    station = _only_station(workload, system)
    if station is None:
        return None
    reason = out_of_reach([users], [station.queue])
    if reason is not None:
        return reason
    table = station.table
    varies = [key for key in ("rate", "failure", "setup") if table.get(key) is not None]
    if len(varies) != 1:  # more than one, or batches
        return None
    if varies == ["rate"]:
        formula = station.queue.product_form
        return _at_speeds(workload, users, station, load) if formula else None
    one_by_one = station.queue.servers == 1 and math.isfinite(station.queue.demand.second_moment)
    if not (one_by_one and users.poisson and users.single):
        return None
    orderly = station.queue.policy in ("fcfs", "lcfs", "siro")
    if not (orderly or (station.queue.product_form and station.queue.exponential)):
        return None
    return _with_breaks(users, station, load)


def _only_station(workload: Workload, system: System) -> _Varying | None:
    tables = system.tables
    if any(tables.get(key) for key in _OTHERS) or len(system.stations) != 1:
        return None
    station, table = system.stations[0], tables["station"][0]
    if station.steady or any(table.get(key) is not None for key in _LIMITS):
        return None
    total = sum(workload.request_weights)
    weights = (weight / total for weight in workload.request_weights)
    kinds = list(zip(weights, workload.request_names, strict=True))
    queue = queue_of(station, [(name, share) for share, name in kinds])
    law = station.demand or station.demand_of(kinds[0][1])
    if queue is None or queue.classes or law is None:
        return None
    return _Varying(queue, table, type(law))


# ---- speeds by number


def _at_speeds(
    workload: Workload, users: Users, station: _Varying, load: float | None
) -> Theory | str | None:
    queue, speeds = station.queue, station.speeds
    if users.clients is not None:
        return None if load is not None else _closed_at_speeds(workload, station)
    rate = users.rate if load is None else load * speeds[-1] / queue.demand.mean
    if not users.poisson or not rate or not rate * queue.demand.mean < speeds[-1]:
        return None
    found = open_at_speeds(rate, queue.demand.mean, speeds, queue.servers)
    model = f"M/{queue.words}" if users.single else f"partly open, {queue.words}"
    return _at(model, found, queue)


def _closed_at_speeds(workload: Workload, station: _Varying) -> Theory | str | None:
    queue, clients, think = station.queue, workload.clients or 0, workload.think
    think_s = think.mean if think is not None else 0.0
    if not 0 < clients <= CLIENTS_MAX or not math.isfinite(think_s):
        return None
    if think_s == 0 and clients > 1 and queue.policy in ("lcfs", "plcfs"):
        return NEVER_SERVED
    if not (has_density(think) or has_density(queue.demand)):
        return IN_STEP
    found = closed_at_speeds(clients, queue.demand.mean, station.speeds, think_s, queue.servers)
    return _at(f"{clients} client{'s' if clients > 1 else ''}, {queue.words}", found, queue)


def _at(model: str, found: StationAtSpeeds, queue: Queue) -> Theory:
    busy = found.busy_servers / queue.servers
    words = f"{model}, speed by number"
    return Theory(words, SPEEDS, found.mean_response, None, busy, found.throughput)


# ---- failures or setups


def _with_breaks(users: Users, station: _Varying, load: float | None) -> Theory | None:
    failing = station.table["failure"] is not None
    served = _served(station) if failing else station.queue.demand
    if served is None:
        return None
    rate = users.rate if load is None else load / served.mean
    if not rate or not rate * served.mean < 1:
        return None
    delay = _repair(rate, station) if failing else _setup(rate, station)
    if delay is None or not math.isfinite(delay.second_moment):
        return None
    mean = delayed_mean_response(rate, served, delay)
    busy = delayed_busy_share(rate, served.mean, delay)
    words = f"M/{station.queue.words} with {'failures' if failing else 'setups'}"
    return Theory(words, FAILURES if failing else SETUPS, mean, None, busy, rate)


def _failure(station: _Varying) -> tuple[float, Distribution] | None:
    """The failure rate and the law of repairs, if failures are a Poisson process."""
    failure = station.table["failure"]
    if failure is None:
        return None
    after, repair = station.law_of(failure["after"]), station.law_of(failure["repair"])
    phases = mixture(after)
    if phases is None or len(phases.rates) > 1 or not math.isfinite(repair.second_moment):
        return None
    return 1 / after.mean, repair


def _served(station: _Varying) -> Moments | None:
    """A demand with the repairs in it."""
    found = _failure(station)
    return None if found is None else interrupted_demand(station.queue.demand, *found)


def _repair(rate: float, station: _Varying) -> Delay | None:
    found, failure = _failure(station), station.table["failure"]
    if found is None or failure is None:
        return None
    if failure["clock"] == "work" or found[1].mean == 0:
        return Delay(0.0, 0.0)
    return repair_delay(rate, *found, _transform(rate, found[1]))


def _setup(rate: float, station: _Varying) -> Delay:
    """A setup is due if the next request comes after the station has turned off."""
    setup, idle = station.law_of(station.table["setup"] or 0), station.table["idle_for"]
    off = 1.0 if idle is None else _transform(rate, station.law_of(idle))
    return Delay(off * setup.mean, off * setup.second_moment)


def _transform(rate: float, law: Distribution) -> float:
    """E[e^{-rate T}] for a time T with this law."""
    if law.mean == 0:
        return 1.0
    survival = Queue(law, 1, "fcfs").demand_law.survival_transform(np.array([complex(rate)]))
    return float(1 - rate * survival[0].real)
