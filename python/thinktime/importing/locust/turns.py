"""The turns of a loop of Python, and the names that it gives to them."""

from __future__ import annotations

import ast
from typing import Any

from thinktime.importing.locust.literals import Names

TURNS_MAX = 50
"""Loops with more turns are not unrolled."""


def names_of(target: ast.expr) -> list[str]:
    """The names that a loop gives to its turns; none if its target is anything else."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [one.id for one in parts if isinstance(one, ast.Name)]
    return names if len(names) == len(parts) else []


def turns_of(node: ast.expr, names: Names) -> list[Any] | None:
    """The values of a loop's turns; None if they are not known, or too many."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        bounds = [names.value(one) for one in node.args]
        if bounds and len(bounds) <= 3 and all(isinstance(one, int) for one in bounds):
            try:
                turns = range(*bounds)
            except ValueError:
                return None
            return list(turns) if turns[: TURNS_MAX + 1] == turns else None
        return None
    found = names.value(node)
    return found if isinstance(found, list) and len(found) <= TURNS_MAX else None
