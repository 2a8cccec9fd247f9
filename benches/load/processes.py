"""CPU time of this process and of all its descendants, by kind."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
EVERY_S = 0.2
"""The time between two looks: the CPU time between the last one and the end of a process is
missed."""


def _seen() -> dict[int, tuple[str, float]]:
    """Descendants of this process and itself: the command line of each, and its CPU seconds."""
    found: dict[int, tuple[int, str, float]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                name = (
                    (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue  # it has ended
            used_s = (int(fields[11]) + int(fields[12])) * TICK_S
            found[int(place.name)] = (int(fields[1]), name, used_s)
    ours = {os.getpid()}
    while more := {pid for pid, one in found.items() if one[0] in ours and pid not in ours}:
        ours |= more
    return {pid: found[pid][1:] for pid in ours if pid in found}


def descendants() -> dict[int, str]:
    """The command lines of this process and of all its descendants."""
    return {pid: name for pid, (name, _) in _seen().items()}


@contextmanager
def cpu_seconds(kind_of: Callable[[str], str]) -> Iterator[Mapping[str, float]]:
    """CPU seconds from here to the end by kind, derived from a command line; filled at the end.

    This process itself is of the kind `self`, without the cost of looking.
    """
    before = _seen()
    last: dict[int, tuple[str, float]] = {}
    done = threading.Event()
    looking_s = 0.0

    def note() -> None:
        for pid, (name, used_s) in _seen().items():
            # A process that has ended and was not waited for has no name any more.
            last[pid] = (name or last.get(pid, ("", 0.0))[0], used_s)

    def look() -> None:
        nonlocal looking_s
        while not done.wait(EVERY_S):
            note()
        looking_s = time.thread_time()

    watch = threading.Thread(target=look, daemon=True)
    watch.start()
    by_kind: dict[str, float] = defaultdict(float)
    try:
        yield by_kind
    finally:
        done.set()
        watch.join()
        note()
        for pid, (name, used_s) in last.items():
            kind = "self" if pid == os.getpid() else kind_of(name)
            by_kind[kind] += used_s - before.get(pid, ("", 0.0))[1]
        by_kind["self"] -= looking_s
