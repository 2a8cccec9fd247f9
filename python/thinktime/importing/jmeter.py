"""Test plans of JMeter: thread groups, HTTP samplers, timers and header managers.

Source: https://jmeter.apache.org/usermanual/component_reference.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from thinktime import InputError
from thinktime.importing import assertions, content
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import (
    Body,
    Draft,
    Population,
    Request,
    a_loop,
    method_of,
    plain,
    stem,
)
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element, from_xml
from thinktime.importing.secrets import masked_pairs, variable
from thinktime.importing.timers import TIMERS, Timer, total

CLIENTS_MAX = 10_000_000
GROUPS = ("ThreadGroup", "SetupThreadGroup", "PostThreadGroup")
TRANSPARENT = ("GenericController", "TransactionController", "LoopController", "OnceOnlyController")
SILENT = ("ResultCollector", "DebugSampler", "CacheManager", "TestPlan")
REPEATED_MAX = 100


@dataclass
class Scope:
    """The settings that apply to the samplers of one place in the tree."""

    variables: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    headers: list[tuple[str, str]] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)


@dataclass
class Plan:
    """A plan on its way into populations."""

    notes: Notes
    populations: list[Population] = field(default_factory=list)
    cookies: bool = False
    durations: list[str] = field(default_factory=list)


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
    populations = []
    for population in plan.populations:
        requests = [one for one in population.requests if one in taken]
        if requests:
            clients = population.arrivals["clients"]
            made = a_loop(clients, population.why, requests)
            made.name, made.session = population.name, population.session
            populations.append(made)
    if not populations:
        raise InputError(f"{file}: has no HTTP sampler that could be taken in a thread group")
    if plan.cookies:
        for population in populations:
            population.session["cookies"] = True
    _name(populations)
    options = f"--duration {plan.durations[0]}" if plan.durations else ""
    source = f"{name} (a test plan of JMeter)"
    return Draft(stem(name), source, populations, plan.notes, origin, options)


def _name(populations: list[Population]) -> None:
    given: set[str] = set()
    for number, population in enumerate(populations, 1):
        name = plain(population.name)
        population.name = name if name not in given else f"{name}-{number}"
        given.add(population.name)


def _pairs(tree: Element) -> Iterator[tuple[Element, Element]]:
    """The elements of a hashTree that are switched on, each with the tree that follows it."""
    empty = Element("hashTree", {}, 0)
    for place, child in enumerate(tree.children):
        if child.tag != "hashTree" and child.attributes.get("enabled", "true") != "false":
            after = tree.children[place + 1 : place + 2]
            yield child, after[0] if after and after[0].tag == "hashTree" else empty


def _place(element: Element) -> str:
    name = element.attributes.get("testname", "")
    return f"line {element.line}, {element.tag} `{name}`"


def _walk(plan: Plan, tree: Element, outer: Scope) -> None:
    """Finds thread groups, and the settings that apply to all of them."""
    scope = _scope(plan, tree, outer)
    for element, inner in _pairs(tree):
        if element.tag in GROUPS:
            _group(plan, element, inner, scope)
        elif element.tag == "TestPlan":
            variables = dict(_arguments(element, "TestPlan.user_defined_variables"))
            _walk(plan, inner, replace(scope, variables={**scope.variables, **variables}))
        elif not _is_setting(element):
            plan.notes.add(_place(element), "left out: it is no thread group, setting or timer")


def _is_setting(element: Element) -> bool:
    return element.tag in (*SILENT, *TIMERS, "HeaderManager", "Arguments", "ConfigTestElement",
                           "CookieManager")  # fmt: skip


def _scope(plan: Plan, tree: Element, outer: Scope) -> Scope:
    """The settings within a tree: those around it, and its own."""
    scope = Scope(
        dict(outer.variables), dict(outer.defaults), list(outer.headers), list(outer.timers)
    )
    for element, _ in _pairs(tree):
        fill = _Filling(scope.variables, _place(element), plan.notes)
        if element.tag == "Arguments":
            scope.variables |= dict(_arguments(element))
        elif element.tag == "ConfigTestElement":
            scope.defaults |= {k: v for k, v in _properties(element).items() if v}
        elif element.tag == "HeaderManager":
            rows = [(fill(name), fill(held)) for name, held in _header_rows(element)]
            near = {name.lower() for name, _ in rows}
            scope.headers = [row for row in scope.headers if row[0].lower() not in near] + rows
        elif element.tag == "CookieManager":
            plan.cookies = True
        elif element.tag in TIMERS:
            given = {k: fill(v) for k, v in _properties(element).items()}
            timer = TIMERS[element.tag](given)
            if timer is None:
                plan.notes.add(_place(element), "left out: its times are no numbers")
            else:
                scope.timers.append(timer)
    return scope


def _properties(element: Element) -> dict[str, str]:
    return {one.attributes.get("name", ""): one.text.strip() for one in element.children}


def _header_rows(element: Element) -> Iterator[tuple[str, str]]:
    for rows in element.children:
        for row in rows.children if rows.attributes.get("name") == "HeaderManager.headers" else ():
            given = _properties(row)
            yield given.get("Header.name", ""), given.get("Header.value", "")


def _arguments(element: Element, inside: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of a table of arguments, of the element or of the one in it."""
    holders = [one for one in element.children if one.attributes.get("name") == inside]
    for holder in holders if inside else [element]:
        for rows in holder.children:
            for row in rows.children if rows.tag == "collectionProp" else ():
                given = {one.attributes.get("name", ""): one.text for one in row.children}
                yield given.get("Argument.name", ""), given.get("Argument.value", "")


@dataclass
class _Filling:
    """Replaces ``${variables}`` by their values; one without a value is noted."""

    variables: dict[str, str]
    place: str
    notes: Notes

    def __call__(self, text: str) -> str:
        return re.sub(r"\$\{([^{}]{1,200})\}", self._one, text) if len(text) < 100_000 else text

    def _one(self, found: re.Match[str]) -> str:
        name = found[1]
        default = re.fullmatch(r"__P(?:roperty)?\([^,]*,(?:[^,]*,)?([^,]*)\)", name)
        if default is not None:
            return default[1]
        if name in self.variables:
            return variable(name, self.variables[name], self.place, self.notes)
        self.notes.add(self.place, f"`{found[0]}` has no value here: its name stands in its place")
        return plain(name)


def _group(plan: Plan, element: Element, tree: Element, outer: Scope) -> None:
    place, notes = _place(element), plan.notes
    if element.tag != "ThreadGroup":
        notes.add(place, "left out: steps before or after the test")
        return
    scope = _scope(plan, tree, outer)
    fill = _Filling(scope.variables, place, notes)
    given = {name: fill(held) for name, held in _properties(element).items()}
    asked = given.get("ThreadGroup.num_threads", "")
    clients = int(asked) if re.fullmatch(r"\d{1,8}", asked) else 0
    why = f"the thread group `{element.attributes.get('testname', '')}` has {clients} threads"
    if not 1 <= clients <= CLIENTS_MAX:
        notes.add(place, f"its number of threads is {asked!r}: 1 is taken")
        clients, why = 1, "1 client is a default to be changed"
    ramp = given.get("ThreadGroup.ramp_time", "")
    if ramp not in ("", "0", "1"):
        notes.add(place, f"the ramp-up of {ramp} s is left out: all clients are there at once")
    duration = given.get("ThreadGroup.duration", "")
    if given.get("ThreadGroup.scheduler") == "true" and re.fullmatch(r"\d{1,8}", duration):
        plan.durations.append(f"{duration}s")
    steps = list(_samplers(plan, tree, scope, 0))
    loops = _loops(element)
    if loops not in ("", "-1") and steps:
        notes.add(place, f"its {loops} loops are left out: `--requests` or `--duration` ends a run")
    for at, (request, _) in enumerate(steps):
        # A timer precedes its sampler; our think time follows the sampler before.
        after = steps[(at + 1) % len(steps)][1]
        request.think = total(after, request.place, notes)
    arrivals = {"model": "closed", "clients": clients}
    requests = [request for request, _ in steps]
    name = element.attributes.get("testname", "")
    plan.populations.append(Population(arrivals, why, requests, name))


def _loops(element: Element) -> str:
    for child in element.children:
        if child.attributes.get("elementType") == "LoopController":
            return _properties(child).get("LoopController.loops", "")
    return ""


def _samplers(
    plan: Plan, tree: Element, scope: Scope, depth: int
) -> Iterator[tuple[Request, list[Timer]]]:
    for element, inner in _pairs(tree):
        if element.tag == "HTTPSamplerProxy":
            here = _scope(plan, inner, scope)
            request = _request(plan, element, here)
            for other, _ in _pairs(inner):
                if request is not None and other.tag in assertions.ASSERTIONS:
                    assertions.take(other, request, _place(other), plan.notes)
                elif not _is_setting(other):
                    plan.notes.add(_place(other), "left out: answers are not checked")
            if request is not None:
                yield request, here.timers
        elif element.tag in TRANSPARENT:
            if element.tag in ("LoopController", "OnceOnlyController"):
                plan.notes.add(_place(element), "its content is sent once in each turn")
            yield from _samplers(plan, inner, _scope(plan, inner, scope), depth + 1)
        elif not _is_setting(element):
            plan.notes.add(_place(element), "left out, with what it holds")


def _request(plan: Plan, element: Element, scope: Scope) -> Request | None:
    place = _place(element)
    fill = _Filling(scope.variables, place, plan.notes)
    own = {name: held for name, held in _properties(element).items() if held}
    given = {name: fill(held) for name, held in {**scope.defaults, **own}.items()}

    def one(name: str) -> str:
        return given.get(f"HTTPSampler.{name}", "")

    path, domain = one("path"), one("domain")
    port = f":{one('port')}" if one("port") else ""
    url = path if "://" in path else f"/{path.lstrip('/')}"
    if domain and "://" not in path:
        url = f"{one('protocol') or 'http'}://{domain}{port}{url}"
    method = method_of(one("method") or "GET")
    fields = content.headers(scope.headers, place, plan.notes)
    pairs = [
        (fill(name), fill(held)) for name, held in _arguments(element, "HTTPsampler.Arguments")
    ]
    body: Body | None = None
    if one("postBodyRaw") == "true":
        body = content.body("".join(held for _, held in pairs), fields, place, plan.notes)
    elif pairs and method in ("POST", "PUT", "PATCH"):
        made = content.of_parts if one("DO_MULTIPART_POST") == "true" else content.of_fields
        body = made(masked_pairs(pairs, place, plan.notes), fields)
    elif pairs:
        url += ("&" if "?" in url else "?") + urlencode(pairs)
    found = address(url, place, plan.notes)
    if found is None or method is None:
        plan.notes.add(place, "left out: it has no URL or no method that could be taken")
        return None
    name = element.attributes.get("testname", "") or found.target
    request = Request(plain(name), method, found.target, fields, body, found.origin, place)
    request.about = f"Line {element.line}: {name}"
    return request
