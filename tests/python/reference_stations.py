"""Jobs, and the stations of the slow second simulator: each serves by its policy.

`reference` advances the time over them, and has the rules for simultaneous events.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise


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


ONE = Fraction(1)
"""The speed of one server."""

Rates = dict[Job, Fraction]
Key = Callable[[Job], tuple[Fraction | int, ...]]


class Station(ABC):
    """Servers, and the jobs that are present."""

    def __init__(self, servers: int) -> None:
        self.servers = servers
        self.present: list[Job] = []

    @abstractmethod
    def rates(self) -> Rates:
        """The speed of each job's service now; a job without service may be left out."""

    def alarms(self) -> list[Fraction]:
        """The time until an event other than a completion changes the rates."""
        return []

    def wait(self) -> Fraction | None:
        """The time for which the rates stay the same, unless a job arrives."""
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
        left = [(job, job.remaining) for job in self.present]
        self.present = [job for job, remaining in left if remaining > 0]
        return [job for job, remaining in left if remaining == 0]


class ProcessorSharing(Station):
    """All at once, at equal shares of the servers, no job faster than one server."""

    def rates(self) -> Rates:
        share = min(ONE, Fraction(self.servers, max(len(self.present), 1)))
        return dict.fromkeys(self.present, share)


class WeightedSharing(ProcessorSharing):
    """All at once at one server, each at a share in proportion to the weight of its kind."""

    def rates(self) -> Rates:
        total = sum((job.of_kind for job in self.present), Fraction(0))
        return {job: job.of_kind / total for job in self.present}


class Preemptive(Station):
    """Always the jobs with the smallest keys, one on each server."""

    def __init__(self, servers: int, key: Key) -> None:
        super().__init__(servers)
        self.key = key

    def rates(self) -> Rates:
        return dict.fromkeys(sorted(self.present, key=self.key)[: self.servers], ONE)


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
        return dict.fromkeys(self.running, ONE)

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
    """The rest of the switch; no job is served before it is over."""
    slice: Fraction = Fraction(0)
    """The rest of the quantum."""


class RoundRobin(Station):
    """Every job in turn for at most a quantum, then back to the tail of the line."""

    def __init__(self, servers: int, quantum: Fraction, cost: Fraction) -> None:
        super().__init__(servers)
        self.quantum, self.cost = quantum, cost
        self.line: list[Job] = []
        self.all = [Server() for _ in range(servers)]

    def rates(self) -> Rates:
        return {at.job: ONE for at in self.all if at.job and at.switching == 0}

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
    """Multi-level feedback: a job that has used up the quantum of a level drops to the next one.

    The last level is a round robin. A preempted job returns to the head of its level, and keeps the
    rest of its quantum.
    """

    def __init__(self, servers: int, quanta: list[Fraction]) -> None:
        super().__init__(servers)
        self.quanta = quanta
        self.lines: list[list[Job]] = [[] for _ in quanta]
        self.running: list[Job] = []
        self.level: dict[Job, int] = {}
        self.slice: dict[Job, Fraction] = {}

    def rates(self) -> Rates:
        return dict.fromkeys(self.running, ONE)

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
            self.push_out()  # otherwise another job makes room at this very instant

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
        """Serve a job that waits on a higher level than one in service."""
        for level, line in enumerate(self.lines):
            while line:
                worst = max(self.running, key=lambda job: (self.level[job], job.number))
                if self.level[worst] <= level:
                    break
                self.running.remove(worst)
                self.lines[self.level[worst]].insert(0, worst)
                self.running.append(line.pop(0))


class ClassesInTurns(Feedback):
    """Classes 1 to 8, the smaller ones first; each is a round robin, with a quantum of its own."""

    def __init__(self, servers: int, quanta: list[Fraction]) -> None:
        super().__init__(servers, quanta + quanta[-1:] * (8 - len(quanta)))

    def first(self, job: Job) -> int:
        return int(job.of_kind) - 1

    def after(self, level: int) -> int:
        return level


class AtSpeed(Station):
    """A station whose total speed depends on the number of jobs that are present."""

    def __init__(self, inner: Station, speeds: list[Fraction]) -> None:
        self.inner, self.speeds = inner, speeds
        super().__init__(inner.servers)

    @property
    def factor(self) -> Fraction:
        """The speed of each busy server; the last total is that with more jobs."""
        number = max(len(self.inner.present), 1)
        return self.speeds[min(number, len(self.speeds)) - 1] / min(number, self.servers)

    @property
    def present(self) -> list[Job]:
        return self.inner.present

    @present.setter
    def present(self, jobs: list[Job]) -> None:
        self.inner.present = jobs

    def rates(self) -> Rates:
        return {job: rate * self.factor for job, rate in self.inner.rates().items()}

    def alarms(self) -> list[Fraction]:
        return [wait / self.factor for wait in self.inner.alarms()]

    def advance(self, time: Fraction) -> None:
        self.inner.advance(time * self.factor)

    def arrive(self, job: Job) -> None:
        self.inner.arrive(job)

    def settle(self) -> list[Job]:
        return self.inner.settle()
