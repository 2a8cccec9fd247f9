"""The checks of validity on what is known of a run so far.

Those that need every row, the law of the arrivals or the mean lateness are left to the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from thinktime.moment import Moment
from thinktime.validity import UNSEEN, Finding, counts, filling, generator, steadiness
from thinktime.validity.evidence import Evidence
from thinktime.validity.finding import Unseen

if TYPE_CHECKING:
    from thinktime._core import Workload
    from thinktime.watching.history import History

_CHECKS: tuple[tuple[str, Callable[[Evidence], Finding | None]], ...] = (
    (generator.NAME, generator.check),
    (filling.NAME, filling.check),
    (steadiness.NAME, steadiness.check),
    (counts.NAME, counts.check),
)
"""In the order of a report."""

_NS = 1e9
_LOOK_S = 1.0
"""Shares of shorter times say little: the kernel counts by its ticks."""


@dataclass
class _SoFar(Evidence):
    """What is known before the end; whether the workload is steady by plan was told."""

    steady: bool = True

    @property
    def is_steady_by_plan(self) -> bool:
        """As it was told when the run began: the watchers' process has no workload."""
        return self.steady


@dataclass
class Cores:
    """What the threads of a process use of their cores, by the kernel's books."""

    process: int | None
    begun: dict[str, tuple[int, int]] = field(default_factory=dict)
    since_s: float = 0.0

    def look(self, time_s: float) -> dict[str, float] | None:
        """The shares of the busiest thread since the first look: of a core, and without one.

        None before a second is over, and where the kernel keeps no such books.
        """
        now = self._threads()
        if not now:
            return None
        if not self.begun:
            self.begun, self.since_s = now, time_s
        span_s = time_s - self.since_s
        if span_s < _LOOK_S:
            return None
        used = [
            tuple(end - start for end, start in zip(one, self.begun[name], strict=True))
            for name, one in now.items()
            if name in self.begun
        ]
        ran, waited = max(used, default=(0, 0))
        return {
            "cpu_share": min(ran / _NS / span_s, 1.0),
            "without_core_share": min(waited / _NS / span_s, 1.0),
        }

    def _threads(self) -> dict[str, tuple[int, int]]:
        """Nanoseconds on a core, and ready without one, of each thread."""
        found = {}
        try:
            for thread in os.listdir(f"/proc/{self.process}/task"):
                text = Path(f"/proc/{self.process}/task/{thread}/schedstat").read_text()
                ran, waited, _ = text.split()
                found[thread] = int(ran), int(waited)
        except (OSError, ValueError):  # it has ended, or there are no such books
            return {}
        return found


def findings(
    history: History, moment: Moment, used: dict[str, float] | None, *, steady: bool
) -> list[Finding]:
    """What the checks say of a run so far."""
    seen = _evidence(history, moment, used, steady=steady)
    found = []
    for name, check in _CHECKS:
        try:
            one = check(seen)
        except Unseen as why:
            one = Finding(name, UNSEEN, str(why))
        if one is not None:
            found.append(one)
    return found


def _evidence(
    history: History, moment: Moment, used: dict[str, float] | None, *, steady: bool
) -> Evidence:
    begin_s, series = history.measured()
    many = sum(count for _, count in moment.response_buckets)
    summary: dict[str, Any] = {
        "warmup_s": begin_s,
        "duration_s": max(history.end_s - begin_s, 0.0),
        "requests": many,
        "errors": sum(moment.errors.values()),
        "errors_by_kind": moment.errors,
        "response_time_s": {"mean": moment.response_sum_s / many if many else None},
        "generator": used,
    }
    summary["requests"] += summary["errors"]
    return _SoFar(
        "run", summary, cast("Workload", None), given_series=series, steady=steady
    )  # fmt: skip
