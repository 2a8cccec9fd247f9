"""Classes of a Python script: their bases, their methods and the values of their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from thinktime.importing.locust.literals import Names
from thinktime.importing.notes import Notes
from thinktime.importing.redirects import Redirects

BASES_MAX = 50
"""A class has at most this many bases here: they may name one another in a circle."""


@dataclass
class Script:
    """The common parts of all classes of a script, and what was read of it so far."""

    classes: Mapping[str, ast.ClassDef]
    functions: Mapping[str, ast.FunctionDef]
    names: Names
    notes: Notes
    redirects: Redirects = field(default_factory=Redirects)
    calls: set[ast.Call] = field(default_factory=set)
    """The calls of clients that were read, whatever became of each."""

    def line_of(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class, and its bases in this script, the nearest first."""
        found = [node]
        for one in found:
            near = [self.classes[last(base)] for base in one.bases if last(base) in self.classes]
            found += [base for base in near if base not in found and len(found) < BASES_MAX]
        return found

    def bases(self, node: ast.ClassDef) -> set[str]:
        """The names of all bases of a class."""
        return {last(base) for one in self.line_of(node) for base in one.bases}

    def assigned(self, node: ast.ClassDef, name: str) -> ast.expr | None:
        """What a class, or its nearest base that has the name, assigns to it."""
        for one in self.line_of(node):
            if found := list(_assigned(one, name)):
                return found[-1]
        return None

    def value(self, node: ast.ClassDef, name: str) -> object:
        """The value of a name of a class; None if it has none."""
        found = self.assigned(node, name)
        return None if found is None else self.names.value(found)

    def own_names(self, node: ast.ClassDef) -> None:
        """Let `self.name` stand for what a class or its bases assign to the name."""
        for holder in reversed(self.line_of(node)):
            for one in holder.body:
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                    own = ast.Attribute(ast.Name("self"), one.targets[0].id)
                    self.names.assign(own, one.value)

    def methods(self, node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
        """The methods of a class with those of its bases."""
        return {
            one.name: one
            for holder in reversed(self.line_of(node))
            for one in holder.body
            if isinstance(one, ast.FunctionDef)
        }


def last(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _assigned(node: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    for one in node.body:
        if isinstance(one, ast.Assign) and any(last(target) == name for target in one.targets):
            yield one.value
        if isinstance(one, ast.AnnAssign) and last(one.target) == name and one.value:
            yield one.value
