"""Ways through a model: behaviours have no branches in Thinktime, so each way is a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from thinktime.pcm.evaluate import Frame, Proxy
from thinktime.pcm.notes import Notes
from thinktime.pcm.steps import Step, Steps, key, means
from thinktime.pcm.values import Knowledge, Value
from thinktime.pcm.xmi import Element

VARIANTS_MAX = 64
"""More ways than these are carried with their mean demands."""

LAST = 8
"""The number of last steps that are compared first, before all steps are."""


@dataclass(frozen=True)
class Outcome:
    """One way through a part of the model.

    Attributes:
        probability: The probability of this way.
        steps: Its steps.
        known: The draws that it has decided.
        frame: The variables at its end.
        result: The returned values, as in `RETURN.BYTESIZE`.
    """

    probability: float = 1.0
    steps: Steps = ()
    known: Knowledge = field(default_factory=dict)
    frame: Frame = field(default_factory=Frame)
    result: Mapping[str, Value | Proxy] = field(default_factory=dict)

    def then(self, *steps: Step) -> Outcome:
        """The same way with more steps at its end."""
        return replace(self, steps=self.steps + steps)


def joined(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The ways of a probability above 0; ways with the same steps and end are merged."""
    outcomes = [outcome for outcome in outcomes if outcome.probability > 0]
    if len(outcomes) <= 1:
        return outcomes
    found: dict[tuple[object, ...], list[Outcome]] = {}
    for outcome in outcomes:
        ending = (id(outcome.frame), tuple((k, id(v)) for k, v in outcome.result.items()))
        state = tuple((id(draw), support) for draw, support in outcome.known.items())
        # All steps are compared only if the ends are alike: ways become long.
        last = key(outcome.steps[-LAST:], outcome.known)
        alike = found.setdefault((len(outcome.steps), last, ending, state), [])
        for at, other in enumerate(alike):
            if key(other.steps, other.known) == key(outcome.steps, outcome.known):
                probability = other.probability + outcome.probability
                alike[at] = replace(other, probability=probability)
                break
        else:
            alike.append(outcome)
    return [outcome for alike in found.values() for outcome in alike]


def limited(
    before: Outcome, after: list[Outcome], others: int, action: Element, notes: Notes
) -> list[Outcome]:
    """The ways that an action leads to, or one with their mean demands if they are too many.

    Args:
        before: The way up to the action.
        after: The ways that it becomes.
        others: The number of other ways.
        action: The action, for the note.
        notes: They record that variants are left out.
    """
    if len(after) <= 1 or others + len(after) <= VARIANTS_MAX:
        return after
    text = (
        f"more than {VARIANTS_MAX} variants: its ways are carried as one with the mean demands, "
        "without forks and without places of pools"
    )
    notes.add(action.place, text)
    return [averaged(before, after)]


def averaged(before: Outcome, after: Sequence[Outcome]) -> Outcome:
    """One way with the mean demands of several that begin alike."""
    whole = sum(outcome.probability for outcome in after)
    sums: dict[tuple[str, str], float] = {}
    source = ("", "")
    for outcome in after:
        tail = outcome.steps[len(before.steps) :]
        source = next((step.source for step in tail), source)
        for place, mean in means(tail, outcome.known, outcome.probability / whole).items():
            sums[place] = sums.get(place, 0.0) + mean
    steps = [Step(kind, name, mean, (), source) for (kind, name), mean in sums.items() if mean > 0]
    likely = max(after, key=lambda outcome: outcome.probability)
    return Outcome(
        whole, before.steps + tuple(steps), before.known, likely.frame, dict(likely.result)
    )
