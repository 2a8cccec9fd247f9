"""The machines of a result: their cores, waiting tasks, moves and preemptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result, System

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

WORDS: dict[str, str] = {
    "task": "A thread that works for a request. A core has one of them at a time, and the "
    "scheduler says which and for how long.",
    "waiting": "Tasks that could run and have no core, over all cores of a machine.",
    "moves": "How often a second a task was put from one core's queue into another's.",
    "preemptions": "How often a second a task lost its core before its work was done.",
    "context switches": "How often a second a core turned to another task.",
}
"""The meanings of the table's words."""


@dataclass(frozen=True)
class MachineFigures:
    """One machine over the measured time."""

    name: str
    os: str
    """The operating system of its scheduler, as in the system file."""

    core_loads: Sequence[float]
    """The fraction of time that each core had a task."""

    core_tasks: Sequence[float]
    """The mean number of tasks of each core, the running one included."""

    waiting_mean: float
    waiting_max: int
    moves: float
    """Migrations a second."""

    preemptions: float
    """The rate a second."""

    context_switches: float
    """The rate a second, over all cores."""

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        texts = [
            units.count(len(self.core_loads)),
            units.listed_loads(self.core_loads),
            units.listed_loads(self.core_tasks),
            units.number(self.waiting_mean),
            units.count(self.waiting_max),
            units.rate(self.moves),
            units.rate(self.preemptions),
            units.rate(self.context_switches),
        ]
        return Line(self.name, [Cell(text) for text in texts], self.os)

    @property
    def words(self) -> str:
        """One line, as in 'server, linux-2.6.22 on 2 cores: loads 0.70, 0.71; 0.20 moves/s'."""
        rates = (
            (self.moves, "moves"),
            (self.preemptions, "preemptions"),
            (self.context_switches, "context switches"),
        )
        counted = ", ".join(f"{units.number(rate)} {what}/s" for rate, what in rates)
        loads = "load" if len(self.core_loads) == 1 else "loads"
        return f"{self.name}, {on_cores(self.os, len(self.core_loads))}: " + (
            f"{loads} {units.listed_loads(self.core_loads)}; {counted}"
        )


def figures_of(result: Result) -> list[MachineFigures]:
    """The machines of a result, in the system's order; empty without machines."""
    found: Mapping[str, Mapping[str, Any]] = result.summary.get("machines") or {}
    duration_s = float(result.summary.get("duration_s") or 0.0)
    machines = [] if result.system is None else result.system.machines
    order = {machine.name: place for place, machine in enumerate(machines)}
    names = sorted(found, key=lambda name: order.get(name, len(order)))
    return [_figures(name, found[name], duration_s) for name in names]


def _figures(name: str, table: Mapping[str, Any], duration_s: float) -> MachineFigures:
    def per_second(key: str) -> float:
        return float(table.get(key) or 0) / duration_s if duration_s > 0 else 0.0

    return MachineFigures(
        name=name,
        os=str(table.get("os") or ""),
        core_loads=list(table.get("core_loads") or []),
        core_tasks=list(table.get("core_tasks_mean") or []),
        waiting_mean=float(table.get("run_queue_mean") or 0.0),
        waiting_max=int(table.get("run_queue_max") or 0),
        moves=per_second("migrations"),
        preemptions=per_second("preemptions"),
        context_switches=per_second("context_switches"),
    )


def words_of(system: System) -> list[str]:
    """Each machine of a system, as in 'linux-2.6.22 on 2 cores'."""
    return [on_cores(machine.os, machine.cores) for machine in system.machines]


def on_cores(os: str, cores: int) -> str:
    """As in 'linux-2.6.22 on 2 cores'."""
    return f"{os} on {units.counted(cores, 'core')}"
