"""The demand of each request at one server that serves in some order, or by attained service.

Consider a server that works on one request at a time and keeps the order of any two present until
one leaves. It always works on the one present that leaves first. This holds for first come, first
served, last come, first served, and by smallest demand or remaining work, preemptive or not. So the
demand of each follows without knowing the policy; the server's own decisions then show it. Under
least attained service the requests present alone decide.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from thinktime.learn.server.visits import Floats, ServerVisits

PRESENT_MAX = 200
"""Decisions among more requests are not used."""

ORDERS = ("fcfs", "lcfs", "sjf", "plcfs", "psjf", "srpt")


class Decision(NamedTuple):
    """The decision of a server when a request came, or one left."""

    chosen: int
    others: tuple[int, ...]
    came: bool
    """Whether `others[0]` or `chosen` had just come while the other one was served."""

    attained_s: tuple[float, ...]
    """The attained service of `chosen` and of each of the others."""


def one_at_a_time(log: ServerVisits) -> tuple[Floats, list[Decision]]:
    """The demand of each request, and the decisions with a choice."""
    decisions: list[Decision] = []
    return _in_order(log, decisions), decisions


def demands_one_at_a_time(log: ServerVisits) -> Floats:
    """The demand of each request alone."""
    return _in_order(log, None)


def _in_order(log: ServerVisits, decisions: list[Decision] | None) -> Floats:
    """The demand of each request; the decisions are added to the list, if one is given."""
    # Lists, because single elements of an array take several times as long.
    attained = [0.0] * len(log)
    done = log.done_s.tolist()
    present: list[tuple[float, int]] = []
    now = 0.0
    for time, leaves, who in _events(log):
        served = present[0][1] if present else None
        if served is not None:
            attained[served] += time - now
        now = time
        if leaves:
            heapq.heappop(present)
            if decisions is not None and 2 <= len(present) <= PRESENT_MAX:
                _decided(decisions, [one for _, one in present], attained, came=False)
        else:
            heapq.heappush(present, (done[who], who))
            if decisions is not None and served is not None:
                both = [present[0][1], served if present[0][1] == who else who]
                _decided(decisions, both, attained, came=True)
    return np.array(attained)


def _events(log: ServerVisits) -> Iterator[tuple[float, bool, int]]:
    """Arrivals and ends by their time; an end comes before an arrival at the same time."""
    many = len(log)
    times = np.concatenate([log.arrival_s, log.done_s])
    comes = np.arange(2 * many) < many
    # Of several that end at once the heap gives the one that came first.
    order = np.lexsort((np.arange(2 * many) % many, comes, times))
    who = (order % many).tolist()
    return zip(times[order].tolist(), (~comes[order]).tolist(), who, strict=True)


def _decided(found: list[Decision], those: list[int], attained: list[float], *, came: bool) -> None:
    had = tuple([attained[one] for one in those])
    found.append(Decision(those[0], tuple(those[1:]), came, had))


def obeyed(
    log: ServerVisits, demands: Floats, decisions: list[Decision], within_s: float
) -> dict[str, float]:
    """By policy, the share of the decisions that it would have made; close ones do not count."""
    right = dict.fromkeys(ORDERS, 0)
    told = dict.fromkeys(ORDERS, 0)
    arrival_s, demand_s = log.arrival_s.tolist(), demands.tolist()
    for one in decisions:
        those = (one.chosen, *one.others)
        came = [arrival_s[who] for who in those]
        size = [demand_s[who] for who in those]
        left = [size[n] - one.attained_s[n] for n in range(len(those))]
        newest = came[0] > max(came[1:])
        oldest = came[0] < min(came[1:])
        served = oldest if one.came else None  # whether the one in service stayed there
        verdicts = {
            "fcfs": (True, oldest),
            "lcfs": (True, newest if served is None else served),
            "plcfs": (True, newest),
            "sjf": _least(size, within_s) if served is None else (True, served),
            "psjf": _least(size, within_s),
            "srpt": _least(left, within_s),
        }
        for name, (clear, did) in verdicts.items():
            told[name] += clear
            right[name] += clear and did
    return {name: right[name] / told[name] if told[name] else 0.0 for name in ORDERS}


def _least(values: list[float], within_s: float) -> tuple[bool, bool]:
    """Whether it is clear which value is the least, and whether it is the first one."""
    least = min(values[1:])
    return abs(values[0] - least) > within_s, values[0] < least


def least_attained(log: ServerVisits) -> Floats:
    """The demand of each request if those with the least service so far share one server."""
    attained = [0.0] * len(log)
    present: list[int] = []
    now = 0.0
    for time, leaves, who in _events(log):
        _share(attained, present, time - now)
        now = time
        if leaves:
            present.remove(who)
        else:
            present.append(who)
    return np.array(attained)


def _share(attained: list[float], present: list[int], left_s: float) -> None:
    """Serve those with least for this long: they grow together until they reach the next ones."""
    if len(present) == 1:
        attained[present[0]] += left_s
        return
    while present and left_s > 1e-12:
        levels = [attained[one] for one in present]
        least = min(levels)
        with_least = least + 1e-12
        lowest = [one for one in present if attained[one] <= with_least]
        above = min([level for level in levels if level > with_least], default=math.inf)
        each = min(left_s / len(lowest), above - least)
        for one in lowest:
            attained[one] += each
        left_s -= each * len(lowest)
