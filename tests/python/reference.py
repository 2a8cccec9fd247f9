"""A second, independent simulator of one station: plain, slow and exact.

The fast simulator is tested against this one, so nothing here is clever. A station keeps the list
of the jobs that are present and says, by the definition of its policy, who is served at what rate.
Time goes on to the next event: an arrival, a completion, the end of a slice or of a switch, or two
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
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

Time = int | float | Fraction
Given = tuple[Time, Time] | tuple[Time, Time, str]
"""(arrival, demand) or (think, demand), perhaps with the kind of the job."""
Ranks = Mapping[str, Time]

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


@dataclass(eq=False)
class Job:
    """One job; its number is its place in the order of arrival at the station."""

    owner: int
    arrival: Fraction
    demand: Fraction
    rank: Fraction | None
    number: int = -1
    attained: Fraction = Fraction(0)

    @property
    def remaining(self) -> Fraction:
        return self.demand - self.attained

    @property
    def of_kind(self) -> Fraction:
        """The class or the expected size of the job's kind."""
        if self.rank is None:
            raise ValueError("this policy needs the kinds of the jobs, and `ranks`")
        return self.rank


Rates = dict[Job, Fraction]
Key = Callable[[Job], tuple[Fraction | int, ...]]


class Station(ABC):
    """Servers, and the jobs that are present."""

    def __init__(self, servers: int) -> None:
        self.servers = servers
        self.present: list[Job] = []

    @abstractmethod
    def rates(self) -> Rates:
        """How fast each job is served now; a job that is not served may be left out."""

    def alarms(self) -> list[Fraction]:
        """How long until something other than a completion changes the rates."""
        return []

    def wait(self) -> Fraction | None:
        """How long the rates stay as they are, unless somebody arrives."""
        waits = [job.remaining / rate for job, rate in self.rates().items() if rate > 0]
        return min(waits + self.alarms(), default=None)

    def advance(self, time: Fraction) -> None:
        """Serve for some time, at most `wait()`."""
        for job, rate in self.rates().items():
            job.attained += rate * time

    def arrive(self, job: Job) -> None:
        """Take in a job."""
        self.present.append(job)

    def settle(self) -> list[Job]:
        """Do all that is due at this instant; the jobs that are complete leave."""
        done = [job for job in self.present if job.remaining == 0]
        self.present = [job for job in self.present if job.remaining > 0]
        return done


class ProcessorSharing(Station):
    """All at once, at equal shares of the servers, nobody faster than one server."""

    def rates(self) -> Rates:
        return {
            job: min(Fraction(1), Fraction(self.servers, len(self.present))) for job in self.present
        }


class Preemptive(Station):
    """Always the jobs with the smallest keys, one on each server."""

    def __init__(self, servers: int, key: Key) -> None:
        super().__init__(servers)
        self.key = key

    def rates(self) -> Rates:
        return {job: Fraction(1) for job in sorted(self.present, key=self.key)[: self.servers]}


class LeastAttained(Station):
    """Least attained service first; jobs with equal attained service share alike."""

    def groups(self) -> list[list[Job]]:
        """The jobs by attained service, the least first."""
        levels = sorted({job.attained for job in self.present})
        return [[job for job in self.present if job.attained == level] for level in levels]

    def rates(self) -> Rates:
        rates, left = {}, self.servers
        for group in self.groups():
            given = min(len(group), left)
            left -= given
            rates.update({job: Fraction(given, len(group)) for job in group})
        return rates

    def alarms(self) -> list[Fraction]:
        rates = self.rates()
        firsts = [group[0] for group in self.groups()]
        return [
            (ahead.attained - behind.attained) / (rates[behind] - rates[ahead])
            for behind, ahead in pairwise(firsts)
            if rates[behind] > rates[ahead]
        ]


class Nonpreemptive(Station):
    """A free server takes the waiting job with the smallest key and keeps it to its end."""

    def __init__(self, servers: int, key: Key) -> None:
        super().__init__(servers)
        self.key = key
        self.running: list[Job] = []

    def rates(self) -> Rates:
        return {job: Fraction(1) for job in self.running}

    def arrive(self, job: Job) -> None:
        super().arrive(job)
        self.start()

    def settle(self) -> list[Job]:
        done = super().settle()
        self.running = [job for job in self.running if job not in done]
        self.start()
        return done

    def start(self) -> None:
        """Give the free servers to waiting jobs."""
        waiting = [job for job in self.present if job not in self.running]
        free = self.servers - len(self.running)
        self.running += sorted(waiting, key=self.key)[:free]


@dataclass
class Server:
    """A server that serves in slices."""

    job: Job | None = None
    last: Job | None = None
    switching: Fraction = Fraction(0)
    """What is left of the switch; nobody is served before it is over."""
    slice: Fraction = Fraction(0)
    """What is left of the quantum."""


class RoundRobin(Station):
    """Everybody in turn for at most a quantum, then back to the tail of the line."""

    def __init__(self, servers: int, quantum: Fraction, cost: Fraction) -> None:
        super().__init__(servers)
        self.quantum, self.cost = quantum, cost
        self.line: list[Job] = []
        self.all = [Server() for _ in range(servers)]

    def rates(self) -> Rates:
        return {at.job: Fraction(1) for at in self.all if at.job and at.switching == 0}

    def alarms(self) -> list[Fraction]:
        return [at.switching or at.slice for at in self.all if at.job]

    def advance(self, time: Fraction) -> None:
        super().advance(time)
        for at in self.all:
            if at.job and at.switching > 0:
                at.switching -= time
            elif at.job:
                at.slice -= time

    def arrive(self, job: Job) -> None:
        super().arrive(job)
        self.line.append(job)
        self.start()

    def settle(self) -> list[Job]:
        done = super().settle()
        for at in self.all:
            if at.job in done:
                at.job = None
        self.start()
        for at in self.all:
            if at.job and at.slice == 0 and self.line:
                self.line.append(at.job)
                self.begin(at)
            elif at.job and at.slice == 0:
                at.slice = self.quantum
        return done

    def start(self) -> None:
        """Give the free servers to the line."""
        for at in self.all:
            if at.job is None and self.line:
                self.begin(at)

    def begin(self, at: Server) -> None:
        """Serve the head of the line."""
        at.job = self.line.pop(0)
        switches = at.last is not None and at.last is not at.job
        at.switching = self.cost if switches else Fraction(0)
        at.slice, at.last = self.quantum, at.job


class Feedback(Station):
    """Multi-level feedback: whoever has used up the quantum of a level drops to the next one.

    The last level goes round. Who is pushed out goes back to the head of its level, and keeps what
    is left of its quantum.
    """

    def __init__(self, servers: int, quanta: list[Fraction]) -> None:
        super().__init__(servers)
        self.quanta = quanta
        self.lines: list[list[Job]] = [[] for _ in quanta]
        self.running: list[Job] = []
        self.level: dict[Job, int] = {}
        self.slice: dict[Job, Fraction] = {}

    def rates(self) -> Rates:
        return {job: Fraction(1) for job in self.running}

    def alarms(self) -> list[Fraction]:
        return [self.slice[job] for job in self.running]

    def advance(self, time: Fraction) -> None:
        super().advance(time)
        for job in self.running:
            self.slice[job] -= time

    def arrive(self, job: Job) -> None:
        super().arrive(job)
        self.join(job, self.first(job))
        self.start()
        if all(other.remaining > 0 and self.slice[other] > 0 for other in self.running):
            self.push_out()  # otherwise somebody makes room at this very instant

    def settle(self) -> list[Job]:
        done = super().settle()
        self.running = [job for job in self.running if job not in done]
        ended = [job for job in self.running if self.slice[job] == 0]
        self.running = [job for job in self.running if job not in ended]
        for job in sorted(ended, key=lambda job: job.number):
            self.join(job, self.after(self.level[job]))
        self.start()
        self.push_out()
        return done

    def first(self, job: Job) -> int:
        """The level that it comes to."""
        del job
        return 0

    def after(self, level: int) -> int:
        """The level after a whole quantum on this one."""
        return min(level + 1, len(self.quanta) - 1)

    def join(self, job: Job, level: int) -> None:
        """To the tail of a level, with a whole quantum."""
        self.level[job], self.slice[job] = level, self.quanta[level]
        self.lines[level].append(job)

    def start(self) -> None:
        """Give the free servers to the heads of the highest levels."""
        for line in self.lines:
            while line and len(self.running) < self.servers:
                self.running.append(line.pop(0))

    def push_out(self) -> None:
        """Serve who waits on a higher level than somebody who is served."""
        for level, line in enumerate(self.lines):
            while line:
                worst = max(self.running, key=lambda job: (self.level[job], job.number))
                if self.level[worst] <= level:
                    break
                self.running.remove(worst)
                self.lines[self.level[worst]].insert(0, worst)
                self.running.append(line.pop(0))


class ClassesInTurns(Feedback):
    """Classes 1 to 8, the smaller ones first; in each it goes round, with a quantum of its own."""

    def __init__(self, servers: int, quanta: list[Fraction]) -> None:
        super().__init__(servers, quanta + quanta[-1:] * (8 - len(quanta)))

    def first(self, job: Job) -> int:
        return int(job.of_kind) - 1

    def after(self, level: int) -> int:
        return level


# ---- policies as users write them


def number(text: str) -> Fraction:
    """A time such as `10ms`, in nanoseconds; a bare number is in seconds, as in a system file."""
    found = re.fullmatch(r"([\d.]+(?:e-?\d+)?)\s*([a-z]*)", text.strip())
    if not found:
        raise ValueError(f"not a time: {text}")
    return Fraction(found[1]) * UNITS[found[2] or "s"]


def keys() -> dict[str, tuple[type[Preemptive] | type[Nonpreemptive], Key]]:
    """The policies that rank the jobs, and do nothing else."""
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
    }


def station(policy: str, servers: int) -> Station:
    """An empty station with the policy that the text names."""
    text = policy.replace(" ", "")
    if text in keys():
        kind, key = keys()[text]
        return kind(servers, key)
    if text in ("ps", "las"):
        return ProcessorSharing(servers) if text == "ps" else LeastAttained(servers)
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
    coming = list(coming)
    while coming or at.present:
        coming.sort(key=lambda job: (job.arrival, job.owner))
        wait = at.wait()
        nexts = [coming[0].arrival] if coming else []
        then = min(nexts + ([] if wait is None else [now + wait]))
        at.advance(then - now)
        now = then
        due = [job for job in coming if job.arrival == now]
        coming = coming[len(due) :]
        done = [] if arrivals_first else at.settle()
        for job in due:
            watch(at, now)
            job.number, count = count, count + 1
            at.arrive(job)
        done += at.settle() if arrivals_first else []
        watch(at, now)
        gone += [(job, now) for job in done]
        coming += [job for job in (follow(job, now) for job in done) if job]
    return gone


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
            `priority(1ms, 2ms)`, `pesjf`, `peljf`, `mlfq(1ms, 2ms, 4ms)`.
        servers: How many servers there are, all with the same speed.
        jobs: (arrival, demand) or (arrival, demand, kind) in nanoseconds, in order of arrival;
            demands are more than zero. Floats are taken as the fractions that they are.
        ranks: For each kind its class, the smallest served first (`priority`), or its expected
            size (`pesjf`, `peljf`). The other policies need none.
        arrivals_first: Whether what arrives at an instant comes before what ends then.
        watch: Is shown the station and the time after every event, and before each arrival.
    """
    coming = [new_job(owner, Fraction(0), job, ranks) for owner, job in enumerate(jobs)]
    if any(job.arrival < before.arrival for before, job in pairwise(coming)):
        raise ValueError("jobs must be in order of arrival")
    at = station(policy, servers)
    gone = simulate(at, coming, watch=watch, arrivals_first=arrivals_first)
    return [now for _, now in sorted(gone, key=lambda one: one[0].owner)]
