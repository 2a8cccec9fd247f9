"""A second implementation of EEVDF on one core: plain, tick by tick, in whole nanoseconds.

After `kernel/sched/fair.c` of Linux 6.18: its functions' names stand beside. All tasks weigh the
same, so that virtual time is time.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

Step = tuple[str, int]
"""`use` or `sleep`, and its duration."""


@dataclass(eq=False)
class Task:
    """A thread."""

    v: int = 0
    deadline: int = 0
    lag: int = 0
    left: int = 0
    steps: deque[Step] = field(default_factory=deque)
    request: int = -1
    delayed: bool = False
    """It sleeps in the queue until it is eligible."""
    is_new: bool = True


class Core:
    """A core with its queue."""

    def __init__(self, slice_ns: int, tick_ns: int | None, pool: int | None) -> None:
        self.slice, self.tick, self.pool = slice_ns, tick_ns, pool
        self.lag_limit = max(2 * slice_ns, tick_ns or 0)
        self.queue: list[Task] = []
        self.current: Task | None = None
        self.protected = 0
        self.last_v = 0
        self.now = 0
        self.idle: list[Task] = []
        self.threads = 0
        self.waiting: deque[tuple[int, deque[Step]]] = deque()
        self.done: dict[int, int] = {}
        self.events: list[tuple[int, int, object]] = []
        self.order = itertools.count()

    # Virtual time.

    def average(self) -> int:
        """avg_vruntime"""
        return sum(t.v for t in self.queue) // len(self.queue) if self.queue else self.last_v

    def eligible(self, task: Task) -> bool:
        """entity_eligible"""
        return task.v * len(self.queue) <= sum(t.v for t in self.queue)

    def remove(self, task: Task) -> None:
        self.last_v = self.average()
        self.queue.remove(task)

    def place(self, task: Task) -> None:
        """place_entity"""
        others, lag = len(self.queue), task.lag
        lag = 0 if others == 0 else abs(lag) * (others + 1) // others * (1 if lag > 0 else -1)
        task.v = self.average() - lag
        task.deadline = task.v + (self.slice // 2 if task.is_new else self.slice)
        task.is_new = False
        self.queue.append(task)

    # Choosing.

    def update(self) -> bool:
        """update_curr: whether the turn is over, and another task is there."""
        task = self.current
        if task is None:
            return False
        if task.v >= task.deadline:
            task.deadline = task.v + self.slice
        return len(self.queue) > 1 and task.v >= self.protected

    def best(self) -> Task:
        """__pick_eevdf"""
        if len(self.queue) == 1:
            return self.queue[0]
        current = self.current
        if current is not None and not self.eligible(current):
            current = None
        if current is not None and current.v < self.protected:
            return current
        tree = [t for t in self.queue if t is not self.current]
        tree.sort(key=lambda t: t.deadline)
        found = next((t for t in tree if self.eligible(t)), None)
        if found is None or (current is not None and current.deadline < found.deadline):
            found = current or found
        return found or tree[0]

    def schedule(self) -> None:
        """pick_next_task_fair"""
        while self.queue:
            task = self.best()
            if not task.delayed:
                if task is not self.current:
                    # set_protect_slice
                    self.protected = task.deadline
                    if self.current is not None:
                        self.goes_last(self.current)
                self.current = task
                return
            self.remove(task)
            task.delayed, task.lag = False, 0
        self.current = None

    def goes_last(self, task: Task) -> None:
        """put_prev_entity: of equal deadlines the last to come back goes last."""
        self.queue.remove(task)
        self.queue.append(task)

    # The simulation.

    def wake(self, task: Task) -> None:
        """try_to_wake_up, enqueue_task_fair, check_preempt_wakeup_fair"""
        over = self.update()
        if task.delayed:
            task.delayed = False
            if self.average() > task.v:
                self.remove(task)
                task.lag = 0
                self.place(task)
        else:
            self.place(task)
        if self.current is None or over or self.best() is task:
            self.schedule()

    def arrive(self, request: int, steps: deque[Step]) -> None:
        """A request wants a thread."""
        if self.pool is None or (not self.idle and self.threads < self.pool):
            task = Task()
            self.threads += 1
        elif self.idle:
            task = self.idle.pop()
        else:
            self.waiting.append((request, steps))
            return
        self.take_on(task, request, steps)
        self.wake(task)

    def take_on(self, task: Task, request: int, steps: deque[Step]) -> None:
        task.request, task.steps = request, steps
        task.left = steps.popleft()[1]

    def burst_ends(self, task: Task) -> None:
        """dequeue_entity"""
        ends = False
        if task.steps:
            _, span = task.steps.popleft()
            heapq.heappush(self.events, (self.now + span, next(self.order), task))
            task.left = task.steps.popleft()[1]
        else:
            self.done[task.request] = self.now
            if self.waiting:
                self.take_on(task, *self.waiting.popleft())
                # The kernel would not act here; the model treats the end of a burst as an action.
                if self.update():
                    self.schedule()
                return
            ends = self.pool is None
            if not ends:
                self.idle.append(task)
        self.update()
        if not ends and not self.eligible(task):
            task.delayed = True
            self.goes_last(task)
        else:
            lag = self.average() - task.v
            task.lag = max(-self.lag_limit, min(self.lag_limit, lag))
            self.remove(task)
        self.current = None
        self.schedule()

    def next_look(self) -> float:
        """The next tick; without a clock, the end of the turn."""
        if self.current is None:
            return float("inf")
        if self.tick is not None:
            return (self.now // self.tick + 1) * self.tick
        alone = len(self.queue) == 1
        return float("inf") if alone else self.now + self.current.deadline - self.current.v

    def run(self, requests: Sequence[tuple[int, Sequence[Step]]]) -> list[int]:
        """The times at which requests, of these arrival times and steps, are done."""
        for number, (at, steps) in enumerate(requests):
            heapq.heappush(self.events, (at, next(self.order), (number, deque(steps))))
        while len(self.done) < len(requests):
            burst = self.now + self.current.left if self.current else float("inf")
            event = self.events[0][0] if self.events else float("inf")
            look = self.next_look()
            then = int(min(burst, event, look))
            if self.current is not None:
                self.current.v += then - self.now
                self.current.left -= then - self.now
            self.now = then
            if then == burst:
                assert self.current is not None
                self.burst_ends(self.current)
            elif then == look:
                if self.update():
                    self.schedule()
            else:
                what = heapq.heappop(self.events)[2]
                if isinstance(what, Task):
                    self.wake(what)
                else:
                    self.arrive(*what)  # type: ignore[misc]
        return [self.done[number] for number in range(len(requests))]
