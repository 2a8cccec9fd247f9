"""Fidelity: how well a learned workload represents its log, measured.

The log's busiest hour and the learned workload's are fed to the same systems: one server under
FCFS, PS and SRPT at the log's load of 0.8, and LRU caches. docs/decisions/fidelity.md gives the
reasons.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.candidates.candidate_simulation import each
from thinktime.candidates.prediction import Prediction
from thinktime.learn.fidelity.difference import STUDENT_99, Difference
from thinktime.learn.fidelity.doubt import without_largest
from thinktime.learn.fidelity.log_side import LogSide, log_side
from thinktime.learn.fidelity.model_side import ModelSide
from thinktime.learn.fidelity.stream import Stream
from thinktime.learn.fidelity.swaps import cache_shares, queue_shares
from thinktime.learn.fidelity.systems import LRU, POLICIES, SIZES, Caches, figures, queue_figures
from thinktime.learn.fidelity.words import sentences
from thinktime.learn.logs.requests import Requests
from thinktime.learn.stop_signal import StopSignal

REPLAYS = 5
"""The learned workload is simulated with this many seeds; their differences are chance."""

FEWEST = 500
"""With fewer requests in the stretch nothing is compared."""

GOOD, BAD, UNTOLD, UNMEASURED = "good", "not good", "cannot be told", "not measured"
"""The possible verdicts."""

SWAPPED = 2
"""Ingredients are swapped in this many of the replays."""


@dataclass(frozen=True)
class Fidelity:
    """How well a learned workload represents its log."""

    begin_s: float
    """The stretch that was compared, in seconds after the log's first request."""

    length_s: float
    requests: int
    """The number of the log's requests in it."""

    demands: str
    """The source of demands: `durations`, `sizes`, `varied sizes` (which differ from
    answer to answer of one target), or `equal`."""

    differences: dict[str, Difference]
    """The differences by name; empty if there are too few requests."""

    @property
    def measured(self) -> bool:
        """Whether there are enough requests to compare anything."""
        return bool(self.differences)

    @property
    def good(self) -> bool | None:
        """Whether all compared figures are near enough; None if that was not shown.

        Numbers of requests may differ by chance.
        """
        return {GOOD: True, BAD: False}.get(self.verdict)

    @property
    def verdict(self) -> str:
        """`good`, `not good`, `cannot be told` or `not measured`."""
        if not self.measured:
            return UNMEASURED
        of = self.differences.values()
        if any(one.wrong for one in of):
            return BAD
        return UNTOLD if any(one.untold for one in of) else GOOD

    @property
    def of_times(self) -> dict[str, Difference]:
        """The wrong figures that the times of requests may change: those of caches are not."""
        wrong = {name: one for name, one in self.differences.items() if one.wrong}
        return {name: one for name, one in wrong.items() if not one.in_points}

    def nearer(self, other: Fidelity) -> bool:
        """Whether a workload is nearer to the log than another, by the figures of times.

        Fewer of them are wrong, or those that are wrong of the other are at most half as far off.
        """
        if len(self.of_times) != len(other.of_times):
            return len(self.of_times) < len(other.of_times)
        far, other_far = (
            sum(abs(float(np.log1p(one.differences[name].difference))) for name in other.of_times)
            for one in (self, other)
        )
        return other_far > 0 and far <= other_far / 2

    def sentences(self) -> list[str]:
        """Remarks on it, the most important first."""
        return sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """The fidelity for JSON."""
        return {
            "begin_s": self.begin_s, "duration_s": self.length_s, "requests": self.requests,
            "demands": self.demands, "verdict": self.verdict, "good": self.good,
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
    begins: NDArray[np.bool_],
    seed: int = 1,
    explained: bool = True,
    stopping: StopSignal | None = None,
) -> Fidelity:
    """Measure how well a learned workload represents its log.

    Args:
        requests: The log, without the parts that the workload leaves out.
        kinds: The kind of each request, a place in `names`.
        names: The names of the kinds, as the workload's requests have them.
        text: The workload file.
        folder: The folder of the files that it names, such as `starts.parquet`.
        begins: Which requests begin a session, as the workload was learned.
        seed: The seed of the first replay.
        explained: Whether to find the causes of differences.
        stopping: It checks whether this is still wanted; `Stopped` is raised if it is not.
    """
    if len(requests) == 0:
        return Fidelity(0.0, 0.0, 0, "equal", {})
    log = log_side(requests, kinds, begins, seed)
    count, found = len(log.stream), {}
    if count >= FEWEST:
        zero_ns = int(requests.rows["time_ns"][0])
        learned = ModelSide(text, folder, names, log, zero_ns)
        played = partial(_played, log, learned, Caches.of(log.stream), stopping or StopSignal())
        (_, of_log), *replays = each(played, [None, *range(seed, seed + REPLAYS)])
        found = _differences(of_log, [of_replay for _, of_replay in replays])
        if requests.populations is not None:  # rows of our own, which name no targets
            found = {name: one for name, one in found.items() if not one.in_points}
        if explained:
            # A stretch without a request has nothing that could be swapped.
            streams = [stream for stream, _ in replays if len(stream)]
            found = _explained(found, log, streams[:SWAPPED], seed)
        found = _doubted(found, log.stream)
    return Fidelity(log.begin_s, log.stream.length_s, count, log.demands.source, found)


def _played(
    log: LogSide, learned: ModelSide, caches: Caches, stopping: StopSignal, seed: int | None
) -> tuple[Stream, dict[str, float]]:
    """The learned workload's requests under a seed, or else the log's, and their figures."""
    stopping.look()
    stream = log.stream if seed is None else learned.stream(seed)
    stopping.look()
    return stream, figures(stream, caches)


def _differences(
    of_log: dict[str, float], of_replays: list[dict[str, float]]
) -> dict[str, Difference]:
    replays = {
        name: Prediction.of([one[name] for one in of_replays], logs=name not in SIZES)
        for name in of_log
    }
    for figure in ("mean", "p99"):
        # Five replays may agree by chance; under all policies that is rarer.
        names = [f"{policy}_{figure}" for policy in POLICIES]
        together = float(np.sqrt(np.mean([replays[name].deviation ** 2 for name in names])))
        for name in names:
            deviation = max(replays[name].deviation, together)
            replays[name] = replace(replays[name], deviation=deviation)
    found = {}
    for name, one in replays.items():
        half = STUDENT_99 * one.error
        chance = float(np.expm1(min(half, 50.0))) if one.logs else half
        found[name] = Difference(name, of_log[name], one.value, chance, {})
    return found


def _explained(
    found: dict[str, Difference], log: LogSide, replays: list[Stream], seed: int
) -> dict[str, Difference]:
    """The differences with their causes, if they are neither small nor chance."""
    wrong = {one.system for one in found.values() if one.wrong} & {*POLICIES, LRU}

    def shares(swapped: tuple[str, int]) -> dict[str, dict[str, float]]:
        system, number = swapped
        if system == LRU:
            return cache_shares(log.stream, replays[number], Caches.of(log.stream), seed)
        own_work, played = log.demands.source == "sizes", partial(queue_figures, system)
        of = queue_shares(log.stream, replays[number], played, seed + number, own_work)
        return {f"{system}_{figure}": one for figure, one in of.items()}

    parts = each(shares, [(one, number) for number in range(len(replays)) for one in sorted(wrong)])
    return {
        name: replace(one, missing=_mean([of[name] for of in parts if name in of]))
        if one.wrong
        else one
        for name, one in found.items()
    }


def _doubted(found: dict[str, Difference], log: Stream) -> dict[str, Difference]:
    """The differences with the effect of one request, if no verdict on a server is possible."""
    untold = [one for one in found.values() if one.untold and not one.in_points]
    policies = sorted({one.system for one in untold})
    changes = dict(zip(policies, each(partial(without_largest, log), policies), strict=True))
    more = {
        one.name: replace(one, without_largest=changes[one.system][one.figure]) for one in untold
    }
    return found | more


def _mean(parts: list[dict[str, float]]) -> dict[str, float]:
    """The mean share of each ingredient in the whole, the greatest first; empty without any."""
    mean = (
        {name: float(np.mean([each[name] for each in parts])) for name in parts[0]} if parts else {}
    )
    total = sum(mean.values()) or 1.0
    return {name: mean[name] / total for name in sorted(mean, key=lambda n: -mean[n] / total)}
