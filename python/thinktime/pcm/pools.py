"""Passive resources: pools of places that requests take and give back."""

from __future__ import annotations

from dataclasses import dataclass, field

from thinktime.pcm.composition import Place, Service
from thinktime.pcm.evaluate import Evaluator
from thinktime.pcm.laws import Law
from thinktime.pcm.names import Names
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import Outcome
from thinktime.pcm.steps import Step, Steps
from thinktime.pcm.values import draws_of, mean
from thinktime.pcm.xmi import Element

SIZE_MAX = 1_000_000


@dataclass
class Pool:
    """A pool of the system file: its name, its places, and its source."""

    name: str
    size: int
    comment: str


@dataclass
class Pools:
    """The pools of all components; the same component type at two places has two."""

    evaluator: Evaluator
    notes: Notes
    names: Names
    made: dict[tuple[Place, Element], Pool] = field(default_factory=dict)

    def step(self, action: Element, service: Service, before: Outcome) -> Outcome:
        """The way with a place taken or given back at its end."""
        take = action.kind == "AcquireAction"
        # The metamodel spells the two references differently.
        name = "passiveresource_AcquireAction" if take else "passiveResource_ReleaseAction"
        resource = action.reference(name)
        if take and action.attributes.get("timeout") == "true":
            self.notes.add(action.place, "the timeout is not carried: it waits without end")
        pool = self._pool(resource, service, before)
        kind = "acquire" if take else "release"
        return before.then(Step(kind, pool.name, 0.0, (), action.place))

    def _pool(self, resource: Element, service: Service, before: Outcome) -> Pool:
        known = (service.place, resource)
        if known not in self.made:
            text = resource.specification("capacity_PassiveResource")
            value = self.evaluator.value(text, before.frame, resource)
            if draws_of(value) or isinstance(value, Law):
                self.notes.add(resource.place, "a random capacity is carried as its mean")
            found = mean(value)
            size = 0 if isinstance(found, str) else round(found)
            if not 1 <= size <= SIZE_MAX:
                raise resource.error(f"needs a capacity of 1 to {SIZE_MAX}, not {text}")
            comment = f"{resource.file.name}: {service.component.name}, {resource.name}"
            self.made[known] = Pool(self.names.unique(resource.name), size, comment)
        return self.made[known]


def unbalanced(steps: Steps, held: frozenset[str] = frozenset()) -> set[str]:
    """The pools that a part does not take and give back in turn by itself.

    Args:
        steps: The steps of a request or of a part of a fork.
        held: The pools of which it already holds a place.
    """
    found: set[str] = set()
    own: set[str] = set()
    for step in steps:
        if step.kind == "acquire":
            if step.name in own | held:
                found.add(step.name)
            own.add(step.name)
        elif step.kind == "release":
            if step.name not in own:
                found.add(step.name)
            own.discard(step.name)
        for part in step.parts:
            found |= unbalanced(part, held | own)
    return found | own


def without(steps: Steps, pools: set[str]) -> Steps:
    """The steps without those that take or give back a place of these pools."""
    return tuple(
        Step(
            step.kind,
            step.name,
            step.demand,
            tuple(without(part, pools) for part in step.parts),
            step.source,
        )
        for step in steps
        if not (step.kind in ("acquire", "release") and step.name in pools)
    )
