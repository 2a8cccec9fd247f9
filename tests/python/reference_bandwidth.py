"""A second implementation of the CPU limits of control groups, on cores that serve in order.

After `kernel/sched/fair.c` of Linux 6.6: its functions' names stand beside. Each core has a queue,
first come, first served, without slices; a task stays with its core. Times are whole nanoseconds.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

MS = 1_000_000
NEVER = 1 << 62

Step = tuple[str, int]
"""`use` or `sleep`, and its duration."""


@dataclass(eq=False)
class Task:
    """A thread, which serves one request."""

    serial: int
    request: int
    core: int
    group: Group | None
    steps: list[Step]
    left: int = 0
    since: int = 0
    """When it became ready."""


class Group:
    """cfs_bandwidth, and its cfs_rq of each core."""

    def __init__(self, quota: int, period: int, burst: int, cores: int) -> None:
        self.quota, self.period, self.burst = quota, period, burst
        self.pool = quota
        self.runtime = [0] * cores
        self.throttled: list[int] = []
        self.parked: dict[int, list[Task]] = {core: [] for core in range(cores)}
        self.first = NEVER
        self.period_at = self.slack_at = NEVER
        self.idle = False

    def draw(self, core: int, target: int, now: int) -> bool:
        """__assign_cfs_rq_runtime, start_cfs_bandwidth"""
        if self.period_at == NEVER:
            self.first = min(self.first, now)
            self.period_at = self.first
            while self.period_at <= now:
                self.period_at += self.period
        if self.pool > 0:
            amount = min(self.pool, target - self.runtime[core])
            self.pool -= amount
            self.runtime[core] += amount
            self.idle = False
        return self.runtime[core] > 0

    def throttle(self, core: int, now: int) -> bool:
        """throttle_cfs_rq"""
        if self.draw(core, 1, now):
            return False
        self.throttled.append(core)
        return True

    def give_back(self, core: int, now: int) -> None:
        """__return_cfs_rq_runtime, start_cfs_slack_bandwidth"""
        spare = self.runtime[core] - MS
        if spare <= 0:
            return
        self.runtime[core] = MS
        self.pool += spare
        if self.pool > 5 * MS and self.throttled and self.period_at - now >= 7 * MS:
            self.slack_at = min(self.slack_at, now + 5 * MS)

    def due(self, now: int) -> list[int]:
        """do_sched_cfs_period_timer, do_sched_cfs_slack_timer: the cores that continue."""
        freed = []
        if self.period_at == now:
            self.pool = min(self.pool + self.quota, self.quota + self.burst)
            if self.throttled:
                self.idle = False
                self.period_at += self.period
                freed += self.distribute()
            elif self.idle:
                self.period_at = NEVER
            else:
                self.idle = True
                self.period_at += self.period
        if self.slack_at == now:
            self.slack_at = NEVER
            if self.pool > 5 * MS and self.period_at - now >= 2 * MS:
                freed += self.distribute()
        return freed

    def distribute(self) -> list[int]:
        """distribute_cfs_runtime"""
        freed = []
        for core in list(self.throttled):
            amount = min(self.pool, 1 - self.runtime[core])
            self.pool -= amount
            self.runtime[core] += amount
            if self.runtime[core] > 0:
                self.throttled.remove(core)
                freed.append(core)
        return freed


@dataclass
class Core:
    """A core with its queue."""

    current: Task | None = None
    queue: list[Task] = field(default_factory=list)

    def has(self, group: Group | None) -> bool:
        """Whether a task of the group is ready or running here."""
        tasks = [*self.queue, self.current] if self.current else self.queue
        return any(task.group is group for task in tasks)


class Machine:
    """Cores, and the groups of the services on them."""

    def __init__(self, cores: int, limits: Sequence[tuple[int, int, int] | None]) -> None:
        """`limits` has quota, period and burst of each service, or None."""
        self.cores = [Core() for _ in range(cores)]
        self.groups = [Group(*limit, cores) if limit else None for limit in limits]
        self.now = 0
        self.done: dict[int, int] = {}
        self.order = itertools.count()
        self.wakes: list[tuple[int, int, Task]] = []

    def enqueue(self, task: Task) -> None:
        """enqueue_task_fair, check_enqueue_throttle"""
        task.left, task.since = task.steps.pop(0)[1], self.now
        core, group = self.cores[task.core], task.group
        if group is not None:
            at = task.core
            if at not in group.throttled and not core.has(group) and group.runtime[at] <= 0:
                group.draw(at, 5 * MS, self.now)
                if group.runtime[at] <= 0:
                    group.throttle(at, self.now)
            if at in group.throttled:
                group.parked[at].append(task)
                return
        core.queue.append(task)
        if core.current is None:
            core.current = core.queue.pop(0)

    def leave(self, number: int, task: Task) -> None:
        """put_prev_entity, check_cfs_rq_runtime, pick_next_task_fair"""
        core, group = self.cores[number], task.group
        core.current = None
        if group is not None:
            if task not in core.queue and not core.has(group):
                group.give_back(number, self.now)
            if group.runtime[number] <= 0 and group.throttle(number, self.now):
                mine = [other for other in core.queue if other.group is group]
                core.queue = [other for other in core.queue if other.group is not group]
                group.parked[number] += sorted(mine, key=lambda one: (one.since, one.serial))
        if core.queue:
            core.current = core.queue.pop(0)

    def attend(self, number: int, task: Task) -> None:
        """update_curr, and what follows: a burst is done, or runtime is used up."""
        group = task.group
        if group is not None and group.runtime[number] <= 0:
            group.draw(number, 5 * MS, self.now)
        if task.left > 0:
            if group is not None and group.runtime[number] <= 0:
                task.since = self.now
                self.cores[number].queue.insert(0, task)
                self.leave(number, task)
            return
        if task.steps:
            _, span = task.steps.pop(0)
            heapq.heappush(self.wakes, (self.now + span, next(self.order), task))
        else:
            self.done[task.request] = self.now
        self.leave(number, task)

    def go_on(self) -> bool:
        """unthrottle_cfs_rq: the timers that are due."""
        groups = [group for group in self.groups if group is not None]
        due = [group for group in groups if self.now in (group.period_at, group.slack_at)]
        freed = [(group, core) for group in due for core in group.due(self.now)]
        for group, at in freed:
            core = self.cores[at]
            core.queue += group.parked[at]
            group.parked[at] = []
            if core.current is None and core.queue:
                core.current = core.queue.pop(0)
        return bool(due)

    def core_event(self) -> tuple[int, int]:
        """The next time at which a core needs attention, and the core, the lowest one first."""
        found = (NEVER, -1)
        for number, core in enumerate(self.cores):
            task = core.current
            if task is not None:
                left = task.left
                if task.group is not None:
                    left = min(left, max(0, task.group.runtime[number]))
                found = min(found, (self.now + left, number))
        return found

    def pass_to(self, then: int) -> None:
        """Tasks run up to a time."""
        for number, core in enumerate(self.cores):
            if core.current is not None:
                core.current.left -= then - self.now
                if core.current.group is not None:
                    core.current.group.runtime[number] -= then - self.now
        self.now = then

    def run(self, requests: Sequence[tuple[int, int, Sequence[Step]]]) -> list[int]:
        """The times at which requests, of these arrivals, services and steps, are done."""
        arrivals = list(enumerate(requests))
        while len(self.done) < len(requests):
            timers = [t for g in self.groups if g for t in (g.period_at, g.slack_at)]
            at_core, number = self.core_event()
            wake = self.wakes[0][0] if self.wakes else NEVER
            arrival = arrivals[0][1][0] if arrivals else NEVER
            self.pass_to(min(*timers, at_core, wake, arrival, NEVER))
            if self.go_on():
                continue
            if at_core == self.now:
                task = self.cores[number].current
                assert task is not None
                self.attend(number, task)
            elif wake == self.now:
                self.enqueue(heapq.heappop(self.wakes)[2])
            else:
                request, (_, service, steps) = arrivals.pop(0)
                core = request % len(self.cores)
                self.enqueue(Task(request, request, core, self.groups[service], list(steps)))
        return [self.done[number] for number in range(len(requests))]
