"""Test plans of JMeter: thread groups, HTTP samplers, timers and header managers.

Source: https://jmeter.apache.org/usermanual/component_reference.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from thinktime import InputError
from thinktime.importing.addresses import one_origin
from thinktime.importing.draft import (
    Draft,
    Population,
    Request,
    in_order,
    seconds,
    stem,
    with_names,
)
from thinktime.importing.jmeter import assertions, samplers, thread_groups
from thinktime.importing.jmeter import choices as plan_choices
from thinktime.importing.jmeter.choices import Choice
from thinktime.importing.jmeter.settings import Plan, is_setting, note_data, scope_of
from thinktime.importing.jmeter.timers import TIMERS, Timer, total
from thinktime.importing.jmeter.tree import Filling, Scope, arguments, pairs, place_of, properties
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element, from_xml

AROUND = ("SetupThreadGroup", "PostThreadGroup")
SAMPLERS = ("HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2")
TRANSPARENT = {
    "GenericController": "",
    "TransactionController": "",
    "LoopController": "its content is sent once in each turn",
    "OnceOnlyController": "its content is sent once in each turn",
    "WhileController": "its content is sent once in each turn",
    "ForeachController": "its content is sent once in each turn",
    "RunTime": "its content is sent once in each turn",
    "IfController": "its condition is not read: its content is sent in each turn",
    "CriticalSectionController": "its lock is left out: users do not wait for one another",
    "RandomOrderController": "its content is sent in the order of the plan",
    "com.blazemeter.jmeter.controller.ParallelSampler": "its requests are sent one after the other",
}
"""Controllers whose content is carried, with what is said of them."""


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a plan: each thread group is a closed population.

    Raises:
        InputError: It is not XML, not a plan of JMeter, or has no request that could be sent.
    """
    # The text is not bytes any more, so the encoding that it names does not apply.
    root = from_xml(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode("utf-8", "replace"), file)
    if root.tag != "jmeterTestPlan":
        raise InputError(f"{file}: is no test plan of JMeter: it begins with `{root.tag}`")
    plan = Plan(Notes())
    for tree in root.children:
        _walk(plan, tree, Scope())
    found = [one for population in plan.populations for one in population.requests]
    origin, kept = one_origin(found, plan.notes)
    taken = set(kept)
    populations = [one for one in (_kept(plan, all_, taken) for all_ in plan.populations) if one]
    if not populations:
        text = "has no HTTP sampler that could be taken in a thread group"
        raise InputError(f"{file}: {text}{plan.notes.reasons()}")
    if plan.cookies:
        for population in populations:
            population.session["cookies"] = True
    with_names(populations)
    options = f"--duration {seconds(plan.durations[0])}" if plan.durations else ""
    source = f"{name} (a test plan of JMeter)"
    return Draft(stem(name), source, populations, plan.notes, origin, options)


def _kept(plan: Plan, given: Population, taken: set[Request]) -> Population | None:
    """A population with the requests that go to the target; None if there are none."""
    requests = given.requests = [one for one in given.requests if one in taken]
    if not requests:
        return None
    if len(requests) > 1:
        in_order(requests)
        plan_choices.part_ways(given, plan.choices)
    if given.arrivals["model"] != "closed" and len(requests) == 1:
        given.arrivals["model"] = "open"
        given.session.pop("on_error", None)
    plan.redirects.write(given, plan.notes)
    without = [one for one in requests if one in plan.without_keep_alive]
    if len(without) == len(requests):
        given.connections = "per-request"
    for one in without if len(without) < len(requests) else ():
        plan.notes.add(one.place, "`Connection: close` is left out: other requests keep theirs")
    return given


def _walk(plan: Plan, tree: Element, outer: Scope) -> None:
    """Finds thread groups, and the settings that apply to all of them."""
    scope = scope_of(plan, tree, outer)
    for element, inner in pairs(tree):
        if element.tag in thread_groups.GROUPS:
            _group(plan, element, inner, scope)
        elif element.tag in AROUND:
            plan.notes.add(place_of(element), "left out: steps before or after the test")
        elif element.tag == "TestPlan":
            variables = dict(arguments(element, "TestPlan.user_defined_variables"))
            if properties(element).get("TestPlan.serialize_threadgroups") == "true":
                plan.notes.add(place_of(element), "its groups run at once, not one after another")
            _walk(plan, inner, replace(scope, variables={**scope.variables, **variables}))
        elif element.tag == "CSVDataSet":
            note_data(plan, element, scope)
        elif not is_setting(element):
            known = "it is no thread group, setting or timer that is known"
            plan.notes.add(place_of(element), f"left out, with what it holds: {known}")


def _group(plan: Plan, element: Element, tree: Element, outer: Scope) -> None:
    place, notes = place_of(element), plan.notes
    scope = scope_of(plan, tree, outer)
    fill = Filling(scope.variables, place, notes)
    given = {name: fill(held) for name, held in properties(element).items()}
    found = thread_groups.read(element, given, place, notes)
    if found is None:
        return
    if found.duration_s:
        plan.durations.append(found.duration_s)
    steps = list(_with_pauses(_samplers(plan, tree, scope)))
    loops = _loops(element)
    if loops not in ("", "-1") and steps:
        notes.add(place, f"its {loops} loops are left out: `--requests` or `--duration` ends a run")
    requests = [request for request, _ in steps]
    for at, request in enumerate(requests):
        # A timer precedes its sampler; our think time follows the sampler before.
        after = steps[plan_choices.follower(requests, at, plan.choices)][1]
        request.think = total(after, request.place, notes)
    name = element.attributes.get("testname", "")
    is_closed = found.arrivals["model"] == "closed"
    why = f"Closed: {found.why}." if is_closed else found.why
    plan.populations.append(Population(found.arrivals, why, requests, name, session=found.session))


def _loops(element: Element) -> str:
    for child in element.children:
        if child.attributes.get("elementType") == "LoopController":
            return properties(child).get("LoopController.loops", "")
    return ""


def _with_pauses(
    given: Iterable[tuple[Request | None, list[Timer]]],
) -> list[tuple[Request, list[Timer]]]:
    """The requests, each with the timers and the pauses since the one before it."""
    found: list[tuple[Request, list[Timer]]] = []
    waits: list[Timer] = []
    for request, timers in given:
        waits = [*waits, *timers]
        if request is not None:
            found.append((request, waits))
            waits = []
    if found and waits:  # in the next turn they precede the first request
        found[0] = (found[0][0], [*waits, *found[0][1]])
    return found


def _samplers(
    plan: Plan, tree: Element, scope: Scope
) -> Iterator[tuple[Request | None, list[Timer]]]:
    """The requests of a tree, each with its timers; a pause has no request."""
    for element, inner in pairs(tree):
        if element.tag in SAMPLERS:
            here = scope_of(plan, inner, scope)
            request = samplers.request(element, here, plan.redirects, plan.notes)
            if request is not None and samplers.closes(element, here):
                plan.without_keep_alive.add(request)
            for other, _ in pairs(inner):
                if request is not None and other.tag in assertions.ASSERTIONS:
                    assertions.take(other, request, place_of(other), plan.notes)
                elif not is_setting(other):
                    plan.notes.add(place_of(other), _why_without(other.tag))
            if request is not None:
                yield request, here.timers
        elif element.tag in TRANSPARENT:
            if TRANSPARENT[element.tag]:
                plan.notes.add(place_of(element), TRANSPARENT[element.tag])
            yield from _samplers(plan, inner, scope_of(plan, inner, scope))
        elif element.tag in plan_choices.SAID and (steps := _choice(plan, element, inner, scope)):
            yield from steps
        elif element.tag == "TestAction" and (pause := _pause(plan, element, scope)) is not None:
            yield None, [*scope_of(plan, inner, scope).timers, pause]
        elif element.tag == "CSVDataSet":
            note_data(plan, element, scope)
        elif not is_setting(element):
            lost = sum(1 for _ in _inside(inner))
            what = f"with what it holds ({lost} requests)" if lost else f"as all `{element.tag}`"
            plan.notes.add(place_of(element), f"left out, {what}")


def _choice(
    plan: Plan, element: Element, tree: Element, scope: Scope
) -> list[tuple[Request | None, list[Timer]]]:
    """The requests of a controller of which a turn sends one part, part after part.

    None if the part is not known, or if a part sends one of its requests in a turn.
    """
    place, here = place_of(element), len(plan.choices)
    given = properties(element)
    value = given.get("SwitchController.value", "")
    for name, held in scope.variables.items():
        value = value.replace(f"${{{name}}}", held)
    within = scope_of(plan, tree, scope)
    children = [(child, inner) for child, inner in pairs(tree) if not is_setting(child)]
    counts = [sum(1 for _ in _inside(_alone(*pair))) for pair in children]
    if "${" in value or (
        given.get("InterleaveControl.style") == "1" and max(counts, default=0) > 1
    ):
        return []
    if element.tag == "SwitchController":
        names = [child.attributes.get("testname", "") for child, _ in children]
        named = plan_choices.chosen(names, value)
        children = [] if named is None else [children[named]]
    parts = [list(_samplers(plan, _alone(*pair), within)) for pair in children]
    requests = [[one for one, _ in part if one is not None] for part in parts]
    parts = [part for part, held in zip(parts, requests, strict=True) if held]
    if len(parts) > 1:
        plan.choices.insert(here, Choice([one for one in requests if one]))
        if plan_choices.SAID[element.tag]:
            plan.notes.add(place, plan_choices.SAID[element.tag])
    return [step for part in parts for step in part]


def _alone(element: Element, tree: Element) -> Element:
    """A tree with one element, and what it holds."""
    return Element("hashTree", {}, 0, children=[element, tree])


def _inside(tree: Element) -> Iterator[Element]:
    """The HTTP samplers of a tree."""
    for element, inner in pairs(tree):
        if element.tag in SAMPLERS:
            yield element
        yield from _inside(inner)


def _pause(plan: Plan, element: Element, scope: Scope) -> Timer | None:
    """The pause of a flow control action; None for an action of another kind."""
    fill = Filling(scope.variables, place_of(element), plan.notes)
    given = {name: fill(held) for name, held in properties(element).items()}
    if given.get("ActionProcessor.action") != "1":
        return None
    return TIMERS["ConstantTimer"](
        {"ConstantTimer.delay": given.get("ActionProcessor.duration", "")}
    )


def _why_without(tag: str) -> str:
    """Why a part of a sampler is left out."""
    if tag.endswith(("Extractor", "JSONPostProcessor")):
        return "left out: values of answers are not taken"
    if "Processor" in tag:
        return "left out: scripts are not run"
    return "left out: answers are not checked"
