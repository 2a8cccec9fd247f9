"""Moments in which the machine stood still for its programs.

A virtual machine's cores are taken from it for moments. Then no program in it can run, and no
program under test can be punctual. A process of its own notices: on every core it sleeps for short
times, with priority over all others if it may, and adds up its delays. Run as a program, the file
is that process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

SLEEP_S = 0.002
PAUSE_S = 0.002
"""A process with priority wakes within less; a longer delay was kept from its core."""
CORES = 4
"""Cores to watch, at most."""


@dataclass
class Pauses:
    """The share of a core's time that was taken, known once the watched block has ended."""

    share: float = 0.0

    def __str__(self) -> str:
        return f"the machine stood still for {100 * self.share:.1f} % of the time"


@contextmanager
def watched() -> Iterator[Pauses]:
    """Watch the machine during a block."""
    found = Pauses()
    watcher = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert watcher.stdout is not None
        assert watcher.stdout.readline() == "ready\n"
        yield found
    finally:
        found.share = float(watcher.communicate("")[0])


def taken_s(core: int, until: threading.Event) -> float:
    """The delays of short sleeps on this core, in seconds."""
    os.sched_setaffinity(0, {core})
    late = 0.0
    while not until.is_set():
        begin = time.monotonic()
        time.sleep(SLEEP_S)
        by = time.monotonic() - begin - SLEEP_S
        late += by if by > PAUSE_S else 0.0
    return late


def main() -> None:
    """Watch until standard input ends, then print the share."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    ended, late = threading.Event(), []
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    threads = [
        threading.Thread(target=lambda core=core: late.append(taken_s(core, ended)))
        for core in cores
    ]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    print(sum(late) / len(cores) / (time.monotonic() - begin))


if __name__ == "__main__":
    main()
