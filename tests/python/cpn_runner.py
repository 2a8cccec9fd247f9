"""Runs nets of `thinktime.machine.cpn` by cpncheck, a tool that others wrote, and reads them out.

cpncheck (MIT licence) reads the `.cpn` file itself: hierarchy, fusion sets, CPN ML, time and
transition priorities. Its authors compare it with CPN Tools.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

from cpncheck.coloured import ColouredNet
from cpncheck.net import CPNNet

from thinktime.machine import cpn
from thinktime.machine.cpn import Task

STEPS_MAX = 20_000
ANY_ORDER = {"Arrives", "Slept", "Turn Is Over", "Was Preempted", "Keep Count"}
"""They only note due events, in an order of their own: only these may be enabled together."""


@dataclass(frozen=True)
class Outcome:
    """The history of a task. Times are microseconds.

    Args:
        task: Its number, from 1, in the scenario's order.
        first_core: The core that it got when it was new.
        moves: (time, giver, taker) of each time that dynamic balancing moved it.
        completions: The ends of its bursts.
    """

    task: int
    first_core: int
    moves: tuple[tuple[int, int, int], ...]
    completions: tuple[int, ...]


class Run:
    """A net that has run to its end.

    Args:
        text: The `.cpn` file.
        seed: Of the choice between transitions that are enabled together.
    """

    def __init__(self, text: str, seed: int = 0) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "net.cpn"
            file.write_text(text, encoding="ascii", errors="xmlcharrefreplace")
            # cpncheck reads the file for the pages, and again for the declarations.
            with patch.object(ElementTree, "parse", cache(ElementTree.parse)):
                self.net = ColouredNet(CPNNet(file))
        assert self.net.declarations.problems == []
        self.fired: list[tuple[int, str]] = []
        self.marking = self._run(random.Random(seed))

    def _run(self, choose: random.Random) -> Any:
        marking = self.net.initial_marking()
        for _ in range(STEPS_MAX):
            enabled = self.net.enabled(marking)
            names = [self.net.transitions[one[0]]["name"] for one in enabled]
            if not enabled:
                return marking
            assert len(enabled) == 1 or set(names) <= ANY_ORDER, names
            chosen = choose.randrange(len(enabled))
            number, _, binding = enabled[chosen]
            marking = self.net.fire(marking, number, binding)
            self.fired.append((self.net.clock_of(marking), names[chosen]))
        raise AssertionError(f"not at an end after {STEPS_MAX} steps: {self.fired[-20:]}")

    def tokens(self, place: str) -> list[Any]:
        """The values on a place at the end."""
        index = next(n for n, one in enumerate(self.net.places) if one["name"] == place)
        return self.net.values_of(index, self.marking[index])

    def only(self, place: str) -> Any:
        """The only value on a place at the end."""
        (value,) = self.tokens(place)
        return value


def run_net(features: str, cores: int, tasks: list[Task], seed: int = 0) -> list[Outcome]:
    """Run the net of a scheduler and a scenario to its end.

    Args:
        features: As JSON, from `scheduler_features`.
        cores: The number of cores.
        tasks: The scenario.
        seed: Of the order of transitions that are enabled together; it must not matter.
    """
    return outcomes_of(cpn.export(features, cores, tasks), len(tasks), seed)


def outcomes_of(text: str, tasks: int, seed: int = 0) -> list[Outcome]:
    """Run the net of a `.cpn` file to its end; `tasks` is the number of tasks."""
    run = Run(text, seed)
    assert run.only("Ended") == tasks, "tasks are left over"
    assert run.only("Agenda") == ()
    for place in ("Request", "Waiting", "New", "WakeUp", "Response"):
        assert run.tokens(place) == [], place
    first_cores = dict(run.only("First Cores"))
    moves = run.only("Moves")
    return [
        Outcome(
            number,
            first_cores[number],
            tuple((time, giver, taker) for who, time, giver, taker in moves if who == number),
            tuple(time for who, time in run.only("Finished") if who == number),
        )
        for number in range(1, tasks + 1)
    ]
