"""Keeps the generator, which is this process, from spoiling the measurements."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def beside(server_cores: Sequence[int]) -> Iterator[str]:
    """Move this thread, and those that it starts, off the server's cores, and give it priority.

    Without other cores it shares the server's. Returns words about the measures taken.

    Lateness must not happen: a request that is sent late has waited without a scheduler's fault. So
    the generator has priority even on a core of its own, if permitted.
    """
    all_cores = os.sched_getaffinity(0)
    others = all_cores - set(server_cores)
    os.sched_setaffinity(0, others or all_cores)
    where = f"cores {sorted(others or all_cores)}"
    usual = os.sched_getscheduler(0)
    try:
        yield f"{where}, {_first()}"
    finally:
        os.sched_setscheduler(0, usual, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        os.sched_setaffinity(0, all_cores)


def _first() -> str:
    """Take priority over threads of the usual policy, as far as this is permitted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass
    else:
        return "SCHED_FIFO"
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        return "nice 0, for neither SCHED_FIFO nor nice -10 is permitted here"
    return "nice -10"
