"""A schedule from its events, and an interesting stretch of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thinktime import Result

_SHOWN = 160  # turns of a stretch
_SHOWN_MIN, _SHOWN_MAX = 24, 480  # with this many turns another stretch is still readable
_STEP = 16  # the distance in turns between the beginnings of stretches


@dataclass(frozen=True, order=True)
class Core:
    """A core of a machine."""

    place: int
    """The machine's number in the system, from 1."""

    number: int
    """From 0."""

    machine: str
    """The machine's name."""


@dataclass(frozen=True)
class Turn:
    """A span in which a core had a task; times are in seconds since the start of the run."""

    core: Core
    name: str
    """The request's name."""

    task: int
    session: int
    from_s: float
    length_s: float

    @property
    def until_s(self) -> float:
        """The time at which the task left the core."""
        return self.from_s + self.length_s


@dataclass(frozen=True)
class Move:
    """The move of a task from one core's queue to another's, at a time in seconds."""

    name: str
    task: int
    at_s: float
    source: Core
    to: Core


@dataclass(frozen=True)
class Schedule:
    """The first turns of the cores of all machines, and the moves meanwhile."""

    cores: Sequence[Core]
    """All cores, busy or not."""

    turns: Sequence[Turn]
    """Sorted by time."""

    moves: Sequence[Move]


def schedule_of(result: Result) -> Schedule | None:
    """The schedule of a result, or None."""
    events = result.schedule
    cores = _cores(events)
    turns = [
        Turn(
            core=cores[event["pid"], event["tid"]],
            name=event["name"],
            task=event["args"]["task"],
            session=event["args"]["session"],
            from_s=event["ts"] * 1e-6,
            length_s=event["dur"] * 1e-6,
        )
        for event in events
        if event["ph"] == "X"
    ]
    moves = [
        Move(
            name=event["name"],
            task=event["args"]["task"],
            at_s=event["ts"] * 1e-6,
            source=cores[event["pid"], event["args"]["from"]],
            to=cores[event["pid"], event["tid"]],
        )
        for event in events
        if event["ph"] == "i" and event["args"].get("from") is not None
    ]
    if not turns:
        return None
    turns.sort(key=lambda turn: (turn.from_s, turn.core))
    return Schedule(sorted(cores.values()), turns, moves)


def _cores(events: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], Core]:
    """The cores by the numbers of their process and thread."""
    named = [event for event in events if event["ph"] == "M"]
    machines = {e["pid"]: e["args"]["name"] for e in named if e["name"] == "process_name"}
    threads = [(e["pid"], e["tid"]) for e in named if e["name"] == "thread_name"]
    return {(pid, tid): Core(pid, tid, machines[pid]) for pid, tid in threads}


def window(turns: Sequence[Turn], like: tuple[float, float] | None = None) -> tuple[float, float]:
    """A readable stretch in which the cores are busy, from and to in seconds.

    Among stretches of equally many turns whose cores are about as busy as they ever are, it has the
    most tasks. `like` is taken if it has a readable number of turns, so that schedules of the same
    requests can be laid side by side.
    """
    if like is not None:
        inside = sum(turn.until_s > like[0] and turn.from_s < like[1] for turn in turns)
        if _SHOWN_MIN <= inside <= _SHOWN_MAX:
            return like
    starts = range(0, max(1, len(turns) - _SHOWN + 1), _STEP)
    stretches = [turns[start : start + _SHOWN] for start in starts]
    shares = [_busy(stretch) for stretch in stretches]
    most = max(shares)
    busy = [s for s, share in zip(stretches, shares, strict=True) if share >= 0.9 * most]
    best = max(busy, key=lambda stretch: len({turn.task for turn in stretch}))
    return best[0].from_s, max(turn.until_s for turn in best)


def _busy(turns: Sequence[Turn]) -> float:
    """The mean number of cores with a task, from the first turn to the end of the last."""
    span_s = max(turn.until_s for turn in turns) - turns[0].from_s
    return sum(turn.length_s for turn in turns) / span_s if span_s > 0 else 0.0
