"""Steps that requests go through, before they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from thinktime.pcm.laws import Law, mean_of, mixed
from thinktime.pcm.values import Knowledge, Value, draws_of, law_of


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        kind: "use", "delay", "acquire", "release", "fork", or "start": parts of a fork that are not
            awaited.
        name: The machine, station or pool.
        demand: The demand or the time, in the model's units of time.
        parts: The parts of a fork.
        source: Its file and element.
    """

    kind: str
    name: str = ""
    demand: Value = 0.0
    parts: tuple[tuple[Step, ...], ...] = ()
    source: tuple[str, str] = ("", "")
    _seen: dict[tuple[object, ...], str] = field(default_factory=dict, compare=False, repr=False)

    def text(self, known: Knowledge) -> str:
        """The demand as text, cached because it is used often."""
        if self.kind not in ("use", "delay"):
            return ""
        at = tuple(known[draw] for draw in draws_of(self.demand) if draw in known)
        if at not in self._seen:
            self._seen[at] = mixed(demand(self, known), 1.0)
        return self._seen[at]


Steps = tuple[Step, ...]


def every(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, those of parts included."""
    for step in steps:
        yield step
        for part in step.parts:
            yield from every(part)


def demand(step: Step, known: Knowledge) -> list[tuple[float, float | Law]]:
    """The parts of a step's demand, given the known draws."""
    return law_of(step.demand, known)


def key(steps: Sequence[Step], known: Knowledge) -> tuple[object, ...]:
    """The identity of a list of steps: the same key means the same behaviour."""
    return tuple(
        (
            step.kind,
            step.name,
            step.text(known),
            tuple(key(part, known) for part in step.parts) if step.parts else (),
        )
        for step in steps
    )


def means(steps: Sequence[Step], known: Knowledge, weight: float) -> dict[tuple[str, str], float]:
    """The mean demand of each machine and station, and of delays, times `weight`."""
    found: dict[tuple[str, str], float] = {}
    for step in every(steps):
        if step.kind in ("use", "delay"):
            mean = sum(p * mean_of(part) for p, part in demand(step, known))
            place = (step.kind, step.name)
            found[place] = found.get(place, 0.0) + weight * mean
    return found
