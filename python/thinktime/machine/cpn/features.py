"""The features of a scheduler that a net carries, and the refusal of others.

The meaning of the features is that of `crates/core/src/system/machine/README.md`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from thinktime import _core
from thinktime.machine.cpn.scenario import Task, microseconds

TIME_SPAN_MAX = 8_000_000
"""128 times as many microseconds still fit CPN Tools' integers."""


@dataclass(frozen=True)
class Slices:
    """Time slices in microseconds; see README.md, Slices.

    Args:
        levels: The slice of each level, the best level first.
        wait_costs: What a wake takes of the slice that is left.
    """

    levels: tuple[int, ...]
    wait_costs: int


@dataclass(frozen=True)
class Balancing:
    """Dynamic balancing, times in microseconds; bounds and differences in tasks.

    Args:
        load_index: "queue-length", "average-queue-length" or "ageing-queue-length".
        weight: Of the old value when ageing, in 1024ths.
        span: The tick of ageing, or the time span of averaging; 0 for neither.
        bounds: The lower and the upper bound; None under a relative policy.
        difference: That of a relative policy; 0 under bounds.
        location: "broadcast", "nearest-neighbour" or "memory".
        events: Those of "on-fork", "on-wake" and "on-idle" that trigger balancing.
        sender, receiver: Whether balancing is sender-initiated, receiver-initiated, or both.
        periodic: The interval; 0 for none.
        cache_affinity: Tasks stay that ran less than this ago; 0 for none.
        best_first, tail_first: Which task is moved first.
        number: How many are moved; None to equalise.
    """

    load_index: str
    weight: int
    span: int
    bounds: tuple[int, int] | None
    difference: int
    location: str
    events: frozenset[str]
    sender: bool
    receiver: bool
    periodic: int
    cache_affinity: int
    best_first: bool
    tail_first: bool
    number: int | None


@dataclass(frozen=True)
class NetFeatures:
    """All features that a net carries."""

    cores: int
    one_queue: bool
    expired: bool
    slices: Slices
    placement: str
    woken: str
    dynamic: Balancing | None
    priorities: dict[str, int]
    direction: int

    def level(self, task: Task, where: str) -> int:
        """How many levels below the best one a task's priority is.

        Raises:
            InputError: The scheduler does not have the priority.
        """
        priority = task.priority
        if isinstance(priority, str):
            if priority not in self.priorities:
                raise _core.InputError(
                    f"{where}.priority: unknown name `{priority}`: give a number or one of "
                    f"{', '.join(self.priorities)}"
                )
            priority = self.priorities[priority]
        level = (priority - self.priorities["best"]) * self.direction
        if 0 <= level < len(self.slices.levels):
            return level
        best, worst = self.priorities["best"], self.priorities["worst"]
        raise _core.InputError(f"{where}.priority = {priority}: must be from {best} to {worst}")


def net_features(features: str, cores: int) -> NetFeatures:
    """Return the features of the net.

    Args:
        features: A scheduler's features as JSON, from `scheduler_features`.
        cores: The number of cores, from 1 to 64.

    Raises:
        InputError: The net does not carry a feature; the message names all such features, and the
            changes.
    """
    table = json.loads(features)
    if not 1 <= cores <= 64:
        raise _core.InputError(f"cores = {cores}: must be from 1 to 64")
    if refused := list(_refused(table)):
        raise _core.InputError("\n  ".join(["the net does not carry all features:", *refused]))
    sharing, static = table["time_sharing"], table["balancing"]["static"]
    levels = sharing["levels"]
    dynamic = table["balancing"].get("dynamic")
    return NetFeatures(
        cores=cores,
        one_queue=table["run_queues"]["number"] == "one",
        expired=table["run_queues"]["arrays"] == "active-and-expired",
        slices=_slices(sharing),
        placement=static["policy"],
        woken=static["woken"],
        dynamic=None if dynamic is None else _balancing(dynamic),
        priorities=levels,
        direction=1 if levels["worst"] >= levels["best"] else -1,
    )


def _refused(table: dict[str, Any]) -> list[str]:
    """Say why each feature that is not carried is refused, and how to change it."""
    sharing, balancing = table["time_sharing"], table["balancing"]
    if sharing["discipline"] != "priorities":
        return [
            f'time_sharing.discipline = "{sharing["discipline"]}": the net shares cores by '
            'priorities and time slices only; name a scheduler of discipline = "priorities"'
        ]
    reasons = {
        "interactivity": "priorities in the net are static",
        "boosts": "priorities in the net are static",
        "starvation": "nothing in the net keeps a task from waiting for ever",
    }
    paths = {f"time_sharing.{key}": (sharing.get(key), why) for key, why in reasons.items()}
    granularity = sharing["slice"].get("granularity")
    paths["time_sharing.slice.granularity"] = (granularity, "it is for interactive tasks")
    refused = [
        f"{path}: {why}; change it by {path} = false"
        for path, (value, why) in paths.items()
        if value is not None
    ]
    if balancing["static"]["policy"] == "random":
        refused.append(
            'balancing.static.policy = "random": the net draws nothing at random; change it by '
            'balancing.static.policy = "cyclic-splitting", without probabilities'
        )
    if (balancing.get("dynamic") or {}).get("location") == "random":
        refused.append(
            'balancing.dynamic.location = "random": the net draws nothing at random; change it '
            'by balancing.dynamic.location = "broadcast"'
        )
    return refused


def _slices(sharing: dict[str, Any]) -> Slices:
    path, features, scale = "time_sharing.slice", sharing["slice"], sharing["levels"]
    length = microseconds(features["length"], f"{path}.length")
    above_average = features.get("length_above_average", features["length"])
    above = microseconds(above_average, f"{path}.length_above_average")
    minimum = microseconds(features.get("minimum", "0s"), f"{path}.minimum")
    count: int = abs(scale["worst"] - scale["best"]) + 1
    average: int = abs(scale["average"] - scale["best"])
    parts = count - average

    def slice_of(level: int) -> int:
        base = above if level < average else length
        if not features["by_priority"]:
            return max(base, minimum)
        if base * (count - level) % parts:
            raise _core.InputError(
                f"{path}.length: the slice {level} levels below the best priority is no whole "
                f"number of microseconds: give a multiple of {parts} microseconds"
            )
        return max(base * (count - level) // parts, minimum)

    costs = microseconds(features.get("wait_costs", "0s"), f"{path}.wait_costs")
    return Slices(tuple(map(slice_of, range(count))), costs)


def _balancing(features: dict[str, Any]) -> Balancing:
    path = "balancing.dynamic"
    index, transfer = features["load_index"], features["transfer"]
    when, selection = features["information"], features["selection"]
    span = microseconds(index.get("tick", index.get("time_span", "0s")), f"{path}.load_index")
    if index["kind"] == "average-queue-length" and span > TIME_SPAN_MAX:
        raise _core.InputError(
            f"{path}.load_index.time_span: CPN Tools' integers end before 128 times this many "
            "microseconds: at most 8s"
        )
    demand = when.get("demand_driven", "")
    bounds = None
    if transfer["policy"] == "threshold":
        bounds = (transfer["lower_bound"], transfer["upper_bound"])
    number = selection["number"]
    return Balancing(
        load_index=index["kind"],
        weight=int(index.get("weight", 0.0) * 1024 + 0.5),
        span=span,
        bounds=bounds,
        difference=transfer.get("difference", 0),
        location=features["location"],
        events=frozenset(when.get("state_change_driven", [])),
        sender=demand in ("sender-initiated", "symmetrically-initiated"),
        receiver=demand in ("receiver-initiated", "symmetrically-initiated"),
        periodic=microseconds(when.get("periodic", "0s"), f"{path}.information.periodic"),
        cache_affinity=microseconds(
            selection.get("cache_affinity", "0s"), f"{path}.selection.cache_affinity"
        ),
        best_first=selection["preferred_priority"] == "high",
        tail_first=selection["preferred_waiting_time"] == "short",
        number=None if number == "equalise" else number,
    )
