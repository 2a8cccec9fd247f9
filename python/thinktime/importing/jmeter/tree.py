"""The tree of a test plan of JMeter: its elements, their properties, and variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from thinktime.importing.draft import plain
from thinktime.importing.jmeter.timers import Timer
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element
from thinktime.importing.secrets import variable

NESTED_MAX = 3
TEXT_MAX = 100_000
"""Variables in longer texts stay as they are."""


@dataclass
class Scope:
    """The settings that apply to the samplers of one place in the tree."""

    variables: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    headers: list[tuple[str, str]] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)


def pairs(tree: Element) -> Iterator[tuple[Element, Element]]:
    """The elements of a hashTree that are switched on, each with the tree that follows it."""
    empty = Element("hashTree", {}, 0)
    for place, child in enumerate(tree.children):
        if child.tag != "hashTree" and child.attributes.get("enabled", "true") != "false":
            after = tree.children[place + 1 : place + 2]
            yield child, after[0] if after and after[0].tag == "hashTree" else empty


def place_of(element: Element) -> str:
    """The line, the kind and the name of an element, for notes."""
    name = element.attributes.get("testname", "")
    return f"line {element.line}, {element.tag} `{name}`"


def properties(element: Element) -> dict[str, str]:
    """The properties of an element by their names, without blanks around them."""
    return {one.attributes.get("name", ""): one.text.strip() for one in element.children}


def header_rows(element: Element) -> Iterator[tuple[str, str]]:
    """Names and values of a header manager."""
    for rows in element.children:
        for row in rows.children if rows.attributes.get("name") == "HeaderManager.headers" else ():
            given = properties(row)
            yield given.get("Header.name", ""), given.get("Header.value", "")


def arguments(element: Element, inside: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of a table of arguments, of the element or of the one in it."""
    holders = [one for one in element.children if one.attributes.get("name") == inside]
    for holder in holders if inside else [element]:
        for rows in holder.children:
            for row in rows.children if rows.tag == "collectionProp" else ():
                given = {one.attributes.get("name", ""): one.text for one in row.children}
                yield given.get("Argument.name", ""), given.get("Argument.value", "")


@dataclass
class Filling:
    """Replaces ``${variables}`` by their values; one without a value is noted."""

    variables: dict[str, str]
    place: str
    notes: Notes

    def __call__(self, text: str) -> str:
        for _ in range(NESTED_MAX):  # a variable may stand in a function: ${__P(n,${N})}
            if len(text) > TEXT_MAX or "${" not in text:
                break
            text = re.sub(r"\$\{([^{}]{1,200})\}", self._one, text)
        return text

    def _one(self, found: re.Match[str]) -> str:
        name = found[1]
        default = re.fullmatch(r"__(?:P|property)\([^,]*,(?:[^,]*,)?([^,]*)\)", name)
        if default is not None:
            return default[1]
        if name in self.variables:
            return variable(name, self.variables[name], self.place, self.notes)
        self.notes.add(self.place, f"`{found[0]}` has no value here: its name stands in its place")
        return plain(name)
