"""What the answers owe to readings of the paper, and what processor sharing would have said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cells
from cells import Cell, Reading

LINUX, WINDOWS = cells.SYSTEMS
PLACED = "balancing.static.policy"
SLEEP = "time_sharing.interactivity.creator_sleep_average"
CHILD = "time_sharing.interactivity.child_share"

READINGS: dict[str, Reading] = {
    "as read here": cells.AS_READ,
    "the rate as printed: 1.06 at the peak": Reading(peak=cells.PRINTED_RATE / cells.FULL_RATE),
    "arrivals evenly spaced": Reading(process="even"),
    "printed rate, evenly spaced": Reading(cells.PRINTED_RATE / cells.FULL_RATE, "even"),
    "Linux: a task begins on its creator's core": Reading(
        changes=((LINUX, PLACED, "same-as-parent"),)
    ),
    "Linux: a task begins on the cores in turn": Reading(
        changes=((LINUX, PLACED, "cyclic-splitting"),)
    ),
    "Linux: the sleep average begins at 790 ms": Reading(
        changes=((LINUX, SLEEP, "790ms"), (LINUX, CHILD, "1.0"))
    ),
    "Linux: it begins at 500 ms": Reading(changes=((LINUX, SLEEP, "500ms"), (LINUX, CHILD, "1.0"))),
    "Linux: no turns within a slice": Reading(
        changes=((LINUX, "time_sharing.slice.granularity", "false"),)
    ),
    "Linux: the queue's length now, not aged": Reading(
        changes=((LINUX, "balancing.dynamic.load_index", '{ kind = "queue-length" }'),)
    ),
    "Linux: longest waiting moves first": Reading(
        changes=((LINUX, "balancing.dynamic.selection.preferred_waiting_time", "long"),)
    ),
    "Windows: the server's slice of 187.5 ms": Reading(
        changes=((WINDOWS, "time_sharing.slice.length", "187.5ms"),)
    ),
    "Windows: a boost of 1 level": Reading(changes=((WINDOWS, "time_sharing.boosts.start", "1"),)),
    "Windows: no help for starving tasks": Reading(
        changes=((WINDOWS, "time_sharing.starvation", "false"),)
    ),
    "Windows: no move within 2.5 ms of running": Reading(
        changes=((WINDOWS, "balancing.dynamic.selection.cache_affinity", "2.5ms"),)
    ),
    "Windows: shortest waiting moves first": Reading(
        changes=((WINDOWS, "balancing.dynamic.selection.preferred_waiting_time", "short"),)
    ),
    "Windows: no balancing at all": Reading(changes=((WINDOWS, "balancing.dynamic", "false"),)),
}

# The cell with the paper's figure 9.
BUSY = (2, 360)


def readings(pool: ThreadPoolExecutor, runs: int) -> list[dict[str, Any]]:
    """The busy dual-core cell of both systems in every reading (only of the one it is about)."""
    found = []
    for name, reading in READINGS.items():
        about = {os for os, _, _ in reading.changes} or set(cells.SYSTEMS)
        for os in sorted(about):
            figures = cells.study(Cell(*BUSY, os), runs, pool, reading)
            found += [{"reading": name, **one} for one in figures.values()]
    return found


def processor_sharing(pool: ThreadPoolExecutor, runs: int) -> list[dict[str, Any]]:
    """All loads under processor sharing."""
    found = []
    for cores, rate in cells.LOADS:
        found += cells.study(Cell(cores, rate, "processor-sharing"), runs, pool).values()
    return found
