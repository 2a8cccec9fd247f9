"""The machines of a result: their cores, waiting tasks, moves and preemptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result, System
    from thinktime._core_types import MachineFigures

HEADINGS = (
    "cores",
    "load of each core",
    "tasks of each core",
    "waiting, mean",
    "waiting, most",
    "moves",
    "preemptions",
    "context switches",
)
"""The columns after the one that names machine and operating system."""

_CAPTION = "The load of each core, and the work of the operating system's scheduler."
WORDS: dict[str, str] = {
    "task": "A thread that works for a request. A core has one of them at a time, and the "
    "scheduler says which and for how long.",
    "waiting": "Tasks that could run and have no core, over all cores of a machine.",
    "moves": "How often a second a task was put from one core's queue into another's.",
    "preemptions": "How often a second a task lost its core before its work was done.",
    "context switches": "How often a second a core turned to another task.",
}
"""The meanings of the table's words."""


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' machines."""
    return Table("machines", "Machines", "machine", HEADINGS, groups, _CAPTION)


def lines_of(result: Result) -> list[Line]:
    """The row of each machine under `HEADINGS`, in the system's order; empty without machines."""
    return [_line(name, one, _rates(one, result)) for name, one in _machines(result)]


def _line(name: str, machine: MachineFigures, rates: Sequence[float]) -> Line:
    texts = [
        units.count(len(machine["core_loads"])),
        units.listed_loads(machine["core_loads"]),
        units.listed_loads(machine["core_tasks_mean"]),
        units.number(machine["run_queue_mean"]),
        units.count(machine["run_queue_max"]),
        *map(units.rate, rates),
    ]
    return Line(name, [Cell(text) for text in texts], machine["os"])


def sentences(result: Result) -> list[str]:
    """Each machine, as in 'server, linux-2.6.22 on 2 cores: loads 0.70, 0.71; 0.20 moves/s'."""
    return [_sentence(name, one, _rates(one, result)) for name, one in _machines(result)]


def _sentence(name: str, machine: MachineFigures, rates: Sequence[float]) -> str:
    loads = machine["core_loads"]
    named = zip(rates, HEADINGS[-3:], strict=True)
    counted = ", ".join(f"{units.number(rate)} {what}/s" for rate, what in named)
    noun = "load" if len(loads) == 1 else "loads"
    return (
        f"{name}, {on_cores(machine['os'], len(loads))}: "
        f"{noun} {units.listed_loads(loads)}; {counted}"
    )


def _machines(result: Result) -> list[tuple[str, MachineFigures]]:
    machines = [] if result.system is None else result.system.machines
    order = {machine.name: place for place, machine in enumerate(machines)}
    found = (result.summary.get("machines") or {}).items()
    return sorted(found, key=lambda one: order.get(one[0], len(order)))


def _rates(machine: MachineFigures, result: Result) -> list[float]:
    """Migrations, preemptions and context switches a second, the latter over all cores."""
    duration_s = float(result.summary.get("duration_s") or 0.0)
    counts = (machine["migrations"], machine["preemptions"], machine["context_switches"])
    return [count / duration_s if duration_s > 0 else 0.0 for count in counts]


def words_of(system: System) -> list[str]:
    """Each machine of a system, as in 'linux-2.6.22 on 2 cores'."""
    return [on_cores(machine.os, machine.cores) for machine in system.machines]


def on_cores(os: str, cores: int) -> str:
    """As in 'linux-2.6.22 on 2 cores'."""
    return f"{os} on {units.counted(cores, 'core')}"
