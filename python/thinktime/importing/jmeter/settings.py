"""A plan of JMeter on its way into populations, and the settings of places in its tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from thinktime.importing.draft import Population, Request
from thinktime.importing.jmeter.choices import Choice
from thinktime.importing.jmeter.timers import TIMERS
from thinktime.importing.jmeter.tree import (
    Filling,
    Scope,
    arguments,
    header_rows,
    pairs,
    place_of,
    properties,
)
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element
from thinktime.importing.redirects import Redirects
from thinktime.importing.session_values import column_note

KEPT_COOKIES = "its threads keep their cookies from turn to turn; here each turn begins without"
SILENT = ("ResultCollector", "DebugSampler", "TestPlan")


@dataclass
class Plan:
    """A plan on its way into populations."""

    notes: Notes
    populations: list[Population] = field(default_factory=list)
    cookies: bool = False
    durations: list[float] = field(default_factory=list)
    redirects: Redirects = field(default_factory=Redirects)
    without_keep_alive: set[Request] = field(default_factory=set)
    choices: list[Choice] = field(default_factory=list)


def note_data(plan: Plan, element: Element, scope: Scope) -> None:
    """Notes a file of values, with its columns."""
    fill = Filling(scope.variables, place_of(element), plan.notes)
    given = {name: fill(held) for name, held in properties(element).items()}
    columns = [one.strip() for one in given.get("variableNames", "").split(",") if one.strip()]
    plan.notes.add(place_of(element), column_note(given.get("filename", ""), columns))


def is_setting(element: Element) -> bool:
    """Whether an element is a setting of its place, or a listener."""
    return element.tag in (*SILENT, *TIMERS, "HeaderManager", "Arguments", "ConfigTestElement",
                           "CookieManager")  # fmt: skip


def scope_of(plan: Plan, tree: Element, outer: Scope) -> Scope:
    """The settings within a tree: those around it, and its own."""
    scope = Scope(
        dict(outer.variables), dict(outer.defaults), list(outer.headers), list(outer.timers)
    )
    for element, _ in pairs(tree):
        fill = Filling(scope.variables, place_of(element), plan.notes)
        if element.tag == "Arguments":
            scope.variables |= dict(arguments(element))
        elif element.tag == "ConfigTestElement":
            if any(True for _ in arguments(element, "HTTPsampler.Arguments")):
                plan.notes.add(place_of(element), "its parameters for all requests are left out")
            scope.defaults |= {k: v for k, v in properties(element).items() if v}
        elif element.tag == "HeaderManager":
            rows = [(fill(name), fill(held)) for name, held in header_rows(element)]
            near = {name.lower() for name, _ in rows}
            scope.headers = [row for row in scope.headers if row[0].lower() not in near] + rows
        elif element.tag == "CookieManager":
            plan.cookies = True
            if properties(element).get("CookieManager.clearEachIteration") != "true":
                plan.notes.add(place_of(element), KEPT_COOKIES)
            if any(one.children for one in element.children if one.tag == "collectionProp"):
                plan.notes.add(place_of(element), "its own cookies are left out")
        elif element.tag in TIMERS:
            given = {k: fill(v) for k, v in properties(element).items()}
            timer = TIMERS[element.tag](given)
            if timer is None:
                plan.notes.add(place_of(element), "left out: its times are no numbers")
            else:
                scope.timers.append(timer)
    return scope
