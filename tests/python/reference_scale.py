"""A station whose servers an autoscaler adds and takes away, one event after another, in exact
numbers: a second implementation of `scale = { on = "load" }` under first come, first served."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

DONE, READY, LOOK, ARRIVAL = range(4)
"""What happens, in the order of one instant."""


@dataclass(frozen=True)
class Rule:
    """The keys of the table; times in nanoseconds."""

    least: int
    most: int
    target: Fraction
    tolerance: Fraction
    every: int
    wait: int
    delay: int


@dataclass
class Autoscaled:
    """The station in motion."""

    rule: Rule
    now: int = 0
    idle: int = 0
    busy: int = 0
    leaving: int = 0
    """How many of the busy ones go when they are done."""
    starting: list[int] = field(default_factory=list)
    """The numbers of the servers that start, in the order of their wish."""
    wished: int = 0
    line: deque[int] = field(default_factory=deque)
    worked: int = 0
    """The time of busy servers that stay, since the last look."""
    there: int = 0
    """The time of all servers."""
    advice: list[tuple[int, int]] = field(default_factory=list)
    """When the rule wanted which number."""
    changes: list[tuple[int, int]] = field(default_factory=list)
    """When how many servers took requests."""
    events: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def taking(self) -> int:
        return self.idle + self.busy - self.leaving

    def play(self, jobs: Sequence[tuple[int, int]]) -> list[int]:
        """When each of these (arrival, demand) leaves."""
        self.idle = self.rule.least
        self.advice = [(0, self.rule.least)]
        left = [0] * len(jobs)
        self.events = [(at, ARRIVAL, job) for job, (at, _) in enumerate(jobs)]
        self.events.append((self.rule.every, LOOK, 0))
        heapq.heapify(self.events)
        to_come = len(jobs)
        while self.busy or self.line or to_come:
            at, what, item = heapq.heappop(self.events)
            self.pass_to(at)
            if what == DONE:
                left[item] = at
                self.end()
            elif what == READY:
                if item in self.starting:
                    self.starting.remove(item)
                    self.idle += 1
            elif what == LOOK:
                self.look()
            else:
                self.line.append(item)
                to_come -= 1
            while self.idle and self.line:
                job = self.line.popleft()
                self.idle, self.busy = self.idle - 1, self.busy + 1
                heapq.heappush(self.events, (at + jobs[job][1], DONE, job))
            if not self.changes or self.changes[-1][1] != self.taking:
                self.changes.append((at, self.taking))
        return left

    def pass_to(self, at: int) -> None:
        self.worked += (self.busy - self.leaving) * (at - self.now)
        self.there += (self.busy + self.idle) * (at - self.now)
        self.now = at

    def end(self) -> None:
        self.busy -= 1
        if self.leaving:
            self.leaving -= 1
        else:
            self.idle += 1

    def look(self) -> None:
        rule, present = self.rule, self.taking + len(self.starting)
        busy = Fraction(self.worked, rule.every)
        self.worked = 0
        self.advice.append((self.now, min(max(self.wanted(busy, present), rule.least), rule.most)))
        self.advice = [one for one in self.advice if one[0] >= self.now - rule.wait]
        number = max(wanted for _, wanted in self.advice)
        for _ in range(number - present):
            self.wished += 1
            self.starting.append(self.wished)
            heapq.heappush(self.events, (self.now + rule.delay, READY, self.wished))
        for _ in range(present - number):
            if self.starting:
                self.starting.pop()
            elif self.idle:
                self.idle -= 1
            else:
                self.leaving += 1
        heapq.heappush(self.events, (self.now + rule.every, LOOK, 0))

    def wanted(self, busy: Fraction, present: int) -> int:
        """As `replica_calculator.go` of Kubernetes has it."""
        rule = self.rule
        ratio = busy / self.taking / rule.target
        if ratio > 1 and self.starting:
            ratio = busy / present / rule.target
            if ratio < 1 or ratio - 1 <= rule.tolerance:
                return present
            return math.ceil(ratio * present)
        if abs(ratio - 1) <= rule.tolerance:
            return present
        return math.ceil(ratio * self.taking)
