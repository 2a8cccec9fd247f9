"""How well a learned workload stands in for its log, measured.

The log's busiest hour and the learned workload's are fed to the same systems: one server under
FCFS, PS and SRPT at the log's load of 0.8, and LRU caches. docs/decisions/fidelity.md says why so.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.fidelity.learned import Learned
from thinktime.learn.fidelity.logged import Logged, logged
from thinktime.learn.fidelity.stream import FloatArray, Stream
from thinktime.learn.fidelity.swaps import cache_shares, queue_shares
from thinktime.learn.fidelity.systems import POLICIES, SIZES, Caches, figures, queue_figures
from thinktime.learn.fidelity.words import sentences
from thinktime.learn.requests import Requests

REPLAYS = 5
"""The learned workload is simulated with so many seeds; how they differ is chance."""

CHANCE = 5.04
"""Standard deviations between one more replay and the mean of five that only one in a hundred
exceeds: Student's t with 4 degrees of freedom, 4.604, times the root of 1 + 1/5."""

WITHIN = {"mean": 0.10, "p99": 0.10, "lru": 0.03, "rate": 0.02, "peak": 0.10}
"""Differences that are small enough, by what is measured: ratios less 1, and points."""

FEWEST = 500
"""Requests in the stretch without which nothing is compared."""

SWAPPED = 2
"""Ingredients are swapped in so many of the replays."""


@dataclass(frozen=True)
class Difference:
    """A figure of the log, and what it is of the learned workload."""

    name: str
    """`requests_per_s`, `sessions_per_s`, `load`; `peak_1s`, `peak_10s`, `peak_1min`; `mean` and
    `p99` with `fcfs_`, `ps_` and `srpt_` before them; `lru_1`, `lru_5` and `lru_20`."""

    log: float
    learned: float
    """The mean of the replays: of logarithms, but of hit ratios themselves."""

    chance: float
    """What one more replay may differ by: a ratio less 1, or points; 1 in 100 differs by more."""

    missing: dict[str, float]
    """What the difference comes from, with its share, the greatest first; empty where it is small
    enough or within chance. Below 0 it makes up for others."""

    @property
    def in_points(self) -> bool:
        """Whether it is a share, whose differences are points."""
        return self.name.startswith("lru")

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
        """How large a difference is small enough."""
        kind = self.name.split("_")[0]
        if kind in POLICIES:
            kind = self.name.split("_")[1]
        return WITHIN.get(kind, WITHIN["rate"])

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

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "log": self.log, "learned": self.learned, "difference": self.difference,
            "chance": self.chance, "within": self.within, "good": self.good,
            "by_chance": self.by_chance, "missing": self.missing,
        }  # fmt: skip


@dataclass(frozen=True)
class Fidelity:
    """How well a learned workload stands in for its log."""

    begin_s: float
    """The stretch that was compared, in seconds after the log's first request."""

    length_s: float
    requests: int
    """How many of the log's requests it has."""

    demands: str
    """Where demands come from: `given`, `durations`, `sizes`, `varied sizes` (which differ from
    answer to answer of one target), or `equal`."""

    differences: dict[str, Difference]
    """By name; empty where there are too few requests."""

    @property
    def measured(self) -> bool:
        """Whether there are enough requests to compare anything."""
        return bool(self.differences)

    @property
    def good(self) -> bool:
        """Whether everything that is compared differs by little, or by no more than chance."""
        return all(one.good or one.by_chance for one in self.differences.values())

    def sentences(self) -> list[str]:
        """What there is to say of it, the most important first."""
        return sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "begin_s": self.begin_s, "duration_s": self.length_s, "requests": self.requests,
            "demands": self.demands, "good": self.good if self.measured else None,
            "sentences": self.sentences(),
            "figures": {name: one.to_dict() for name, one in self.differences.items()},
        }  # fmt: skip


def fidelity(
    requests: Requests,
    kinds: NDArray[np.integer],
    names: list[str],
    text: str,
    folder: Path,
    *,
    demands_s: FloatArray | None = None,
    begins: NDArray[np.bool_] | None = None,
    seed: int = 1,
    explained: bool = True,
) -> Fidelity:
    """Measure how well a learned workload stands in for its log.

    Args:
        requests: The log, without what the workload leaves out.
        kinds: The kind of each request, a place in `names`.
        names: The names of the kinds, as the workload's requests have them.
        text: The workload file.
        folder: Where the files lie that it names, such as `starts.parquet`.
        demands_s: The service demand of each request, if it is known.
        begins: Which requests begin a session, as the workload was learned.
        seed: The seed of the first replay.
        explained: Whether it is found out what differences come from.
    """
    if len(requests) == 0:
        return Fidelity(0.0, 0.0, 0, "equal", {})
    log = logged(requests, kinds, demands_s, begins, seed)
    count = len(log.stream)
    found: dict[str, Difference] = {}
    if count >= FEWEST:
        zero_ns = int(requests.rows["time_ns"][0])
        learned = Learned(text, folder, names, log, zero_ns)
        # No more at a time than there are cores: the rows of each take tens of megabytes.
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            replays = list(pool.map(learned.stream, range(seed, seed + REPLAYS)))
        found = _differences(log, replays, seed, explained)
    return Fidelity(log.begin_s, log.stream.length_s, count, log.demands.source, found)


def _differences(
    log: Logged, replays: list[Stream], seed: int, explained: bool
) -> dict[str, Difference]:
    caches = Caches.of(log.stream)
    of_log = figures(log.stream, caches)
    of_replays = [figures(one, caches) for one in replays]
    points = set(SIZES)
    values = {
        name: np.array([one[name] if name in points else _log(one[name]) for one in of_replays])
        for name in of_log
    }
    apart = {name: float(of.std(ddof=1)) for name, of in values.items()}
    for figure in ("mean", "p99"):
        # Five replays may lie together by chance; that they do under all policies is rarer.
        of_figure = [f"{policy}_{figure}" for policy in POLICIES]
        together = float(np.sqrt(np.mean([apart[name] ** 2 for name in of_figure])))
        apart |= {name: max(apart[name], together) for name in of_figure}
    found = {}
    for name, value in of_log.items():
        learned, chance = float(values[name].mean()), CHANCE * apart[name]
        if name not in points:
            learned, chance = float(np.exp(learned)), float(np.expm1(min(chance, 50.0)))
        found[name] = Difference(name, value, learned, chance, {})
    if not explained:
        return found
    own_work = log.demands.source == "sizes"
    return _explained(found, log.stream, replays, caches, (seed, own_work))


def _log(value: float) -> float:
    return float(np.log(max(value, 1e-12)))


def _explained(
    found: dict[str, Difference],
    log: Stream,
    replays: list[Stream],
    caches: Caches,
    seed_and_own_work: tuple[int, bool],
) -> dict[str, Difference]:
    """With what differences come from, where they are neither small nor chance."""
    wrong = {name: one for name, one in found.items() if not (one.good or one.by_chance)}
    parts: dict[str, list[dict[str, float]]] = {}
    seed, own_work = seed_and_own_work
    for number, learned in enumerate(replays[:SWAPPED]):
        for policy in POLICIES:
            if any(name.startswith(f"{policy}_") for name in wrong):
                figures_of = partial(queue_figures, policy)
                shares = queue_shares(log, learned, figures_of, seed + number, own_work)
                for figure, each in shares.items():
                    parts.setdefault(f"{policy}_{figure}", []).append(each)
        if any(one.in_points for one in wrong.values()):
            for size, each in zip(SIZES, cache_shares(log, learned, caches, seed), strict=True):
                parts.setdefault(size, []).append(each)
    missing = {name: _mean(parts[name]) for name in wrong if name in parts}
    return {name: replace(one, missing=missing.get(name, {})) for name, one in found.items()}


def _mean(parts: list[dict[str, float]]) -> dict[str, float]:
    """The mean share of each ingredient in the whole, the greatest first."""
    mean = {name: float(np.mean([each[name] for each in parts])) for name in parts[0]}
    total = sum(mean.values()) or 1.0
    return {name: mean[name] / total for name in sorted(mean, key=lambda n: -mean[n] / total)}
