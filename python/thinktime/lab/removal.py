"""Removal of a lab, whichever process made it and however that process ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from thinktime import RunError
from thinktime.lab import journal, places

END_S = 10
"""The time that the kernel may take to end a killed process."""


def clean() -> tuple[list[str], list[str]]:
    """Remove all that is left of labs whose process is gone.

    Returns:
        The identities of the removed labs, and of those that still run.

    Raises:
        RunError: Something could not be removed.
    """
    there = places.identities()
    running = [one for one in there if journal.is_running(one)]
    left = [one for one in there if one not in running]
    for begun in places.STATE.glob("*.begun-*"):
        if journal.started(int(begun.name.rpartition("-")[2])) is None:
            places.discard(begun)
    for identity in left:
        places.discard(places.output(identity))
        remove(identity)
    return left, running


def remove(identity: str) -> None:
    """End all processes in a lab's namespaces, and remove these and its folder.

    Raises:
        RunError: Something could not be removed.
    """
    names = places.namespaces(identity)
    _end_outside(identity)
    _end_processes({places.inode(places.NETNS / name) for name in names})
    for name in names:
        done = subprocess.run(["ip", "netns", "del", name], capture_output=True, text=True)
        if done.returncode and (places.NETNS / name).exists():
            raise RunError(f"the namespace {name} could not be removed: {done.stderr.strip()}")
    try:
        places.forget_names(identity)
    except OSError as error:
        raise RunError(f"{error.filename} could not be removed: {error.strerror}") from None
    places.discard(places.folder(identity))
    if places.folder(identity).exists():
        raise RunError(f"{places.folder(identity)} could not be removed")


def processes(inodes: set[tuple[int, int] | None]) -> list[int]:
    """The processes whose network namespace is one of these."""
    found = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    there = inodes - {None}
    return [
        pid for pid in found if pid != os.getpid() and places.inode(f"/proc/{pid}/ns/net") in there
    ]


def _end_outside(identity: str) -> None:
    """End a lab's programs that are in none of its namespaces: its journal names them."""
    for said in journal.read(identity):
        pid, began = said.get("process"), said.get("began")
        if isinstance(pid, int) and began is not None and journal.started(pid) == began:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _end_processes(inodes: set[tuple[int, int] | None]) -> None:
    end = time.monotonic() + END_S
    while found := processes(inodes):
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > end:
            raise RunError(f"the processes {', '.join(map(str, found))} do not end")
        time.sleep(0.02)
