"""Scheduling classes of the database's backends, and the policies made from them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Setting = Callable[[int], None]

NICE = os.getpriority(os.PRIO_PROCESS, 0)
"""The class of ordinary processes here: the study's own, which may have been started above
others."""


def other(pid: int) -> None:
    """The scheduling class of ordinary processes."""
    os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, pid, NICE)


def round_robin(pid: int) -> None:
    """Real time: before all ordinary processes."""
    os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))


def idle(pid: int) -> None:
    """Runs when no other process of its group wants to."""
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))


def nice(pid: int) -> None:
    """Ordinary, with a weight in its group that is nineteen steps smaller."""
    os.setpriority(os.PRIO_PROCESS, pid, min(NICE + 19, 19))


def group_nice(pid: int | str) -> int | None:
    """The nice value of the group that the kernel makes of a session; None if it makes none.

    With `kernel.sched_autogroup_enabled` all processes of a session share their group's time, and
    nice and SCHED_IDLE count inside of the group alone. Each backend has a session of its own.
    """
    try:
        if Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() != "1":
            return None
        return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])
    except (OSError, ValueError, IndexError):
        return None


def set_group_nice(pid: int, value: int) -> None:
    """Give the group of a backend this nice value."""
    with suppress(OSError):  # the backend may be gone
        Path(f"/proc/{pid}/autogroup").write_text(str(value))


GROUP_NICE = group_nice("self")
"""The nice value of the study's own group, which the backends get as well."""


def ordinary_group(pid: int) -> None:
    """The weight that the study itself has."""
    set_group_nice(pid, GROUP_NICE or 0)


def light_group(pid: int) -> None:
    """A weight of the backend's group, and so of the backend, that is nineteen steps smaller."""
    set_group_nice(pid, min((GROUP_NICE or 0) + 19, 19))


POLICIES: dict[str, tuple[Setting | None, Setting | None]] = {
    "default": (None, None),
    "PESJF": (round_robin, other),
    "PELJF": (other, round_robin),
    "PESJF, idle": (other, idle),
    "PESJF, nice": (other, nice),
    "PESJF, group": (ordinary_group, light_group),
}
"""The classes of short and long requests, by policy."""

FOR_ALL = ("default",)
"""The policies for any user. Only root may take back some classes: nice values only grow, and real
time is forbidden."""


def permitted() -> tuple[str, ...]:
    """The policies that this user may set."""
    return tuple(POLICIES) if os.geteuid() == 0 else FOR_ALL
