"""Branches, loops and forks of service effect specifications."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from thinktime.pcm.composition import Service
from thinktime.pcm.evaluate import Frame, Proxy
from thinktime.pcm.laws import Chance, Law, mean_of
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import Outcome, averaged, joined, limited
from thinktime.pcm.steps import Step, Steps
from thinktime.pcm.values import Value, distribution, split
from thinktime.pcm.xmi import Element

if TYPE_CHECKING:
    from thinktime.pcm.seff import Translator

LOOPS_MAX = 100
"""Loops of more turns are carried as one turn with that many times the demand."""

STEPS_MAX = 500
"""The same holds for loops that would become more steps."""

REST = 1e-9
"""If no guard holds with a smaller probability than this, that case is left out."""


def shares(transitions: list[Element]) -> list[float]:
    """The probabilities of a branch's transitions, scaled to sum to 1.

    Raises:
        InputError: One is not a probability, or all are 0.
    """
    found = []
    for transition in transitions:
        text = transition.attributes.get("branchProbability", "0")
        try:
            p = float(text)
        except ValueError:
            p = -1.0
        if not 0 <= p <= 1:
            raise transition.error(f"branchProbability is {text!r}; it needs a number from 0 to 1")
        found.append(p)
    whole = sum(found)
    if whole <= 0:
        raise transitions[0].error("the probabilities of its branch are all 0; they must sum to 1")
    return [p / whole for p in found]


def branched(
    translator: Translator, action: Element, service: Service, before: Outcome
) -> list[Outcome]:
    """The ways of a branch: by probabilities, or by the first guard that holds."""
    transitions = action.all("branches_Branch")
    if not transitions:
        raise action.error("needs a branch")
    bodies = [one.one("branchBehaviour_BranchTransition") for one in transitions]
    if transitions[0].kind == "GuardedBranchTransition":
        return _guarded(translator, transitions, bodies, service, before)
    found: list[Outcome] = []
    for p, body in zip(shares(transitions), bodies, strict=True):
        if p > 0:
            start = replace(before, probability=before.probability * p)
            found += translator.behaviour(body, service, start)
    return found


def _guarded(
    translator: Translator,
    transitions: list[Element],
    bodies: list[Element],
    service: Service,
    before: Outcome,
) -> list[Outcome]:
    found: list[Outcome] = []
    left = [before]
    for number, (transition, body) in enumerate(zip(transitions, bodies, strict=True)):
        text = transition.specification("branchCondition_GuardedBranchTransition")
        condition = translator.evaluator.value(text, before.frame, transition)
        last = number == len(transitions) - 1 and _continuous(condition, before)
        otherwise: list[Outcome] = []
        for outcome in left:
            for p, holds, known in split(condition, outcome.known):
                if not isinstance(holds, bool):
                    raise transition.error(f"the condition {text!r} is neither true nor false")
                way = replace(outcome, probability=outcome.probability * p, known=known)
                if holds or last:
                    found += translator.behaviour(body, service, way)
                else:
                    otherwise.append(way)
        left = joined(otherwise)
    rest = sum(outcome.probability for outcome in left) / before.probability
    if rest > REST:
        action = transitions[0].parent or transitions[0]
        raise action.error(
            f"no condition holds with probability {rest:.3g}; the conditions must cover all cases"
        )
    return found


def _continuous(condition: Value, before: Outcome) -> bool:
    return any(isinstance(one, Chance) for _, one in distribution(condition, before.known))


def looped(
    translator: Translator, action: Element, service: Service, before: Outcome
) -> list[Outcome]:
    """The ways of a loop: its body repeated by its count, which is drawn once."""
    text = action.specification("iterationCount_LoopAction")
    count = translator.evaluator.value(text, before.frame, action)
    body = action.one("bodyBehaviour_Loop")
    found = []
    for times, way in counted(count, before, action, translator.notes):
        found += repeated(
            times, way, action, translator.notes, lambda at: translator.behaviour(body, service, at)
        )
    return found


def collected(
    translator: Translator, action: Element, service: Service, before: Outcome
) -> list[Outcome]:
    """The ways of a loop over a collection; the draws for an item are made anew for each."""
    parameter = action.reference("parameter_CollectionIteratorAction")
    name = parameter.attributes.get("parameterName", "")
    evaluator, body = translator.evaluator, action.one("bodyBehaviour_Loop")
    count = evaluator.value(f"{name}.NUMBER_OF_ELEMENTS", before.frame, action)

    def turn(at: Outcome) -> list[Outcome]:
        items: dict[str, Value | Proxy] = {}
        for known in at.frame.known():
            item = at.frame.find(known)
            if known.startswith(f"{name}.") and isinstance(item, Proxy):
                items[known] = evaluator.value(item.text, item.frame, item.element)
        inside = replace(at, frame=Frame(items, at.frame))
        after = translator.behaviour(body, service, inside)
        return [replace(way, frame=at.frame) for way in after]

    found = []
    for times, way in counted(count, before, action, translator.notes):
        found += repeated(times, way, action, translator.notes, turn)
    return found


def counted(
    count: Value, before: Outcome, action: Element, notes: Notes
) -> list[tuple[int, Outcome]]:
    """The possible counts of a loop, each with the way that has it."""
    found = []
    for p, one, known in split(count, before.known):
        if isinstance(one, str | bool):
            raise action.error("its count is no number")
        if isinstance(one, Law):
            notes.add(action.place, "a count with a continuous law is carried as its mean")
        times = round(mean_of(one))
        if times != mean_of(one):
            notes.add(action.place, f"the count {mean_of(one):g} is rounded to {times}")
        found.append((times, replace(before, probability=before.probability * p, known=known)))
    return found


def repeated(
    times: int,
    before: Outcome,
    action: Element,
    notes: Notes,
    turn: Callable[[Outcome], list[Outcome]],
) -> list[Outcome]:
    """The ways of this many turns, one after another."""
    if times <= 0:
        return [before]
    begin = len(before.steps)
    outcomes = limited(before, joined(turn(before)), 0, action, notes)
    longest = max(len(outcome.steps) for outcome in outcomes) - begin
    if times > LOOPS_MAX or times * longest > STEPS_MAX:
        text = (
            f"more than {LOOPS_MAX} turns or {STEPS_MAX} steps are carried as one turn, "
            "with that many times the mean demand"
        )
        notes.add(action.place, text)
        once = averaged(before, outcomes)
        more = [replace(step, demand=_times(step, times)) for step in once.steps[begin:]]
        return [replace(once, steps=before.steps + tuple(more))]
    for _ in range(times - 1):
        after: list[Outcome] = []
        for number, outcome in enumerate(outcomes):
            others = len(after) + len(outcomes) - number - 1
            after += limited(outcome, joined(turn(outcome)), others, action, notes)
        outcomes = joined(after)
    return outcomes


def _times(step: Step, times: int) -> float:
    assert isinstance(step.demand, float | int)  # the averaged value is a number
    return step.demand * times


def forked(
    translator: Translator, action: Element, service: Service, before: Outcome
) -> list[Outcome]:
    """The ways of a fork: its parts side by side."""
    found = [before]
    free = action.all("asynchronousForkedBehaviours_ForkAction")
    if free:
        found = _side_by_side(translator, free, "start", action, service, found)
    point = action.maybe("synchronisingBehaviours_ForkAction")
    if point is not None:
        parts = point.all("synchronousForkedBehaviours_SynchronisationPoint")
        found = _side_by_side(translator, parts, "fork", action, service, found)
    return found


def _side_by_side(
    translator: Translator,
    parts: list[Element],
    kind: str,
    action: Element,
    service: Service,
    before: list[Outcome],
) -> list[Outcome]:
    found: list[Outcome] = []
    for outcome in before:
        ways: list[tuple[Outcome, tuple[Steps, ...]]] = [(outcome, ())]
        for part in parts:
            longer: list[tuple[Outcome, tuple[Steps, ...]]] = []
            for number, (way, done) in enumerate(ways):
                start = replace(way, steps=())
                after = joined(translator.behaviour(part, service, start))
                others = len(longer) + len(ways) - number - 1
                after = limited(start, after, others, action, translator.notes)
                longer += [(one, (*done, one.steps)) for one in after]
            ways = longer
        for way, done in ways:
            steps = tuple(part for part in done if part)
            fork = Step(kind, "", 0.0, steps, action.place)
            end = replace(way, steps=outcome.steps, frame=outcome.frame, result=outcome.result)
            found.append(end.then(fork) if steps else end)
    return found
