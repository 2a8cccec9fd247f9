"""Does many small tasks on all cores, and reports its progress on standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")

CORES = os.cpu_count() or 1


class Lab:
    """The simulator lets go of the interpreter, so that threads use all cores."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._start

    def map(
        self, name: str, work: Callable[[Thing], Answer], things: Sequence[Thing]
    ) -> list[Answer]:
        """The answers, in the order of the things."""
        pool = ThreadPoolExecutor(CORES)
        futures = [pool.submit(work, thing) for thing in things]
        waiting = set(futures)
        try:
            while waiting:
                self._say(f"{name}: {len(things) - len(waiting)} of {len(things)}")
                _, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in futures:
                    if future.done():
                        future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        self._say(name, end="\n")
        return [future.result() for future in futures]

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One thing that uses all cores by itself."""
        self._say(name)
        yield
        self._say(name, end="\n")

    def _say(self, words: str, end: str = "") -> None:
        """One line, over the one before; only whole lines without a terminal."""
        line = f"{self.seconds:5.0f} s  {words:<60}"
        if sys.stderr.isatty():
            print(f"\r{line}", end=end, file=sys.stderr)
        elif end:
            print(line.rstrip(), file=sys.stderr)
        sys.stderr.flush()
