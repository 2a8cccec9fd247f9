"""Service effect specifications: from a service to the steps of a behaviour.

Semantics as in SimuLizar, the reference simulator: a called service sees its inputs and its
component's parameters alone; the first guard that holds decides on a branch; a loop's count is
drawn once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from thinktime.pcm.composition import Allocation, Service, called
from thinktime.pcm.control import branched, collected, forked, looped
from thinktime.pcm.evaluate import Evaluator, Frame, Proxy
from thinktime.pcm.laws import Amount, Law
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import Outcome, joined, limited
from thinktime.pcm.pools import Pools
from thinktime.pcm.resources import SIGNATURES, Resource, Resources, resource_type
from thinktime.pcm.steps import Step
from thinktime.pcm.values import Value, combined
from thinktime.pcm.variables import evaluated
from thinktime.pcm.xmi import Element

CALLS_MAX = 50
"""Deeper chains of calls are refused: services that call one another without end."""


@dataclass
class Translator:
    """Follows services through the components of a system.

    Attributes:
        allocation: The container of each component.
        service_of: The name by which a component uses a machine.
    """

    evaluator: Evaluator
    notes: Notes
    resources: Resources
    pools: Pools
    allocation: Allocation
    service_of: Callable[[Service, Resource], str]
    depth: int = 0

    def run(
        self, before: Outcome, service: Service, inputs: Mapping[str, Value | Proxy]
    ) -> list[Outcome]:
        """The ways through a service; each has the caller's frame and the returned values."""
        if self.depth >= CALLS_MAX:
            raise service.seff.error(
                f"is called {CALLS_MAX} calls deep; services must not call one another without end"
            )
        self.depth += 1
        for outer in service.place[:-1]:
            if outer.maybe("configParameterUsages__AssemblyContext"):
                text = "parameters of a composite component are left out, as in SimuLizar"
                self.notes.add(outer.place, text)
        frame = Frame(inputs)
        usages = service.component.all("componentParameterUsage_ImplementationComponentType")
        frame = Frame(evaluated(usages, frame, self.evaluator), frame)
        usages = service.place[-1].all("configParameterUsages__AssemblyContext")
        frame = Frame(evaluated(usages, frame, self.evaluator), frame)
        start = replace(before, frame=frame, result={})
        outcomes = self.behaviour(service.seff, service, start)
        self.depth -= 1
        return joined([replace(outcome, frame=before.frame) for outcome in outcomes])

    def behaviour(self, behaviour: Element, service: Service, before: Outcome) -> list[Outcome]:
        """The ways through the actions of a behaviour, one after another."""
        outcomes = [before]
        for action in chain(
            behaviour, "steps_Behaviour", "StartAction", "successor_AbstractAction"
        ):
            after: list[Outcome] = []
            for number, outcome in enumerate(outcomes):
                others = len(after) + len(outcomes) - number - 1
                ways = joined(self.action(action, service, outcome))
                after += limited(outcome, ways, others, action, self.notes)
            outcomes = joined(after)
        return outcomes

    def action(self, action: Element, service: Service, before: Outcome) -> list[Outcome]:
        """The ways through one action."""
        if action.kind != "InternalAction" and action.maybe(
            "resourceDemand_Action", "infrastructureCall__Action"
        ):
            self.notes.add(action.place, "its own demands are left out, as in SimuLizar")
        match action.kind:
            case "StartAction" | "StopAction":
                return [before]
            case "InternalAction":
                return [self.internal(action, service, before)]
            case "ExternalCallAction":
                return self.external(action, service, before)
            case "AcquireAction" | "ReleaseAction":
                return [self.pools.step(action, service, before)]
            case "BranchAction":
                return branched(self, action, service, before)
            case "LoopAction":
                return looped(self, action, service, before)
            case "CollectionIteratorAction":
                return collected(self, action, service, before)
            case "ForkAction":
                return forked(self, action, service, before)
            case "SetVariableAction":
                usages = action.all("localVariableUsages_SetVariableAction")
                values = evaluated(usages, before.frame, self.evaluator)
                return [replace(before, result={**before.result, **values})]
        self.notes.add(action.place, f"{action.kind} is not carried: left out")
        return [before]

    def internal(self, action: Element, service: Service, before: Outcome) -> Outcome:
        """The demands of an internal action, one after another."""
        container = self.allocation.container(service.place)
        for demand in action.all("resourceDemand_Action"):
            kind = resource_type(demand, "requiredResource_ParametricResourceDemand")
            text = demand.specification(
                "specification_ParametericResourceDemand", "specification_ParametricResourceDemand"
            )
            before = self.demanded(before, service, container, kind, text, demand)
        for call in action.all("resourceCall__Action"):
            link = call.link("signature__ResourceCall") or ""
            kind = SIGNATURES.get(link.rpartition("#")[2], "")
            if not kind:
                raise call.error(f"the resource signature {link!r} is unknown")
            text = call.specification("numberOfCalls__ResourceCall")
            before = self.demanded(before, service, container, kind, text, call)
        if action.maybe("infrastructureCall__Action"):
            self.notes.add(action.place, "calls of infrastructure components are left out")
        if action.maybe("internalFailureOccurrenceDescriptions__InternalAction"):
            self.notes.add(action.place, "failures are left out")
        return before

    def demanded(
        self,
        before: Outcome,
        service: Service,
        container: Element,
        kind: str,
        text: str,
        element: Element,
    ) -> Outcome:
        """The way with a demand on a resource at its end."""
        resource = self.resources.resource(container, kind, element)
        demand = self.divided(
            self.evaluator.value(text, before.frame, element), resource.rate, element
        )
        resource.used = True
        source = element.parent.place if element.parent else element.place
        if resource.kind == "delay":
            return before.then(Step("delay", "", demand, (), source))
        name = self.service_of(service, resource)
        return before.then(Step("use", name, demand, (), source))

    def divided(self, work: Value, rate: Value, element: Element) -> Value:
        """The time of an amount of work at a rate, in the model's units."""

        def time(amount: Amount, speed: Amount) -> Amount:
            if isinstance(amount, str | bool) or isinstance(speed, str | bool):
                raise element.error("its demand is no number")
            if isinstance(speed, Law):
                self.notes.add(element.place, "a random processing rate is carried as its mean")
                speed = speed.mean
            if isinstance(amount, Law):
                return amount.scaled(1.0 / speed)
            return amount / speed

        return combined(time, (work, rate), lambda: self._too_many(element))

    def _too_many(self, element: Element) -> None:
        text = "too many combinations of random values: carried with their means"
        self.notes.add(element.place, text)

    def external(self, action: Element, service: Service, before: Outcome) -> list[Outcome]:
        """A call of another component, with the time on the network if there is a link."""
        role = action.reference("role_ExternalService")
        signature = action.reference("calledService_ExternalService")
        target = called(service.place, role, signature)
        if target is None:
            text = f"the system requires {role.name!r} from outside: the call is left out"
            self.notes.add(action.place, text)
            return [before]
        if action.attributes.get("retryCount", "0") != "0":
            self.notes.add(action.place, "retries after failures are left out")
        inputs = evaluated(
            action.all("inputVariableUsages__CallAction"), before.frame, self.evaluator
        )
        sent = self.transmitted(before, service, target, inputs, action)
        outcomes = []
        for outcome in self.run(sent, target, inputs):
            back = self.transmitted(outcome, service, target, outcome.result, action)
            usages = action.all("returnVariableUsage__CallReturnAction")
            values = evaluated(usages, Frame(outcome.result), self.evaluator)
            frame = Frame(values, before.frame) if values else before.frame
            outcomes.append(replace(back, frame=frame, result=before.result))
        return outcomes

    def transmitted(
        self,
        before: Outcome,
        caller: Service,
        target: Service,
        payload: Mapping[str, Value | Proxy],
        action: Element,
    ) -> Outcome:
        """The way with the time on the network at its end, if caller and target are apart."""
        one, other = (self.allocation.container(at.place) for at in (caller, target))
        if one is other:
            return before
        link = self.resources.link(one, other)
        if link is None:
            text = f"no link between {one.name} and {other.name}: the network takes no time"
            self.notes.add(action.place, text)
            return before
        specification = link.one("communicationLinkResourceSpecifications_LinkingResource")
        text = specification.specification("latency_CommunicationLinkResourceSpecification")
        wait = self.evaluator.value(text, Frame(), specification)
        before = before.then(Step("delay", "", wait, (), link.place))
        sizes = [
            value
            for name, value in payload.items()
            if name.endswith(".BYTESIZE") and not isinstance(value, Proxy)
        ]
        if not sizes:
            return before
        names = [f"x{index}.VALUE" for index in range(len(sizes))]
        frame = Frame(dict(zip(names, sizes, strict=True)))
        size = self.evaluator.value(" + ".join(names), frame, action)
        line = self.resources.line(link)
        line.used = True
        demand = self.divided(size, line.rate, link)
        return before.then(Step("use", line.name, demand, (), link.place))


def chain(behaviour: Element, steps: str, start: str, successor: str) -> list[Element]:
    """The actions of a behaviour, from its start along the successors.

    Raises:
        InputError: There is no start, or the successors form a circle.
    """
    actions = behaviour.all(steps)
    at = next((action for action in actions if action.kind == start), None)
    if at is None:
        raise behaviour.error(f"needs a {start}")
    found: list[Element] = []
    while True:
        found.append(at)
        if len(found) > len(actions):
            raise behaviour.error("its actions go round: a successor comes before its action")
        if not at.link(successor):
            return found
        at = at.reference(successor)
