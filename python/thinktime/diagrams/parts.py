"""The facts that diagrams show of the parts of systems: stations, machines, clusters, pools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from thinktime.present import policies, units

if TYPE_CHECKING:
    from thinktime._core_types import (
        ClusterTable,
        LimiterTable,
        MachineTable,
        PoolTable,
        ScaleTable,
        ServiceTable,
        StationTable,
        SystemFile,
        TokenServerTable,
    )

Form = Literal["queue", "shared", "cores", "places", "cluster"]

_EACH = "per-request"
"""The value of `threads` for a thread for each request."""

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


def parts_of(system: SystemFile) -> list[Part]:
    """All parts, in the order in which a request without a behaviour visits them; pools last."""
    copied = {_copied(one) for one in system["cluster"]}
    machines = [one for one in system["machine"] if one["name"] not in copied]
    return [
        *(_limiter(one) for one in system["limiter"]),
        *(station(one) for one in system["station"]),
        *(machine(one, system["service"]) for one in machines),
        *(_token_server(one) for one in system["token_server"]),
        *(_cluster(one, system) for one in system["cluster"]),
        *(_pool(one) for one in system["pool"]),
    ]


def station(table: StationTable) -> Part:
    """A station, of a system or of a cluster's servers."""
    policy = table["policy"]
    servers, there = servers_of(table)
    facts = [f"{there}, {policies.words(policy)}", *_demands(table)]
    if table["when"] == "miss":
        facts.insert(1, "for what the cache does not hold")
    if table["priority"]:
        order = sorted(table["priority"].items(), key=lambda pair: pair[1])
        facts.append(f"served first: {', '.join(name for name, _ in order)}")
    facts += [f"{name} within {units.law(str(time))}" for name, time in table["deadline"].items()]
    facts += [f"weight of {name} {weight:g}" for name, weight in table["weight"].items()]
    facts += _speed(table)
    facts += _queue(table["queue_limit"], "wait")
    if table["queue_timeout"] is not None:
        facts.append(f"drops what waited for {units.law(str(table['queue_timeout']))}")
    if table["newest_first_above"] is not None:
        facts.append(f"the newest first with more than {units.count(table['newest_first_above'])}")
    shared = policy.partition("(")[0] in policies.SHARED
    return Part(table["name"], "shared" if shared else "queue", servers, facts)


def servers_of(table: StationTable) -> tuple[int, str]:
    """The most servers of a station, and their number in words."""
    servers, scale = table["servers"], table["scale"]
    return (servers, units.counted(servers, "server")) if scale is None else _scaled(scale)


def _scaled(scale: ScaleTable) -> tuple[int, str]:
    """The most servers of a station whose number of servers changes, and that number in words."""
    delay = "" if scale["delay"] is None else f", each after {units.law(str(scale['delay']))}"
    if scale["plan"] is not None:
        numbers = re.findall(r":\s*([^,)\s]+)", scale["plan"])
        return max(int(float(one)) for one in numbers), f"servers by time: {scale['plan']}{delay}"
    most = scale["to"] or 1
    least = scale["from"] if scale["from"] is not None else int(scale["on"] == "load")
    return most, f"{least} to {units.counted(most, 'server')} by {scale['on']}{delay}"


def _speed(table: StationTable) -> Iterator[str]:
    """How the station's speed varies, and its batches; nothing if it serves one by one."""
    failure, batch = table["failure"], table["batch"]
    if batch is not None:
        wait = "" if batch["wait"] is None else f", after a wait of {units.law(str(batch['wait']))}"
        yield f"up to {batch['max']} together{wait}"
    if table["rate"] is not None:
        yield f"speed by the number present: {table['rate']}"
    if failure is not None:
        after, repair = (units.law(str(failure[key])) for key in ("after", "repair"))
        yield f"fails after {after}{_AT_WORK[failure['clock']]}, repaired in {repair}"
    if table["setup"] is not None:
        idle = "" if table["idle_for"] is None else f" after {units.law(str(table['idle_for']))}"
        yield f"turns off{idle} if it is empty, and on in {units.law(str(table['setup']))}"


_AT_WORK = {"time": "", "work": " of work"}
"""By the clock of failures, what follows the time to one."""


def machine(table: MachineTable, services: Sequence[ServiceTable]) -> Part:
    """A machine with the services on it."""
    facts = [f"{units.counted(table['cores'], 'core')} under {table['os']}"]
    if table["demand"] is not None or table["threads"] != _EACH or any(_cpu_limit(table)):
        facts += _service(table)
    for one in services:
        if one["machine"] == table["name"]:
            threads, *more = _service(one)
            facts += [f"service {one['name']}: {threads}", *more]
    return Part(table["name"], "cores", table["cores"], facts)


def _limiter(table: LimiterTable) -> Part:
    text = str(table["rate"])
    rate = f"passes {text if '/' in text else text + '/s'}"
    if table["kind"] == "leaky":
        return Part(table["name"], "queue", 1, [rate, *_queue(table["queue_limit"], "wait")])
    burst = units.count(table["burst"] or 1)
    return Part(table["name"], "shared", 1, [rate, f"up to {burst} at once, refuses others"])


def _token_server(table: TokenServerTable) -> Part:
    facts = [f"tokens in steps, in batches of up to {units.count(table['max_batch'])}"]
    facts.append(f"{units.law(str(table['step_time']))} a step")
    if table["request_time"] is not None:
        facts.append(f"{units.law(str(table['request_time']))} for each request in it")
    if table["prompt_token_time"] is not None:
        facts.append(f"{units.law(str(table['prompt_token_time']))} for each token of a prompt")
    if table["prefill_chunk"] is not None:
        facts.append(f"at most {units.count(table['prefill_chunk'])} of these in a step")
    if table["memory"] is not None:
        facts.append(f"a memory of {units.count(table['memory'])} tokens")
    return Part(table["name"], "queue", 1, facts)


def _cluster(table: ClusterTable, system: SystemFile) -> Part:
    servers = table["servers"]
    facts = [f"{units.counted(servers, 'server')} behind a switch: {table['dispatch']}"]
    for name, kinds in table["classes"].items():
        facts.append(f"class {name}: {', '.join(kinds)}")
    if table["seen_after"]:
        facts.append(f"the switch knows of an end after {units.law(str(table['seen_after']))}")
    for one in table["change"]:
        facts.append(f"at {units.law(str(one['at']))} server {one['server']} {one['does']}")
    return Part(table["name"], "cluster", servers, facts, _each(table, system))


def _each(table: ClusterTable, system: SystemFile) -> list[Part]:
    found = [station(one) for one in table["station"]]
    for one in system["machine"]:
        if one["name"] == _copied(table):
            found.append(machine(one, system["service"]))
    cache = table["cache"]
    if cache is not None:
        facts = [f"{cache['size']}, {cache['replacement']}"] if cache["size"] else []
        if cache["ttl"]:
            facts.append(f"each for {units.law(str(cache['ttl']))}")
        if cache["holds"]:
            facts.append(f"holds {', '.join(cache['holds'])}")
        found.append(Part("cache", "places", 0, facts))
    return found


def _copied(table: ClusterTable) -> str:
    """The name of the machine that each server is; empty if servers have stations."""
    return (table["server"] or "").removeprefix("machine:")


def _pool(table: PoolTable) -> Part:
    words = f"a pool of {units.counted(table['size'], 'place')}"
    limit = _queue(table["queue_limit"], "wait for a place")
    return Part(table["name"], "places", table["size"], [words, *limit])


def _service(table: MachineTable | ServiceTable) -> list[str]:
    """The threads of a service, its demands, and the limits of its queue and its CPU time."""
    threads = table["threads"]
    words = "a thread for each request" if threads == _EACH else str(threads)
    words = units.counted(threads, "thread") if isinstance(threads, int) else words
    queue = _queue(table["queue_limit"], "wait for a thread")
    return [words, *_demands(table), *queue, *_cpu_limit(table)]


def _cpu_limit(table: MachineTable | ServiceTable) -> Iterator[str]:
    if table["cpu_limit"] is not None:
        yield f"CPU limit {table['cpu_limit']}"
    if table["quota"] is not None:
        yield f"CPU limit {table['quota']} in {table['period'] or '100ms'}"


def _demands(table: StationTable | MachineTable | ServiceTable) -> list[str]:
    """The demand of all requests, or of each name; nothing if steps bring their own."""
    demand = table["demand"]
    if demand is None:
        return []
    if not isinstance(demand, Mapping):
        return [f"demand {units.law(str(demand))}"]
    words = [f"{name} {units.law(str(law))}" for name, law in demand.items()]
    left = len(words) - DEMANDS_MAX
    return words if left <= 0 else [*words[:DEMANDS_MAX], f"and {units.count(left)} more demands"]


def _queue(limit: int | None, does: str) -> Iterator[str]:
    if limit is not None:
        yield f"at most {units.count(limit)} {does}"
