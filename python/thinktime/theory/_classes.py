"""Several populations, and journeys, as classes of a network with a product form.

A population is one class of mean-value analysis. Its requests may be of several kinds, with demands
and think times of their own, in whatever order its journeys put them: only the visit ratios count
(Baskett, Chandy, Muntz and Palacios, JACM 22, 1975, section 3.2, where classes change by a Markov
chain). At a station a request's time is in proportion to its kind's demand: under PS and preemptive
LCFS because all are served alike, elsewhere because all have one demand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from thinktime.numerics import brentq
from thinktime.theory._closed import ALONE, CLIENTS_MAX, IN_STEP, MVA, NEVER_SERVED, has_density
from thinktime.theory._demands import StationDemands, demands_of
from thinktime.theory._queue import in_a_row
from thinktime.theory._users import Users
from thinktime.theory.law import FloatArray
from thinktime.theory.mixed import ClosedClass, MixedNetwork, OpenClass, lattice_size, mixed_mva
from thinktime.theory.solution import PopulationTheory, Theory

PRODUCT_FORM = "product form; Baskett, Chandy, Muntz and Palacios 1975"
MIXED = "mixed mean value analysis; Lazowska, Zahorjan, Graham and Sevcik 1984, chapter 7"
LATTICE_MAX = 2_000_000
"""The limit of the size of mean value analysis of several classes: it takes about a second."""
_WORDS_MAX = 3
_SHARED_SERVERS_MAX = 256


def product_form(
    users: list[Users], stations: list[StationDemands], load: float | None
) -> Theory | str:
    """The exact steady state; a reason if there is no value.

    ``load`` scales the rates of populations that arrive by themselves; without any, it stretches
    the think times. Raises ValueError if it cannot be reached.
    """
    closed = [one for one in users if one.clients is not None]
    reason = _too_many(closed, stations) or _no_average(closed, stations)
    if reason is not None:
        return reason
    if load is None:
        return _theory(users, stations, _solved(users, stations, 1.0))
    factor = _factor(users, stations, load)
    found = _theory(users, stations, _solved(users, stations, factor))
    return replace(found, load=load)


def one_client(users: Users, stations: list[StationDemands]) -> Theory:
    """A single client, which never waits under any policy."""
    queues = [one.queue for one in stations]
    demand = sum(demands_of(users, stations))
    rate = 1 / (demand + users.think_s)
    law = queues[0].demand_law if len(queues) == 1 else None
    names = {name: _sum_for(name, stations) for name, share in users.shares.items() if share > 0}
    load = rate * max(demands_of(users, stations) / np.array([one.servers for one in queues]))
    words = f"{users.words}, {in_a_row(queues)}"
    part = {users.name: PopulationTheory(rate, demand, names)} if users.name else {}
    return Theory(words, ALONE, demand, law, load, rate, names, part)


def waiting_alike(users: list[Users], station: StationDemands, theory: Theory) -> Theory:
    """The theory with its parts, if all wait alike and are then served without a break."""
    waits = theory.mean_s - station.queue.demand.mean
    times = {name: waits + law.mean for name, law in station.demands.items()}
    parts = [
        (one.rate or 0.0, {name: times[name] for name in _requested_names(one)}) for one in users
    ]
    return _with_parts(theory, users, parts)


def with_names(theory: Theory, users: list[Users], stations: list[StationDemands]) -> Theory:
    """The theory with the parts of the product form, if it is the same."""
    found = product_form(users, stations, None)
    same = isinstance(found, Theory) and math.isclose(found.mean_s, theory.mean_s, rel_tol=1e-9)
    if isinstance(found, str) or not same:
        return theory
    return replace(theory, by_request=found.by_request, by_population=found.by_population)


# ---- conditions


def _too_many(closed: list[Users], stations: list[StationDemands]) -> str | None:
    clients = [one.clients or 0 for one in closed]
    servers = [one.queue.servers for one in stations]
    if sum(clients) > CLIENTS_MAX or lattice_size(clients, servers) > LATTICE_MAX:
        return (
            f"mean value analysis of {' x '.join(map(str, clients))} clients at {len(stations)} "
            f"station{'s' * (len(stations) > 1)} takes too long"
        )
    if closed and max(servers) > _SHARED_SERVERS_MAX:
        return f"it is not computed for stations of more than {_SHARED_SERVERS_MAX} servers"
    return None


def _no_average(closed: list[Users], stations: list[StationDemands]) -> str | None:
    """Why the product form is not the only steady state, if it is not: see `_closed`."""
    first = stations[0].queue
    for one in closed:
        laws = [law for law, share in zip(one.thinks, one.shares.values(), strict=True) if share]
        names = _requested_names(one)
        laws += [station.demands.get(name) for station in stations for name in names]
        if not any(map(has_density, laws)):
            return IN_STEP
        if len(stations) == 1 and first.policy in ("lcfs", "plcfs") and one.think_s == 0:
            return NEVER_SERVED
    return None


# ---- the value


def _requested_names(users: Users) -> list[str]:
    return [name for name, share in users.shares.items() if share > 0]


def _sum_for(name: str, stations: list[StationDemands]) -> float:
    return sum(station.mean_of(name) for station in stations)


def _solved(users: list[Users], stations: list[StationDemands], factor: float) -> MixedNetwork:
    """The value with all rates multiplied by the factor; without rates, all think times."""
    arrives = any(one.clients is None for one in users)
    open_, closed = [], []
    for one in users:
        demands = tuple(float(demand) for demand in demands_of(one, stations))
        if one.clients is None:
            open_.append(OpenClass(factor * (one.rate or 0.0), demands))
        else:
            think_s = one.think_s if arrives else factor * one.think_s
            closed.append(ClosedClass(one.clients, demands, think_s))
    return mixed_mva(open_, closed, [one.queue.servers for one in stations])


def _theory(users: list[Users], stations: list[StationDemands], network: MixedNetwork) -> Theory:
    # The network has open classes first.
    order = sorted(users, key=lambda one: one.clients is not None)
    parts = {}
    for one, rate, times in zip(order, network.throughput, network.response_times, strict=True):
        parts[one.name] = (float(rate), _by_name(one, stations, times))
    throughput = float(network.throughput.sum())
    mean = float(network.throughput @ network.response_time) / throughput
    closed = sum(one.clients is not None for one in users)
    source = PRODUCT_FORM if not closed else MVA if closed == len(users) else MIXED
    theory = Theory(
        _words(users, stations), source, mean, None, float(network.loads.max()), throughput
    )
    return _with_parts(theory, users, [parts[one.name] for one in users])


def _by_name(users: Users, stations: list[StationDemands], times: FloatArray) -> dict[str, float]:
    brought = demands_of(users, stations)
    per_demand = np.divide(times, brought, out=np.zeros_like(times), where=brought > 0)
    return {
        name: float(per_demand @ np.array([station.mean_of(name) for station in stations]))
        for name in _requested_names(users)
    }


def _with_parts(
    theory: Theory, users: list[Users], parts: Sequence[tuple[float, Mapping[str, float]]]
) -> Theory:
    """A rate and the mean response time of each kind, by population."""
    by_population, rates, sums = {}, dict[str, float](), dict[str, float]()
    for one, (rate, times) in zip(users, parts, strict=True):
        mean = sum(one.shares[name] * time for name, time in times.items())
        by_population[one.name] = PopulationTheory(rate, mean, dict(times))
        for name, time in times.items():
            flow = rate * one.shares[name]
            rates[name] = rates.get(name, 0.0) + flow
            sums[name] = sums.get(name, 0.0) + flow * time
    by_request = {name: sums[name] / rates[name] for name in sums}
    named = {name: part for name, part in by_population.items() if name}
    return replace(theory, by_request=by_request, by_population=named)


def _words(users: list[Users], stations: list[StationDemands]) -> str:
    row = in_a_row([one.queue for one in stations])
    if len(users) > _WORDS_MAX:
        return f"{len(users)} populations, {row}"
    names = [one.words for one in users if one.words]
    return f"{', '.join(names) or 'partly open'}, {row}"


def _factor(users: list[Users], stations: list[StationDemands], load: float) -> float:
    """The scale that brings the busiest station to the load."""
    arrives = [one for one in users if one.clients is None]
    servers = np.array([one.queue.servers for one in stations])
    if not arrives:
        return _by_thinking(users, stations, load, servers)
    offered = sum((one.rate or 0.0) * demands_of(one, stations) for one in arrives)
    most = load / float(np.max(offered / servers))
    if len(arrives) == len(users):
        return most
    excess = _excess(users, stations, load)
    if excess(most * 1e-9) > 0:
        raise ValueError(f"the closed populations bring more than a load of {load:.6g} themselves")
    return float(brentq(excess, most * 1e-9, most, xtol=1e-13 * most, rtol=1e-12))


def _by_thinking(
    users: list[Users], stations: list[StationDemands], load: float, servers: FloatArray
) -> float:
    excess = _excess(users, stations, load)
    if excess(0.0) < 0:
        raise ValueError(f"the clients cannot bring the system to a load of {load:.6g}")
    # X <= N / Z bounds the load that remains at such long think times.
    if any(one.think_s == 0 for one in users):
        raise ValueError("to reach a load, each closed population needs a think time")
    busy = sum((one.clients or 0) / one.think_s * demands_of(one, stations) for one in users)
    most = float(np.max(busy / servers)) / load
    return float(brentq(excess, 0.0, most, xtol=1e-13 * most, rtol=1e-12))


def _excess(
    users: list[Users], stations: list[StationDemands], load: float
) -> Callable[[float], float]:
    return lambda factor: float(_solved(users, stations, factor).loads.max()) - load
