"""A second, independent simulator of one station: plain, slow and exact.

The fast simulator is tested against this one, so nothing here is clever. A station keeps the list
of the jobs that are present and says, by the definition of its policy, who is served at what rate.
Time moves to the next event: an arrival, a completion, the end of a slice or of a switch, or two
attained services that meet. Every number is a fraction, so that nothing is ever rounded.

All times are in nanoseconds. `departures` is for given arrivals; `reference_closed.closed` for
clients that wait for each response. Where events fall together, this holds:

- Jobs that arrive at the same instant come one after the other: in the order of the list, or of
  the clients. The first finds the server free, if one is.
- What ends at an instant comes before what arrives then; `arrivals_first` turns that round. Of what
  ends, completions come first, then slices: for `rr` by number of server, for `mlfq` by arrival.
- Jobs of equal rank are taken in order of arrival. Of running jobs that could be pushed out it is
  the one that ranks worst, of equals the one that arrived last. Nobody is pushed out by an equal.
- A job takes the free server with the lowest number. That only matters for `rr` with a switch
  cost: a server's first job ever has none, and going on with the same job has none.
- A request is a job of its own, also where the same client sends it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from reference_stations import (
    ClassesInTurns,
    Feedback,
    Job,
    Key,
    LeastAttained,
    Nonpreemptive,
    Preemptive,
    ProcessorSharing,
    RoundRobin,
    Station,
    WeightedSharing,
)

Time = int | float | Fraction
Given = tuple[Time, Time] | tuple[Time, Time, str]
"""(arrival, demand) or (think, demand), perhaps with the kind of the job."""
Ranks = Mapping[str, Time]

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


# ---- policies as users write them


def number(text: str) -> Fraction:
    """A time such as `10ms`, in nanoseconds; a bare number is in seconds, as in a system file."""
    found = re.fullmatch(r"([\d.]+(?:e-?\d+)?)\s*([a-z]*)", text.strip())
    if not found:
        raise ValueError(f"not a time: {text}")
    return Fraction(found[1]) * UNITS[found[2] or "s"]


def keys() -> dict[str, tuple[type[Preemptive] | type[Nonpreemptive], Key]]:
    """The policies that only rank the jobs."""
    return {
        "fcfs": (Nonpreemptive, lambda job: (job.number,)),
        "lcfs": (Nonpreemptive, lambda job: (-job.number,)),
        "sjf": (Nonpreemptive, lambda job: (job.demand, job.number)),
        "ljf": (Nonpreemptive, lambda job: (-job.demand, job.number)),
        "priority(preemptive=false)": (Nonpreemptive, lambda job: (job.of_kind, job.number)),
        "priority": (Preemptive, lambda job: (job.of_kind, job.number)),
        "priority(preemptive=true)": (Preemptive, lambda job: (job.of_kind, job.number)),
        "plcfs": (Preemptive, lambda job: (-job.number,)),
        "psjf": (Preemptive, lambda job: (job.demand, job.number)),
        "srpt": (Preemptive, lambda job: (job.remaining, job.number)),
        "pesjf": (Preemptive, lambda job: (job.of_kind, job.number)),
        "peljf": (Preemptive, lambda job: (-job.of_kind, job.number)),
        "edf": (Preemptive, lambda job: (job.arrival + job.of_kind, job.number)),
        "edf(preemptive=false)": (
            Nonpreemptive,
            lambda job: (job.arrival + job.of_kind, job.number),
        ),
    }


def station(policy: str, servers: int) -> Station:
    """An empty station with the policy that the text names."""
    text = policy.replace(" ", "")
    if text in keys():
        kind, key = keys()[text]
        return kind(servers, key)
    if text in ("ps", "las", "dps"):
        shared = {"ps": ProcessorSharing, "las": LeastAttained, "dps": WeightedSharing}
        return shared[text](servers)
    found = re.fullmatch(r"(rr|mlfq|priority)\((.+?)(?:,switch=(.+))?\)", text)
    if not found or (found[1] != "rr" and found[3]):
        raise ValueError(f"unknown policy: {policy}")
    quanta = [number(quantum) for quantum in found[2].split(",")]
    if min(quanta) <= 0:
        raise ValueError(f"a quantum must be more than zero: {policy}")
    if found[1] == "mlfq":
        return Feedback(servers, quanta)
    if found[1] == "priority":
        return ClassesInTurns(servers, quanta)
    (quantum,) = quanta
    return RoundRobin(servers, quantum, number(found[3] or "0"))


# ---- the passing of time


def nobody(_job: Job, _now: Fraction) -> Job | None:
    """No job follows."""
    return None


def unwatched(_station: Station, _now: Fraction) -> None:
    """Nobody looks."""


def simulate(
    at: Station,
    coming: list[Job],
    *,
    follow: Callable[[Job, Fraction], Job | None] = nobody,
    watch: Callable[[Station, Fraction], None] = unwatched,
    arrivals_first: bool = False,
) -> list[tuple[Job, Fraction]]:
    """Every job and when it departed, in the order of departure.

    Each job that departs is followed by another one, if `follow` says so. `watch` sees the station
    after every event, and just before each arrival.
    """
    now, count, gone = Fraction(0), 0, []
    coming = sorted(coming, key=_turn)
    while coming or at.present:
        wait = at.wait()
        nexts = [coming[0].arrival] if coming else []
        then = min(nexts + ([] if wait is None else [now + wait]))
        at.advance(then - now)
        now = then
        due = []
        while coming and coming[0].arrival == now:
            due.append(coming.pop(0))
        done = [] if arrivals_first else at.settle()
        for job in due:
            watch(at, now)
            job.number, count = count, count + 1
            at.arrive(job)
        done += at.settle() if arrivals_first else []
        watch(at, now)
        gone += [(job, now) for job in done]
        if followers := [job for job in (follow(job, now) for job in done) if job]:
            coming = sorted(coming + followers, key=_turn)
    return gone


def _turn(job: Job) -> tuple[Fraction, int]:
    return job.arrival, job.owner


def new_job(owner: int, now: Fraction, given: Given, ranks: Ranks | None) -> Job:
    """A job that arrives some time after now."""
    after, demand, *kind = given
    if after < 0 or demand <= 0:
        raise ValueError(f"time must be at least 0 and demand more: {given}")
    rank = Fraction(ranks[str(kind[0])]) if ranks and kind else None
    return Job(owner, now + Fraction(after), Fraction(demand), rank)


def departures(
    policy: str,
    servers: int,
    jobs: Sequence[Given],
    *,
    ranks: Ranks | None = None,
    arrivals_first: bool = False,
    watch: Callable[[Station, Fraction], None] = unwatched,
) -> list[Fraction]:
    """When each job departs from one station, exactly, in the order of `jobs`.

    Args:
        policy: As users write it: `fcfs`, `lcfs`, `plcfs`, `ps`, `sjf`, `ljf`, `psjf`, `srpt`,
            `las`, `rr(1ms)`, `rr(1ms, switch=5us)`, `priority`, `priority(preemptive=false)`,
            `priority(1ms, 2ms)`, `pesjf`, `peljf`, `mlfq(1ms, 2ms, 4ms)`, `edf`,
            `edf(preemptive=false)`, `dps`.
        servers: The number of servers, all with the same speed.
        jobs: (arrival, demand) or (arrival, demand, kind) in nanoseconds, in order of arrival;
            demands are more than zero. Floats are taken as the fractions that they are.
        ranks: For each kind its class, the smallest served first (`priority`), its expected size
            (`pesjf`, `peljf`), the time to its deadline (`edf`), or its weight (`dps`). The other
            policies need none.
        arrivals_first: Whether arrivals at an instant come before completions at it.
        watch: Is shown the station and the time after every event, and before each arrival.
    """
    coming = [new_job(owner, Fraction(0), job, ranks) for owner, job in enumerate(jobs)]
    if any(job.arrival < before.arrival for before, job in pairwise(coming)):
        raise ValueError("jobs must be in order of arrival")
    at = station(policy, servers)
    gone = simulate(at, coming, watch=watch, arrivals_first=arrivals_first)
    return [now for _, now in sorted(gone, key=lambda one: one[0].owner)]
