"""When would processor sharing have been good enough? The same requests without a scheduler.

Most performance models take a processor for processor sharing: all tasks at once, at equal shares
of all cores. `compare` simulates the requests of a result again on machines that do just that. It
gives the response times of each request name under both:

    from thinktime.machine.processor_sharing import compare

    found = compare(thinktime.simulate("shop.toml", "server.toml"))
    print(found.good_enough, [pair.difference("p95") for pair in found.pairs])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core, operations

if TYPE_CHECKING:
    from thinktime._core import Machine, System
    from thinktime.results.result import Result

REQUESTS_MAX = 200_000
"""At most this many requests are simulated for a comparison, over all replications."""

TOLERANCE = 0.1
"""Processor sharing is good enough if no median and no 95th percentile differs by more."""

REQUESTS_MIN = 100
"""A request name with fewer responses than this has no part in the verdict."""

JUDGED = ("p50", "p95")
"""The times behind the verdict, by their names in summary.json."""


class NotShared(ValueError):  # noqa: N818 - it says what a system is not
    """A system that cannot be turned into one with processor sharing; the text says why."""


@dataclass(frozen=True)
class Pair:
    """The response times of one request name, in seconds, by the names of summary.json."""

    request: str
    requests: int
    """The number of responses under the scheduler."""

    scheduled_s: Mapping[str, float]
    shared_s: Mapping[str, float]

    def difference(self, time: str) -> float | None:
        """By what share processor sharing's time is longer (0.1: 10 %); None if not known."""
        scheduled, shared = self.scheduled_s.get(time), self.shared_s.get(time)
        return None if not scheduled or shared is None else shared / scheduled - 1


@dataclass(frozen=True)
class TimeComparison:
    """One time of one request name that decides the comparison."""

    pair: Pair
    time: str
    """`p50` or `p95`."""

    difference: float
    """By what share processor sharing's time is longer, below zero if it is shorter."""

    @property
    def factor(self) -> float:
        """The ratio of the longer of the two times to the shorter one, from 1 on."""
        ratio = 1 + self.difference
        return max(ratio, 1 / ratio) if ratio > 0 else float("inf")


@dataclass(frozen=True)
class Comparison:
    """A result under its operating systems' schedulers and under processor sharing."""

    os: tuple[str, ...]
    """The operating systems whose schedulers were replaced, as the system file names them."""

    pairs: Sequence[Pair]
    """One a request name, in the workload's order."""

    requests: int
    """The number of requests on the scheduler's side."""

    shortened: bool
    """Whether the result has more requests, so that both sides were simulated with fewer."""

    why_not: str = ""
    """Why there is no comparison; empty if there is one."""

    @property
    def judged(self) -> list[TimeComparison]:
        """The parts of the verdict, the largest ratio first."""
        found = []
        for pair in self.pairs:
            for time in JUDGED:
                difference = pair.difference(time)
                if difference is not None and pair.requests >= REQUESTS_MIN:
                    found.append(TimeComparison(pair, time, difference))
        return sorted(found, key=lambda one: -one.factor)

    @property
    def good_enough(self) -> bool | None:
        """Whether all parts of the verdict are within `TOLERANCE`; None if there are none."""
        judged = self.judged
        return all(abs(one.difference) <= TOLERANCE for one in judged) if judged else None


def shares(machine: Machine) -> bool:
    """Whether a machine has processor sharing already, by its scheduler's features."""
    return bool(machine.features["time_sharing"]["discipline"] == "processor-sharing")


def processor_sharing_of(system: System, folder: str | Path = "") -> System:
    """The same system with processor sharing on all machines.

    All that belongs to a scheduler is left out: changed features, threads' priorities, the cores
    they may run on, and limits of their CPU time; and turning to another task costs nothing.
    Threads, demands and all else stay.

    Args:
        system: A system with machines.
        folder: The folder of the files that the system names, if it names any.

    Raises:
        NotShared: if it has no machines, or cannot be so; the text says why.
    """
    if not system.machines:
        raise NotShared("the system has no machines")
    try:
        return system.processor_sharing(str(folder))
    except _core.InputError as error:
        raise NotShared(f"the system does not go with processor sharing: {error}") from None


def compare(result: Result, requests_max: int = REQUESTS_MAX) -> Comparison | None:
    """A simulation's response times by request name beside those under processor sharing.

    Workload, seed, warm-up and limits are the same, so that the requests of an open or partly-open
    workload are the same too. If the result has more than `requests_max` requests, both sides are
    simulated anew with that many.

    Returns:
        None if there is no scheduler to compare with: for a measured result, one without
        requests, or a system all of whose machines have processor sharing.
    """
    if result.kind != "simulate" or result.system is None or not result.summary.get("requests"):
        return None
    schedulers = [machine for machine in result.system.machines if not shares(machine)]
    if not schedulers:
        return None
    os = tuple(dict.fromkeys(machine.os for machine in schedulers))
    run = result.run
    requests = int(result.summary["requests"])
    limits = _limits(result, run, requests_max)
    shortened = requests > requests_max
    try:
        system = processor_sharing_of(result.system, run.get("system_files", ""))
        shared = operations.simulate(result.workload, system, rows="none", **limits)
        scheduled = result
        if shortened:
            scheduled = operations.simulate(result.workload, result.system, rows="none", **limits)
    except (NotShared, _core.InputError) as error:
        return Comparison(os, [], requests, shortened, why_not=str(error))
    return Comparison(os, _pairs(scheduled, shared), int(scheduled.summary["requests"]), shortened)


def _limits(result: Result, run: Mapping[str, Any], requests_max: int) -> dict[str, Any]:
    """The options of `simulate` that repeat the result's requests, if not too many."""
    replications = int(run.get("replications") or 1)
    limits: dict[str, Any] = {
        "replications": replications,
        "warmup": float(result.summary.get("warmup_s") or 0.0),
        "duration": run.get("duration_s"),
        "requests": run.get("requests"),
    }
    requests = int(result.summary["requests"])
    if result.interrupted or run.get("precision") is not None:
        # The run ended by itself: the other side must have as many requests.
        limits["requests"] = requests // replications
    if requests > requests_max:
        limits["requests"] = max(1, requests_max // replications)
    return {name: value for name, value in limits.items() if value is not None}


def _pairs(scheduled: Result, shared: Result) -> list[Pair]:
    ours, theirs = (one.summary.get("by_request") or {} for one in (scheduled, shared))
    known = dict.fromkeys(scheduled.workload.request_names)  # populations may share a name
    names = [name for name in known if name in ours and name in theirs]
    return [
        Pair(name, int(ours[name].get("requests") or 0), _times(ours[name]), _times(theirs[name]))
        for name in names
    ]


def _times(figures: Mapping[str, Any]) -> dict[str, float]:
    times = figures.get("response_time_s") or {}
    return {name: times[name] for name in ("mean", *JUDGED) if times.get(name) is not None}
