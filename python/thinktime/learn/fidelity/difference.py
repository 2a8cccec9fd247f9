"""A figure of a log beside that of the learned workload, and the verdict on the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.learn.fidelity.systems import LRU, POLICIES

STUDENT_99 = 4.604
"""Student's t with the 4 degrees of freedom of five replays: one more replay differs from them by
no more than this many standard errors in 99 of 100 cases. `learn` needs no scipy for it."""

CHANCE = 5.04
"""The same in their standard deviations: times the root of 1 + 1/5."""

WITHIN = {"mean": 0.10, "p99": 0.10, LRU: 0.03, "rate": 0.02, "peak": 0.10}
"""Differences that are small enough, by figure: ratios less 1, and points."""

JUDGED = ("mean", "p99", LRU)
"""The figures whose difference must be certain to be small enough: wider chance is no excuse."""


@dataclass(frozen=True)
class Difference:
    """A figure of the log, and the same figure of the learned workload."""

    name: str
    """`requests_per_s`, `sessions_per_s`, `load`; `peak_1s`, `peak_10s`, `peak_1min`; `mean` and
    `p99` with `fcfs_`, `ps_` and `srpt_` before them; `lru_1`, `lru_5` and `lru_20`."""

    log: float
    learned: float
    """The mean of the replays: of logarithms, but of hit ratios themselves."""

    chance: float
    """The possible difference of one more replay: a ratio less 1, or points; 1 in 100 differs by
    more."""

    missing: dict[str, float]
    """The causes of the difference with their shares, the greatest first; empty if it is small
    enough or within chance. A share below 0 makes up for others."""

    without_largest: float | None = None
    """The change of the log's figure without its largest request: a ratio less 1. None if it was
    not tried: that is done only for servers' figures without a verdict."""

    @property
    def system(self) -> str:
        """The first part of its name: a policy, `lru`, or a sort of number."""
        return self.name.partition("_")[0]

    @property
    def figure(self) -> str:
        """`mean` and `p99` of a server; else as `system`."""
        return self.name.partition("_")[2] if self.system in POLICIES else self.system

    @property
    def in_points(self) -> bool:
        """Whether it is a share, whose differences are points."""
        return self.system == LRU

    @property
    def difference(self) -> float:
        """How far the learned workload is above the log: a ratio less 1, or points."""
        if self.in_points:
            return self.learned - self.log
        return self.learned / self.log - 1 if self.log > 0 else 0.0

    @property
    def apart(self) -> float:
        """The standard deviation of the replays, of logarithms or in points."""
        return (self.chance if self.in_points else float(np.log1p(self.chance))) / CHANCE

    @property
    def within(self) -> float:
        """The largest difference that is small enough."""
        return WITHIN.get(self.figure, WITHIN["rate"])

    @property
    def good(self) -> bool:
        """Whether the difference is small enough."""
        return abs(self.difference) <= self.within

    @property
    def by_chance(self) -> bool:
        """Whether replays of the learned workload itself differ by as much."""
        if self.in_points:
            return abs(self.difference) <= self.chance
        return bool(abs(np.log1p(self.difference)) <= np.log1p(self.chance))

    @property
    def wrong(self) -> bool:
        """Whether the difference is neither small enough nor chance."""
        return not (self.good or self.by_chance)

    @property
    def untold(self) -> bool:
        """Whether a server or a cache differs by more than is small enough, but within chance.

        Then the best possible workload would look no better, and a bad one no worse. The numbers of
        arriving requests vary by chance in the log, too, and are not judged by that.
        """
        return self.figure in JUDGED and self.by_chance and not self.good

    def to_dict(self) -> dict[str, Any]:
        """The difference for JSON."""
        return {
            "log": self.log, "learned": self.learned, "difference": self.difference,
            "chance": self.chance, "within": self.within, "good": self.good,
            "by_chance": self.by_chance, "untold": self.untold, "missing": self.missing,
            "without_largest": self.without_largest,
        }  # fmt: skip
