"""Requests: the ways of a service as behaviours that a system file can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thinktime.pcm.laws import Law, mean_of, mixed
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import VARIANTS_MAX, Outcome, joined
from thinktime.pcm.pools import unbalanced, without
from thinktime.pcm.steps import Step, Steps, demand, every
from thinktime.pcm.values import Draw, Knowledge, draws_of


@dataclass(frozen=True)
class Variant:
    """One behaviour.

    Attributes:
        probability: The probability of this variant among those of its request.
        steps: Its steps; all parts are awaited, and places are taken and given back in turn.
        known: The known values of the draws that its demands depend on.
    """

    probability: float
    steps: Steps
    known: Knowledge


def variants(outcomes: Sequence[Outcome], notes: Notes) -> list[Variant]:
    """The behaviours of a request, with equal ones merged.

    If several demands depend on a draw, its values become separate behaviours, unless they are too
    many.
    """
    ways = [replace(outcome, steps=_balanced(outcome, notes)) for outcome in outcomes]
    ways = _alike(_shared_told_apart(ways, notes))
    whole = sum(way.probability for way in ways)
    return [Variant(way.probability / whole, way.steps, way.known) for way in ways]


def _alike(ways: Sequence[Outcome]) -> list[Outcome]:
    first = ways[0]
    return joined([replace(way, frame=first.frame, result={}, known=_only(way)) for way in ways])


def _only(way: Outcome) -> Knowledge:
    used = draws_of(*(step.demand for step in every(way.steps)))
    return {draw: support for draw, support in way.known.items() if draw in used}


def _balanced(outcome: Outcome, notes: Notes) -> Steps:
    steps = _awaited(_needed(outcome.steps, outcome.known), notes)
    wrong = unbalanced(steps)
    while wrong:
        for step in every(steps):
            if step.kind in ("acquire", "release") and step.name in wrong:
                text = "a place that one request does not take and give back in turn: not carried"
                notes.add(step.source, text)
        steps = without(steps, wrong)
        wrong = unbalanced(steps)
    return _awaited(_needed(steps, outcome.known), notes)


def _needed(steps: Steps, known: Knowledge) -> Steps:
    """The steps without demands of 0 and empty parts."""
    found: list[Step] = []
    for step in steps:
        if step.kind in ("use", "delay"):
            if any(mean_of(part) > 0 for _, part in demand(step, known)):
                found.append(step)
        elif step.parts:
            parts = tuple(part for part in (_needed(one, known) for one in step.parts) if part)
            if len(parts) == 1 and step.kind == "fork":
                found += parts[0]
            elif parts:
                found.append(replace(step, parts=parts))
        else:
            found.append(step)
    return tuple(found)


def _awaited(steps: Steps, notes: Notes) -> Steps:
    """The steps, with unawaited parts beside the next steps, up to the next pool."""
    found: list[Step] = []
    for number, step in enumerate(steps):
        if step.kind != "start":
            parts = tuple(_awaited(part, notes) for part in step.parts)
            found.append(replace(step, parts=parts))
            continue
        rest = steps[number + 1 :]
        end = next(
            (at for at, one in enumerate(rest) if one.kind in ("acquire", "release")), len(rest)
        )
        beside, after = _awaited(rest[:end], notes), _awaited(rest[end:], notes)
        text = (
            "asynchronous parts run beside what follows; in the end the request waits for them, "
            "so that its response time is longer"
        )
        if after:
            text += "; steps that take or give back a place wait for them too"
        notes.add(step.source, text)
        parts = tuple(_awaited(part, notes) for part in step.parts)
        parts += (beside,) if beside else ()
        if len(parts) == 1:
            return (*found, *parts[0], *after)
        return (*found, replace(step, kind="fork", parts=parts), *after)
    return tuple(found)


def _shared_told_apart(ways: list[Outcome], notes: Notes) -> list[Outcome]:
    found = list(ways)
    for number in range(len(found)):
        for draw in _shared(found[number]):
            support = found[number].known.get(draw, draw.support)
            if len(found) + len(support) - 1 > VARIANTS_MAX:
                text = f"a draw of {_short(draw.text)} decides on several demands: each draws anew"
                notes.add(_source(found[number], draw), text)
                continue
            way = found[number]
            apart = [
                replace(
                    way,
                    probability=way.probability * p,
                    known={**way.known, draw: ((value, 1.0),)},
                )
                for value, p in support
            ]
            found[number : number + 1] = apart
            return _shared_told_apart(found, notes)
        _laws_noted(found[number], notes)
    return found


def _shared(way: Outcome) -> list[Draw]:
    """The draws that more than one demand of a way depends on."""
    times: dict[Draw, int] = {}
    for step in every(way.steps):
        for draw in draws_of(step.demand):
            if len(way.known.get(draw, draw.support)) > 1:
                times[draw] = times.get(draw, 0) + 1
    return [draw for draw, count in times.items() if count > 1]


def _source(way: Outcome, draw: Draw) -> tuple[str, str]:
    return next(step.source for step in every(way.steps) if draw in draws_of(step.demand))


def _laws_noted(way: Outcome, notes: Notes) -> None:
    seen: dict[int, int] = {}
    for step in every(way.steps):
        parts = demand(step, way.known)
        for origin in {law.origin for _, law in parts if isinstance(law, Law)}:
            seen[origin] = seen.get(origin, 0) + 1
            if seen[origin] == 2:
                text = "a draw of a continuous law decides on several demands: each draws anew"
                notes.add(step.source, text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def written(step: Step, known: Knowledge, unit_s: float) -> str:
    """The demand or time of a step, in seconds, as files write it."""
    return mixed(demand(step, known), unit_s)
