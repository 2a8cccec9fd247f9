"""What each request demanded of one server that serves them in some order, or by attained service.

Where one server works on one request at a time, and any two that are there keep their order until
one leaves, it always works on the one that leaves first of those present: this is so first come,
first served, last come, first served, and by smallest demand or remaining work, preemptive or not.
So the demand of each follows without knowing which of these policies it is; then the server's own
decisions tell. Under least attained service who is served follows from who is present alone.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from thinktime.learn.server.served import Floats, Served

PRESENT_MAX = 200
"""Decisions among more requests are not looked at."""

ORDERS = ("fcfs", "lcfs", "sjf", "plcfs", "psjf", "srpt")


@dataclass(frozen=True)
class Decision:
    """What a server did when a request came, or one left."""

    chosen: int
    others: tuple[int, ...]
    came: bool
    """Whether `others[0]` or `chosen` had just come while the other one was served."""

    attained_s: tuple[float, ...]
    """What `chosen` and each of the others had been served until then."""


def one_at_a_time(log: Served) -> tuple[Floats, list[Decision]]:
    """The demand of each request, and the decisions at which there was a choice."""
    attained = np.zeros(len(log))
    present: list[tuple[float, int]] = []
    decisions: list[Decision] = []
    now = 0.0
    for time, leaves, who in _events(log):
        if present:
            attained[present[0][1]] += time - now
        now = time
        served = present[0][1] if present else None
        if leaves:
            heapq.heappop(present)
            if 2 <= len(present) <= PRESENT_MAX:
                _decided(decisions, [one for _, one in present], attained, came=False)
        else:
            heapq.heappush(present, (float(log.done_s[who]), who))
            if served is not None:
                both = [present[0][1], served if present[0][1] == who else who]
                _decided(decisions, both, attained, came=True)
    return attained, decisions


def _events(log: Served) -> list[tuple[float, bool, int]]:
    """Arrivals and ends by their time; who ends when another comes is gone by then."""
    many = len(log)
    times = np.concatenate([log.arrival_s, log.done_s])
    comes = np.arange(2 * many) < many
    # Of several that end at once the heap gives the one that came first.
    order = np.lexsort((np.arange(2 * many) % many, comes, times))
    return [(float(times[n]), not comes[n], int(n % many)) for n in order]


def _decided(found: list[Decision], those: list[int], attained: Floats, *, came: bool) -> None:
    had = tuple(float(attained[one]) for one in those)
    found.append(Decision(those[0], tuple(those[1:]), came, had))


def obeyed(
    log: Served, demands: Floats, decisions: list[Decision], within_s: float
) -> dict[str, float]:
    """By policy, the share of the decisions that it would have made; what is too close is none."""
    right = dict.fromkeys(ORDERS, 0)
    told = dict.fromkeys(ORDERS, 0)
    for one in decisions:
        those = (one.chosen, *one.others)
        came = [float(log.arrival_s[who]) for who in those]
        size = [float(demands[who]) for who in those]
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


def least_attained(log: Served) -> Floats:
    """The demand of each request where those who were served least so far share one server."""
    attained = np.zeros(len(log))
    present: list[int] = []
    now = 0.0
    for time, leaves, who in _events(log):
        _share(attained, present, time - now)
        now = time
        if leaves:
            present.remove(who)
        else:
            present.append(who)
    return attained


def _share(attained: Floats, present: list[int], left_s: float) -> None:
    """Serve those with least for so long: they grow together until they reach the next ones."""
    while present and left_s > 1e-12:
        levels = sorted({float(attained[one]) for one in present})
        lowest = [one for one in present if attained[one] <= levels[0] + 1e-12]
        above = next((level for level in levels if level > levels[0] + 1e-12), np.inf)
        each = min(left_s / len(lowest), above - levels[0])
        for one in lowest:
            attained[one] += each
        left_s -= each * len(lowest)
