"""Keeps the generator, which is this process, from spoiling what it measures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def beside(server_cores: Sequence[int]) -> Iterator[str]:
    """Move this thread, and those that it starts, off the server's cores, and let it go first.

    Where there are no other cores it shares the server's. Gives words that say what was done.

    Being late is what must not happen: a request that is sent late has waited where no scheduler
    was to blame. So the generator goes first even on a core of its own, if it is allowed to.
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
    """Go before threads of the usual policy, as far as this is permitted."""
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
