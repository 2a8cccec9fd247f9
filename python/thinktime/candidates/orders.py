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

import numpy as np

from thinktime.candidates.visits import Floats, Mask, Numbers, Visits

PRESENT_MAX = 200
"""Decisions among more requests are not used."""

ORDERS = ("fcfs", "lcfs", "sjf", "plcfs", "psjf", "srpt")


class Decisions:
    """The decisions of a server when a request came, or one left, one behind the other."""

    def __init__(self) -> None:
        self.who: list[int] = []
        """Of each decision the request that was chosen, then the others that were present."""

        self.attained_s: list[float] = []
        """The attained service of each of `who`."""

        self.first: list[int] = []
        """The place in `who` at which each decision begins."""

        self.came: list[bool] = []
        """Whether one of the two had just come, while the other one was served."""

    def __len__(self) -> int:
        return len(self.first)

    def add(self, those: list[int], attained: list[float], *, came: bool) -> None:
        """One more; the chosen request is the first of those."""
        self.first.append(len(self.who))
        self.who += those
        self.attained_s += [attained[one] for one in those]
        self.came.append(came)


def one_at_a_time(log: Visits) -> tuple[Floats, Decisions]:
    """The demand of each request, and the decisions with a choice."""
    decisions = Decisions()
    return _in_order(log, decisions), decisions


def demands_one_at_a_time(log: Visits) -> Floats:
    """The demand of each request alone."""
    return _in_order(log, None)


def _in_order(log: Visits, decisions: Decisions | None) -> Floats:
    """The demand of each request; the decisions are added to those given."""
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
                decisions.add([one for _, one in present], attained, came=False)
        else:
            heapq.heappush(present, (done[who], who))
            if decisions is not None and served is not None:
                both = [present[0][1], served if present[0][1] == who else who]
                decisions.add(both, attained, came=True)
    return np.array(attained)


def _events(log: Visits) -> Iterator[tuple[float, bool, int]]:
    """Arrivals and ends by their time; an end comes before an arrival at the same time."""
    many = len(log)
    times = np.concatenate([log.arrival_s, log.done_s])
    comes = np.arange(2 * many) < many
    # Of several that end at once the heap gives the one that came first.
    order = np.lexsort((np.arange(2 * many) % many, comes, times))
    who = (order % many).tolist()
    return zip(times[order].tolist(), (~comes[order]).tolist(), who, strict=True)


def obeyed(log: Visits, demands: Floats, decisions: Decisions, within_s: float) -> dict[str, float]:
    """By policy, the share of the decisions that it would have made; close ones do not count."""
    if not len(decisions):
        return dict.fromkeys(ORDERS, 0.0)
    who, first = np.array(decisions.who), np.array(decisions.first)
    came, size = log.arrival_s[who], demands[who]
    oldest = came[first] < _least_other(came, first)
    newest = -came[first] < _least_other(-came, first)
    by_size = _least(size, first, within_s)
    by_left = _least(size - np.array(decisions.attained_s), first, within_s)
    # If one came, the question is whether the one in service stayed there.
    arrival, always = np.array(decisions.came), np.ones(len(first), dtype=np.bool_)
    verdicts = {
        "fcfs": (always, oldest),
        "lcfs": (always, np.where(arrival, oldest, newest)),
        "sjf": (arrival | by_size[0], np.where(arrival, oldest, by_size[1])),
        "plcfs": (always, newest),
        "psjf": by_size,
        "srpt": by_left,
    }
    return {name: _share_of(*verdicts[name]) for name in ORDERS}


def _share_of(clear: Mask, did: Mask) -> float:
    """The share of the clear decisions that a policy would have made."""
    total = int(np.count_nonzero(clear))
    return int(np.count_nonzero(clear & did)) / total if total else 0.0


def _least(values: Floats, first: Numbers, within_s: float) -> tuple[Mask, Mask]:
    """Of each decision whether it is clear which value is the least, and whether the first is."""
    least = _least_other(values, first)
    return np.abs(values[first] - least) > within_s, values[first] < least


def _least_other(values: Floats, first: Numbers) -> Floats:
    """Of each decision the least of the values after its first one."""
    others = values.copy()
    others[first] = np.inf
    return np.asarray(np.minimum.reduceat(others, first))


def least_attained(log: Visits) -> Floats:
    """The demand of each request if those with the least service so far share one server."""
    attained = [0.0] * len(log)
    present: set[int] = set()
    # Those that were served last; and the others by their service, some of which are gone.
    lowest: list[int] = []
    above: list[tuple[float, int]] = []
    now = 0.0
    for time, leaves, who in _events(log):
        if len(present) > 1:
            lowest = _share(attained, present, lowest, above, time - now)
        elif present:
            lowest, above = list(present), []
            attained[lowest[0]] += time - now
        now = time
        if leaves:
            present.remove(who)
            if who in lowest:
                lowest.remove(who)
        else:
            present.add(who)
            heapq.heappush(above, (0.0, who))
    return np.array(attained)


def _share(
    attained: list[float],
    present: set[int],
    lowest: list[int],
    above: list[tuple[float, int]],
    left_s: float,
) -> list[int]:
    """Serve those with least for this long: they grow together until they reach the next ones.

    The result is those that were served last.
    """
    while left_s > 1e-12:
        levels = [attained[one] for one in lowest]
        least = min(min(levels, default=math.inf), _first(above, present))
        with_least = least + 1e-12
        if max(levels, default=0.0) > with_least:
            for one in lowest:
                heapq.heappush(above, (attained[one], one))
            lowest = []
        while (following := _first(above, present)) <= with_least:
            lowest.append(heapq.heappop(above)[1])
        each = min(left_s / len(lowest), following - least)
        for one in lowest:
            attained[one] += each
        left_s -= each * len(lowest)
    return lowest


def _first(above: list[tuple[float, int]], present: set[int]) -> float:
    """The least service of those that are still present; infinite without any."""
    while above and above[0][1] not in present:
        heapq.heappop(above)
    return above[0][0] if above else math.inf
