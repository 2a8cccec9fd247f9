"""`thinktime serve` and `thinktime switch`, each in a process of its own, until a block ends.

with listening(["serve", "system.toml"], ["serve", "system.toml"]) as servers:
    tt.run(workload, servers[0].url)
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
END_S = 30


@dataclass
class Listening:
    """A process that listens, or did."""

    url: str
    pid: int
    said: list[str] = field(default_factory=list)
    """Its output; all of it once it has ended."""


@contextmanager
def listening(*commands: Sequence[str]) -> Iterator[list[Listening]]:
    """Run these commands until the end of the block, at a free port each.

    They start at the same time, and end by their process ids, whatever happens in the block.

    Raises:
        SystemExit: One does not start; its output is on standard error.
    """
    processes: list[subprocess.Popen[str]] = []
    try:
        for words in commands:
            processes.append(_started(words))
        running = [_heard(one, words) for one, words in zip(processes, commands, strict=True)]
        yield running
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process, one in zip(processes, running, strict=True):
            one.said += process.communicate(timeout=END_S)[0].splitlines()
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate()


def _started(words: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words, "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C is for the parent to handle: it ends the process after the run.
        start_new_session=True,
    )


def _heard(process: subprocess.Popen[str], words: Sequence[str]) -> Listening:
    """The process, once it reports its address: the third word of its first line."""
    assert process.stdout is not None
    first = process.stdout.readline()
    if not first:
        raise SystemExit(f"`thinktime {words[0]}` did not start; its message is above")
    return Listening(first.split()[2].rstrip(";"), process.pid, [first.strip()])
