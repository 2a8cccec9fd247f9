"""The facts that diagrams show of a system's parts: stations, machines, pools and clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thinktime.present import policies, units

Table = Mapping[str, Any]
Form = Literal["queue", "shared", "cores", "places", "cluster"]

DEMANDS_MAX = 6
"""At most this many demands by request name are listed for one part."""


@dataclass(frozen=True)
class Part:
    """A part of a system."""

    name: str
    form: Form
    """Its shape: a queue with its servers, servers that all share, cores, places of a pool, or
    servers behind a switch."""

    number: int
    """The number of servers, cores or places."""

    facts: Sequence[str]
    """Its name and function, the most important first."""

    each: Sequence[Part] = ()
    """The parts of each server of a cluster."""


def parts_of(system: Table) -> list[Part]:
    """All parts, in the order in which a request without a behaviour visits them; pools last."""
    clusters = system.get("cluster", [])
    copied = {str(one.get("server", "")).removeprefix("machine:") for one in clusters}
    machines = [one for one in system.get("machine", []) if one["name"] not in copied]
    return [
        *(station(one) for one in system.get("station", [])),
        *(machine(one, system.get("service", [])) for one in machines),
        *(_cluster(one, system) for one in clusters),
        *(_pool(one) for one in system.get("pool", [])),
    ]


def station(table: Table) -> Part:
    """A station, of a system or of a cluster's servers."""
    policy, servers = str(table.get("policy", "fcfs")), int(table.get("servers", 1))
    facts = [f"{units.counted(servers, 'server')}, {policies.words(policy)}", *_demands(table)]
    if table.get("when") == "miss":
        facts.insert(1, "for what the cache does not hold")
    if table.get("priority"):
        order = sorted(table["priority"].items(), key=lambda pair: pair[1])
        facts.append(f"served first: {', '.join(name for name, _ in order)}")
    facts += _queue(table, "wait")
    shared = policy.partition("(")[0] in policies.SHARED
    return Part(table["name"], "shared" if shared else "queue", servers, facts)


def machine(table: Table, services: Sequence[Table]) -> Part:
    """A machine with the services on it."""
    cores = int(table.get("cores", 1))
    facts = [f"{units.counted(cores, 'core')} under {table['os']}"]
    own = [one for one in services if one.get("machine") == table["name"]]
    if "demand" in table or "threads" in table:
        facts += [_threads(table), *_demands(table), *_queue(table, "wait for a thread")]
    for one in own:
        facts.append(f"service {one['name']}: {_threads(one)}")
        facts += [*_demands(one), *_queue(one, "wait for a thread")]
    return Part(table["name"], "cores", cores, facts)


def _cluster(table: Table, system: Table) -> Part:
    facts = [
        f"{units.counted(int(table['servers']), 'server')} behind a switch: {table['dispatch']}"
    ]
    for name, kinds in table.get("classes", {}).items():
        facts.append(f"class {name}: {', '.join(kinds)}")
    if table.get("seen_after"):
        facts.append(f"the switch knows of an end after {units.law(str(table['seen_after']))}")
    for one in table.get("change", []):
        facts.append(f"at {units.law(str(one['at']))} server {one['server']} {one['does']}")
    return Part(table["name"], "cluster", int(table["servers"]), facts, _each(table, system))


def _each(table: Table, system: Table) -> list[Part]:
    found = [station(one) for one in table.get("station", [])]
    copied = str(table.get("server", "")).removeprefix("machine:")
    for one in system.get("machine", []):
        if one["name"] == copied:
            found.append(machine(one, system.get("service", [])))
    cache = table.get("cache")
    if cache is not None:
        facts = [f"{cache['size']}, {cache.get('replacement', 'lru')}"]
        if cache.get("holds"):
            facts.append(f"holds {', '.join(cache['holds'])}")
        found.append(Part("cache", "places", 0, facts))
    return found


def _pool(table: Table) -> Part:
    size = int(table["size"])
    facts = [f"a pool of {units.counted(size, 'place')}", *_queue(table, "wait for a place")]
    return Part(table["name"], "places", size, facts)


def _threads(table: Table) -> str:
    threads = table.get("threads", "per-request")
    if isinstance(threads, int):
        return units.counted(threads, "thread")
    return {"per-request": "a thread for each request"}.get(threads, str(threads))


def _demands(table: Table) -> list[str]:
    """The demand of all requests, or of each name; nothing if steps bring their own."""
    demand = table.get("demand")
    if demand is None:
        return []
    if not isinstance(demand, Mapping):
        return [f"demand {units.law(str(demand))}"]
    words = [f"{name} {units.law(str(law))}" for name, law in demand.items()]
    left = len(words) - DEMANDS_MAX
    return words if left <= 0 else [*words[:DEMANDS_MAX], f"and {units.count(left)} more demands"]


def _queue(table: Table, does: str) -> Iterator[str]:
    if "queue_limit" in table:
        yield f"at most {units.count(table['queue_limit'])} {does}"
    if "queue_timeout" in table:
        yield f"drops what waited for {units.law(str(table['queue_timeout']))}"
    if "newest_first_above" in table:
        yield f"the newest first with more than {units.count(table['newest_first_above'])}"
