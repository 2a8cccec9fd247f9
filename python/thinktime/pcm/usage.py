"""Usage scenarios: the services that users call, how often, and when.

A pass is all that one user does from arriving to leaving: calls and delays, one after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from thinktime.pcm.control import counted, shares
from thinktime.pcm.evaluate import Evaluator, Frame, Proxy
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import VARIANTS_MAX, Outcome, joined
from thinktime.pcm.seff import chain
from thinktime.pcm.steps import Step
from thinktime.pcm.values import Value
from thinktime.pcm.variables import evaluated
from thinktime.pcm.xmi import Element

TURNS_MAX = 1000
"""Loops of users with more turns are refused."""


@dataclass(frozen=True)
class Workload:
    """Who comes.

    Attributes:
        model: "open" or "closed".
        time: The times between arrivals, or the think time.
        clients: The users of a closed workload, otherwise 0.
        element: Its place.
    """

    model: str
    time: Value
    clients: int
    element: Element


@dataclass
class Scenario:
    """A usage scenario.

    Attributes:
        element: Its place.
        workload: The arrivals of users.
        passes: The ways through it, with their probabilities: of each step, `use` is a call, whose
            name is the number of its place in `calls`.
        calls: The calls, each with the values of its inputs.
    """

    element: Element
    workload: Workload
    passes: list[Outcome]
    calls: list[tuple[Element, Mapping[str, Value | Proxy]]]

    @property
    def single(self) -> bool:
        """Whether each pass is one call and nothing else."""
        return all(len(way.steps) == 1 and way.steps[0].kind == "use" for way in self.passes)


def scenario(element: Element, evaluator: Evaluator, notes: Notes) -> Scenario:
    """The usage scenario that an element describes.

    Raises:
        InputError: It has no workload, or an invalid one.
    """
    reader = _Reader(evaluator, notes, [])
    body = element.one("scenarioBehaviour_UsageScenario")
    passes = joined(reader.behaviour(body, Outcome()))
    found = Scenario(element, _workload(element, evaluator), passes, reader.calls)
    if not any(step.kind == "use" for way in passes for step in way.steps):
        raise element.error("calls nothing; it needs an EntryLevelSystemCall")
    return found


def _workload(element: Element, evaluator: Evaluator) -> Workload:
    given = element.one("workload_UsageScenario")
    if given.kind == "OpenWorkload":
        text = given.specification("interArrivalTime_OpenWorkload")
        return Workload("open", evaluator.value(text, Frame(), given), 0, given)
    if given.kind != "ClosedWorkload":
        raise given.error("is neither an OpenWorkload nor a ClosedWorkload")
    text = given.specification("thinkTime_ClosedWorkload")
    clients = given.attributes.get("population", "0")
    if not clients.isdigit() or not 1 <= int(clients) <= 10_000_000:
        raise given.error(f"population is {clients!r}; it needs a whole number of 1 or more")
    return Workload("closed", evaluator.value(text, Frame(), given), int(clients), given)


@dataclass
class _Reader:
    evaluator: Evaluator
    notes: Notes
    calls: list[tuple[Element, Mapping[str, Value | Proxy]]]

    def behaviour(self, behaviour: Element, before: Outcome) -> list[Outcome]:
        outcomes = [before]
        for action in chain(behaviour, "actions_ScenarioBehaviour", "Start", "successor"):
            after: list[Outcome] = []
            for number, outcome in enumerate(outcomes):
                others = len(after) + len(outcomes) - number - 1
                ways = joined(self.action(action, outcome))
                after += _kept(ways, others, action, self.notes)
            outcomes = joined(after)
        return outcomes

    def action(self, action: Element, before: Outcome) -> list[Outcome]:
        match action.kind:
            case "Start" | "Stop":
                return [before]
            case "EntryLevelSystemCall":
                usages = action.all("inputParameterUsages_EntryLevelSystemCall")
                number = self._number(action, evaluated(usages, before.frame, self.evaluator))
                if action.maybe("outputParameterUsages_EntryLevelSystemCall"):
                    self.notes.add(action.place, "the call's result is not carried")
                return [before.then(Step("use", str(number), 1.0, (), action.place))]
            case "Delay":
                text = action.specification("timeSpecification_Delay")
                wait = self.evaluator.value(text, Frame(), action)
                return [before.then(Step("delay", "", wait, (), action.place))]
            case "Branch":
                return self.branch(action, before)
            case "Loop":
                text = action.specification("loopIteration_Loop")
                count = self.evaluator.value(text, Frame(), action)
                body = action.one("bodyBehaviour_Loop")
                found = []
                for times, way in counted(count, before, action, self.notes):
                    found += self.turns(action, body, times, way)
                return found
        self.notes.add(action.place, f"{action.kind} is not carried: left out")
        return [before]

    def turns(self, action: Element, body: Element, times: int, before: Outcome) -> list[Outcome]:
        if times > TURNS_MAX:
            raise action.error(f"has {times} turns; at most {TURNS_MAX} can be carried")
        outcomes = [before]
        for _ in range(times):
            after: list[Outcome] = []
            for number, outcome in enumerate(outcomes):
                others = len(after) + len(outcomes) - number - 1
                ways = joined(self.behaviour(body, outcome))
                after += _kept(ways, others, action, self.notes)
            outcomes = joined(after)
        return outcomes

    def _number(self, action: Element, inputs: Mapping[str, Value | Proxy]) -> int:
        """The number of the call: the same in each turn of a loop."""
        for number, (call, _) in enumerate(self.calls):
            if call is action:
                return number
        self.calls.append((action, inputs))
        return len(self.calls) - 1

    def branch(self, action: Element, before: Outcome) -> list[Outcome]:
        transitions = action.all("branchTransitions_Branch")
        if not transitions:
            raise action.error("needs a branch")
        found: list[Outcome] = []
        for p, transition in zip(shares(transitions), transitions, strict=True):
            body = transition.one("branchedBehaviour_BranchTransition")
            if p > 0:
                way = replace(before, probability=before.probability * p)
                found += self.behaviour(body, way)
        return found


def _kept(ways: Sequence[Outcome], others: int, action: Element, notes: Notes) -> list[Outcome]:
    """The ways of a user's action; if they are too many, the most probable one alone."""
    if len(ways) <= 1 or others + len(ways) <= VARIANTS_MAX:
        return list(ways)
    text = "too many ways through the scenario: the most probable one is carried for all"
    notes.add(action.place, text)
    likely = max(ways, key=lambda way: way.probability)
    return [replace(likely, probability=sum(way.probability for way in ways))]
