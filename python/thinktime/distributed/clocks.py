"""The offsets of other machines' clocks from ours."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_ASKED = 20
"""The number of questions to a clock: the quickest answer counts."""

_LONG_S = 0.5
"""A clock that took this long to answer is not asked again: others wait meanwhile."""


@dataclass(frozen=True)
class Offset:
    """A clock's lead over ours, in nanoseconds, and the possible error."""

    ns: int
    uncertainty_ns: int


def boot() -> str:
    """An identifier of this machine's boot, and so of its clock."""
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()


def offset(ask_ns: Callable[[], int], of: str) -> Offset:
    """Ask for a clock's time.

    It was read between the question and the answer; the middle is the best guess (Cristian, "A
    probabilistic approach to distributed clock synchronization", 1989). A process of this machine
    has the same clock: `of` names what `boot` names there.
    """
    if of == boot():
        return Offset(0, 0)
    found: list[Offset] = []
    begun_s = time.monotonic()
    while len(found) < _ASKED and (not found or time.monotonic() < begun_s + _LONG_S):
        asked = time.monotonic_ns()
        theirs = ask_ns()
        answered = time.monotonic_ns()
        found.append(Offset(theirs - (asked + answered) // 2, (answered - asked) // 2))
    return min(found, key=lambda one: one.uncertainty_ns)
