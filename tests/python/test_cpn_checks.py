"""Nets of schedulers against textbook queues, and checks of the checks: wrong nets are noticed."""

from __future__ import annotations

import heapq
import random
import re
from pathlib import Path

import pytest
from cpn_runner import Outcome, outcomes_of, run_net
from machine_scenarios import (
    DYNAMIC,
    EXPIRED,
    ON_FORK,
    ON_IDLE,
    ONE_QUEUE,
    SAME,
    THRESHOLD,
    features,
    random_tasks,
    task,
    with_load_index,
)
from typer.testing import CliRunner

from thinktime.cli import app
from thinktime.machine import cpn
from thinktime.machine.cpn import Task

PAGE = Path(__file__).resolve().parents[2] / "docs" / "petri-nets.md"
NO_SLICES = 'time_sharing.slice.length = "100s"\n'


def without_sleeps(seed: int, priority: int | None = None) -> list[Task]:
    """Tasks of one burst each, in the order of their arrivals."""
    tasks = [
        Task(one.arrival, one.bursts[:1], (), one.priority if priority is None else priority)
        for one in random_tasks(random.Random(seed))
    ]
    return sorted(tasks, key=lambda one: one.arrival)


# ---- textbook queues


@pytest.mark.parametrize("seed", range(3))
def test_one_core_works_while_there_is_work(seed: int) -> None:
    # Lindley (1952): whatever the order of service, the core is free of work when it would be
    # under first come, first served.
    tasks = without_sleeps(seed)
    free = 0
    for one in tasks:
        free = max(free, one.arrival) + one.bursts[0]
    last = max(one.completions[-1] for one in run_net(features(EXPIRED), 1, tasks))
    assert last == free


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cores", [2, 3])
def test_one_queue_without_slices_is_first_come_first_served(seed: int, cores: int) -> None:
    # Kiefer and Wolfowitz (1955): the first task goes to the core that is free first.
    tasks = without_sleeps(seed, priority=2)
    free = [0] * cores
    expected = []
    for one in tasks:
        done = max(heapq.heappop(free), one.arrival) + one.bursts[0]
        expected.append((done,))
        heapq.heappush(free, done)
    outcomes = run_net(features(ONE_QUEUE, NO_SLICES), cores, tasks)
    assert [one.completions for one in outcomes] == expected


# ---- wrong nets

AGEING = with_load_index('kind = "ageing-queue-length", weight = 0.5, tick = "4ms"')
PULL = (DYNAMIC, THRESHOLD, ON_IDLE)
MUTANTS = {
    "preempted to the tail": (
        "insertFirst ((i, c, p, s",
        "insertLast ((i, c, p, s",
        features(),
        1,
        [task(0, 20, priority=3), task(4, 3, priority=1), task(2, 5, priority=3)],
    ),
    "preemption is free": (
        "(i, c, p, s - (now () - t))",
        "(i, c, p, s)",
        features(),
        1,
        [task(0, 20, priority=3), task(4, 3, priority=1), task(2, 5, priority=3)],
    ),
    "the running task is no load": (
        "else 128 * (length runQueue + 1)",
        "else 128 * length runQueue",
        features(*PULL),
        2,
        [task(0, 10), task(1, 5), task(2, 4)],
    ),
    "expired tasks stay": (
        "= length (candidates (expired, warm)) &gt; 0;",
        "= false;",
        features(*PULL, EXPIRED),
        2,
        [task(0, 40), task(1, 14), task(2, 40), task(3, 1, priority=1), task(4, 40)],
    ),
    "ticks last": (
        "val P_TICK = 20;",
        "val P_TICK = 500;",
        features(AGEING, THRESHOLD, ON_FORK, SAME),
        2,
        [task(1, 50), task(2, 50), task(4, 50), task(5, 50)],
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_rule_is_noticed(name: str) -> None:
    right, wrong, scheduler, cores, tasks = MUTANTS[name]
    text = cpn.export(scheduler, cores, tasks)
    assert right in text
    sound: list[Outcome] = outcomes_of(text, len(tasks))
    assert outcomes_of(text.replace(right, wrong), len(tasks)) != sound


def test_two_transitions_at_once_are_noticed() -> None:
    text = cpn.export(features(), 1, [task(0, 25), task(1, 15)])
    both = text.replace("[d &lt;= s]", "[d &lt;= s orelse d &gt; s]")
    assert both != text
    with pytest.raises(AssertionError, match="Burst Done"):
        outcomes_of(both, 2)


# ---- the page


def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    shell, scenario = (re.search(rf"```{kind}\n(.*?)```", page, re.S) for kind in ("sh", "toml"))
    assert shell is not None
    assert scenario is not None
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(scenario[1], encoding="utf-8")
    words = shell[1].replace("\\\n", " ").replace("linux.cpn", str(tmp_path / "x.cpn")).split()
    result = CliRunner().invoke(app, [*words[1:], "--scenario", str(tasks)])
    assert (result.exit_code, result.output) == (0, "")
    assert [one.task for one in outcomes_of((tmp_path / "x.cpn").read_text(), 2)] == [1, 2]
