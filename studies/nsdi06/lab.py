"""Simulates points on all cores, each once, and says on standard error how far it is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

from points import Answer, Point, simulate

Case = TypeVar("Case")
Found = TypeVar("Found")


class Lab:
    """Answers to points; repeated points are not simulated again."""

    def __init__(self, scale: float) -> None:
        """`scale` shrinks the number of requests of every point."""
        self.scale = scale
        self._answers: dict[Point, Answer] = {}
        self._start = time.monotonic()
        self._said = ""

    def __getitem__(self, point: Point) -> Answer:
        """The answer to a point that was simulated."""
        return self._answers[point]

    def keep(self, answers: Mapping[Point, Answer]) -> None:
        """Known answers."""
        self._answers.update(answers)

    def all(self) -> Iterable[tuple[Point, Answer]]:
        """Every point so far."""
        return self._answers.items()

    def run(self, name: str, points: Iterable[Point]) -> None:
        """Simulate the new ones among the points."""
        fresh = [point for point in dict.fromkeys(points) if point not in self._answers]
        answers = self.map(name, lambda point: simulate(point, self.scale), fresh)
        self._answers.update(zip(fresh, answers, strict=True))

    def map(self, name: str, function: Callable[[Case], Found], cases: list[Case]) -> list[Found]:
        """The values of a function for all cases, in their order, on all cores.

        The simulator releases the interpreter, so that threads are enough.
        """
        pool = ThreadPoolExecutor(os.cpu_count() or 1)
        futures = [pool.submit(function, case) for case in cases]
        try:
            left = set(futures)
            while left:
                self.say(f"{name}: {len(cases) - len(left)} of {len(cases)}")
                done, left = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()  # a mistake ends the study at once
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        self.say(f"{name}: {len(cases)} simulated", end="\n")
        return [future.result() for future in futures]

    def say(self, words: str, end: str = "") -> None:
        """One line of progress, over the one before; only whole lines without a terminal."""
        line = f"{time.monotonic() - self._start:5.0f} s  {words:<50}"
        if end or (sys.stderr.isatty() and line != self._said):
            print(f"\r{line}" if sys.stderr.isatty() else line.rstrip(), end=end, file=sys.stderr)
            sys.stderr.flush()
        self._said = line
