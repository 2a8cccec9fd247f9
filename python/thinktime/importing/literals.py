"""Values of Python expressions that are literals, or made of literals; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.parsers import is_small

TEXT_MAX = 100_000
DEPTH_MAX = 30
PARTS_MAX = 10_000
"""Larger lists and tables are taken as unknown."""


class Unknown:
    """The value of an expression that is known only at run time."""

    def __init__(self, node: ast.AST) -> None:
        try:
            self.text = ast.unparse(node)[:80]
        except (RecursionError, ValueError):
            self.text = "an expression"

    def __str__(self) -> str:
        return f"`{self.text}`"


@dataclass
class Names:
    """The values of names, as far as known."""

    known: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(body: Iterable[ast.stmt]) -> Names:
        """The names that the statements of a module give to literals."""
        names = Names()
        for one in body:
            if isinstance(one, ast.Assign) and len(one.targets) == 1:
                names.assign(one.targets[0], one.value)
        return names

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """Give a name to a value; a name for an unknown value becomes unknown."""
        if isinstance(target, ast.Name):
            found = self.value(value)
            self.known[target.id] = found if is_small(found, PARTS_MAX) else Unknown(value)

    def value(self, node: ast.expr | None, depth: int = 0) -> Any:
        """The value of an expression, or an `Unknown`; parts of lists and tables may be unknown."""
        if node is None or depth > DEPTH_MAX:
            return Unknown(ast.Constant(None))
        match node:
            case ast.Constant():
                return node.value
            case ast.Name() if node.id in self.known:
                return self.known[node.id]
            case ast.List() | ast.Tuple():
                return [self.value(one, depth + 1) for one in node.elts]
            case ast.Dict():
                return self._table(node, depth)
            case ast.JoinedStr():
                return self._joined(node, depth)
            case ast.BinOp(op=ast.Add()):
                return self._sum(node, depth)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Call() if _dotted(node.func) == "json.dumps" and node.args:
                return _dumped(node, self.value(node.args[0], depth + 1))
        return Unknown(node)

    def _table(self, node: ast.Dict, depth: int) -> Any:
        found = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.value(key, depth + 1)
            if isinstance(name, str | int):
                found[str(name)] = self.value(value, depth + 1)
        return found

    def _sum(self, node: ast.BinOp, depth: int) -> Any:
        """A chain of texts, which may be longer than any nesting."""
        given: list[Any] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            given.append(self.value(left.right, depth + 1))
            left = left.left
        given.append(self.value(left, depth + 1))
        texts = [one for one in reversed(given) if isinstance(one, str)]
        is_known = len(texts) == len(given) and sum(map(len, texts)) <= TEXT_MAX
        return "".join(texts) if is_known else Unknown(node)

    def _joined(self, node: ast.JoinedStr, depth: int) -> Any:
        parts = []
        for one in node.values:
            inner = one.value if isinstance(one, ast.FormattedValue) else one
            found = self.value(inner, depth + 1)
            plain = not isinstance(one, ast.FormattedValue) or one.format_spec is None
            if not isinstance(found, str | int | float) or not plain:
                return Unknown(node)
            parts.append(str(found))
        text = "".join(parts)
        return text if len(text) <= TEXT_MAX else Unknown(node)


def _dotted(node: ast.expr) -> str:
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.append(node.id)
    return ".".join(reversed(names))


def _dumped(node: ast.expr, value: Any) -> Any:
    import json

    return Unknown(node) if is_unknown(value) else json.dumps(value)


def is_unknown(value: Any) -> bool:
    """Whether a value or a part of it is unknown."""
    if isinstance(value, dict):
        return any(map(is_unknown, value.values()))
    if isinstance(value, list):
        return any(map(is_unknown, value))
    return isinstance(value, Unknown)
