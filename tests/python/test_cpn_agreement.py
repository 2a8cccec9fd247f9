"""The simulator and the Petri nets, two implementations of one page of rules, agree task by task.

The nets are run by cpncheck. Compared are, for each task, its first core, each move by dynamic
balancing with its time, and when each burst was done, all to the microsecond.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from cpn_runner import Outcome, run_net
from machine_scenarios import Case, cases, tied_cases
from volume import oracle

import thinktime as tt

# A script begins the tasks at their times, each in a client of its own.
SCRIPT = """\
local begins = {{ {begins} }}
return function(client)
    local tasks = {{}}
    for number, at in begins do
        tasks[number] = function(child)
            child:think(at)
            child:get("/task" .. number, {{ name = "task" .. number }})
        end
    end
    client:parallel(tasks, {count})
    client:think(1000)
end
"""


def run_simulator(case: Case, folder: Path) -> list[Outcome]:
    """Run a case in the simulator; a service for each task gives it its priority."""
    numbers = range(1, len(case.tasks) + 1)
    begins = ", ".join(f"{task.arrival / 1e6:.6f}" for task in case.tasks)
    script = SCRIPT.format(begins=begins, count=len(case.tasks))
    (folder / "tasks.luau").write_text(script, encoding="utf-8")
    (folder / "features.toml").write_text(_toml(json.loads(case.features)), encoding="utf-8")
    requests = "".join(f'[[request]]\nname = "task{number}"\n' for number in numbers)
    workload = (
        'name = "tasks"\n[arrivals]\nmodel = "closed"\nclients = 1\n'
        f'[session]\nscript = "tasks.luau"\n{requests}'
    )
    system = (
        'name = "one machine"\n[[machine]]\nname = "machine"\n'
        f'cores = {case.cores}\nos = "features.toml"\n'
    )
    for number, task in zip(numbers, case.tasks, strict=True):
        steps = [f'{{ use = "service{number}", demand = "{task.bursts[0]}us" }}']
        for sleep, burst in zip(task.sleeps, task.bursts[1:], strict=True):
            steps.append(f'{{ delay = "{sleep}us" }}')
            steps.append(f'{{ use = "service{number}", demand = "{burst}us" }}')
        system += (
            f'[[service]]\nname = "service{number}"\nmachine = "machine"\n'
            f"priority = {json.dumps(task.priority)}\n"
            f'[[behaviour]]\nrequest = "task{number}"\nsteps = [{", ".join(steps)}]\n'
        )
    result = tt.simulate(
        tt.Workload(workload, str(folder / "workload.toml")),
        tt.System(system, str(folder / "system.toml")),
        duration="10s",
        warmup=0,
    )
    return outcomes(result.schedule, case)


def outcomes(events: list[dict], case: Case) -> list[Outcome]:
    """Read the schedule as the nets are read."""
    found = []
    for number, task in enumerate(case.tasks, 1):
        mine = [one for one in events if one["name"] == f"task{number}" and "ts" in one]
        times = [(one, round(one["ts"])) for one in mine]
        (placed,) = [one["tid"] for one in mine if one.get("cat") == "placed"]
        moves = [
            (at, one["args"]["from"], one["tid"]) for one, at in times if one.get("cat") == "moved"
        ]
        spans = sorted((at, at + round(one["dur"])) for one, at in times if one["ph"] == "X")
        found.append(Outcome(number, placed, tuple(moves), _completions(spans, task.bursts)))
    return found


def _completions(spans: list[tuple[int, int]], bursts: tuple[int, ...]) -> tuple[int, ...]:
    """The end of each burst: the end of the turn that completes its demand."""
    done, due, had = [], iter(bursts), 0
    want = next(due)
    for begin, end in spans:
        had += end - begin
        if had == want:
            done.append(end)
            want += next(due, 0)
    return tuple(done)


def _toml(value: object) -> str:
    """An inline table; features have no dates and no nulls."""
    lines = [f"{key} = {_inline(one)}" for key, one in dict(value).items() if one is not None]
    return "\n".join(lines) + "\n"


def _inline(value: object) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{k} = {_inline(v)}" for k, v in value.items() if v is not None)
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value)


@oracle
@pytest.mark.fuzz
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_they_agree(case: Case, tmp_path: Path) -> None:
    net = run_net(case.features, case.cores, case.tasks)
    assert run_simulator(case, tmp_path) == net


TIED = tied_cases()


@cache
def tied_net(number: int) -> list[Outcome]:
    """The outcome of the net of a tied case, for the tests that look at it."""
    case = TIED[number]
    return run_net(case.features, case.cores, case.tasks)


@oracle
@pytest.mark.fuzz
@pytest.mark.parametrize("number", range(len(TIED)), ids=lambda number: TIED[number].name)
def test_they_agree_where_much_happens_at_once(number: int, tmp_path: Path) -> None:
    assert run_simulator(TIED[number], tmp_path) == tied_net(number)


@pytest.mark.fuzz
@pytest.mark.parametrize("number", range(0, len(TIED), 3), ids=lambda number: TIED[number].name)
def test_the_order_of_notes_does_not_matter(number: int) -> None:
    """Only of what happens at once are there several orders."""
    case = TIED[number]
    assert run_net(case.features, case.cores, case.tasks, seed=1) == tied_net(number)
