"""The advice in one sentence: the model to plan with, and the errors of other load tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from thinktime.learn.advice.advice import MISLEADS
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.advice.advice import Advice

_MODELS = {
    "open": "an open model, in which requests come at a rate, whatever the answers",
    "partly-open": "a partly-open model, in which users come at a rate, ask several times and "
    "leave",
    "closed": "a closed model, in which a fixed number of users each wait for the answer before "
    "they ask again",
}
_TESTS = {"open": "an open load test", "closed": "a closed load test"}


def plan(advice: Advice) -> str:
    """The model to plan with; without a full stop."""
    others = [
        f"{_TESTS[name]} would show {_times(ratios)}"
        for name, ratios in advice.misleading_if.items()
        if name != advice.model
    ]
    other_words = f": {'; '.join(others)}" if others else ""
    return f"Plan with {_MODELS[advice.model]}{other_words}"


def apart(learned: Learned) -> str:
    """Why the advised model differs from the one found; empty if it does not."""
    found, advice = learned.parts[0].population, learned.advice
    if found.model == advice.model:
        return ""
    return (
        f"The {found.name} are {found.model}, and so they are in the workload file; at load "
        f"{advice.load:g} the {advice.model} model, which is simpler, shows about the "
        "same response times."
        if _is_alike(advice)
        else f"The {found.name} were found to be {found.model}, and so they are in the workload "
        f"file; the rule of thumb advises {advice.model}."
    )


def _is_alike(advice: Advice) -> bool:
    """Whether the advised model was simulated and gives the same times."""
    ratios = advice.misleading_if.get(advice.model)
    return ratios is not None and not _apart(ratios)


def _times(ratios: Mapping[str, float]) -> str:
    """A model's times compared with those of the learned one."""
    if not _apart(ratios):
        return "about the same response times"
    words = [
        f"{_share(ratios[key])} {name}"
        for key, name in (("mean_ratio", "mean response time"), ("p99_ratio", "p99"))
    ]
    return " and ".join(words)


def _apart(ratios: Mapping[str, float]) -> bool:
    return max(abs(ratios[key] - 1) for key in ("mean_ratio", "p99_ratio")) >= MISLEADS


def _share(ratio: float) -> str:
    """As in `half of the`, `31 % of the` and `1.56 times the`."""
    if abs(ratio - 1) < MISLEADS:
        return "about the same"
    if ratio > 1:
        return f"{units.number(ratio)} times the"
    return "half of the" if abs(ratio - 0.5) < 0.03 else f"{units.percent(ratio)} of the"
