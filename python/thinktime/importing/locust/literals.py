"""Values of Python expressions that are literals, or made of literals; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing import gaps
from thinktime.importing.marks import Marks
from thinktime.importing.parsers import is_small

TEXT_MAX = 100_000
DEPTH_MAX = 30
PARTS_MAX = 10_000
"""Larger lists and tables are taken as unknown."""


_ENVIRONMENT = ("os.getenv", "os.environ.get", "environ.get", "getenv")
"""Calls whose second argument is a default."""


_DRAWN = {"random.randint": 0, "randint": 0, "random.randrange": 1, "randrange": 1}
"""Calls that draw whole numbers, and how far the last one lies below the second argument."""


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
    """The values of names, as far as known, and the marks of random numbers in them."""

    known: dict[str, Any] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)

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
        if isinstance(target, ast.Name) or _is_own(target):
            found = self.value(value)
            small = found if is_small(found, PARTS_MAX) else Unknown(value)
            self.known[_dotted(target)] = small

    def value(self, node: ast.expr | None, depth: int = 0) -> Any:
        """The value of an expression, or an `Unknown`; parts of lists and tables may be unknown."""
        if node is None or depth > DEPTH_MAX:
            return Unknown(ast.Constant(None))
        match node:
            case ast.Constant():
                return node.value
            case ast.Name() | ast.Attribute() if _dotted(node) in self.known:
                found = self.known[_dotted(node)]
                return Unknown(node) if isinstance(found, Unknown) else found
            case ast.Subscript():
                return self._item(node, depth)
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
            case ast.Call() if _dotted(node.func) in _ENVIRONMENT and len(node.args) == 2:
                return self.value(node.args[1], depth + 1)
            case ast.Call() if _dotted(node.func) == "str" and len(node.args) == 1:
                found = self.value(node.args[0], depth + 1)
                return str(found) if isinstance(found, str | int) else Unknown(node.args[0])
            case ast.Call() if _dotted(node.func) in _DRAWN and len(node.args) == 2:
                return self._drawn(node, [self.value(one, depth + 1) for one in node.args])
        return Unknown(node)

    def _drawn(self, node: ast.Call, bounds: list[Any]) -> Any:
        """A whole random number between bounds."""
        lo, hi = bounds
        if not (isinstance(lo, int) and isinstance(hi, int)):
            return Unknown(node)
        hi -= _DRAWN[_dotted(node.func)]
        return self.marks.add(f"uniform({lo}, {hi})", "number") if lo < hi else lo

    def _item(self, node: ast.Subscript, depth: int) -> Any:
        """A part of a known list or table."""
        held, key = self.value(node.value, depth + 1), self.value(node.slice, depth + 1)
        is_place = isinstance(held, list) and isinstance(key, int) and -len(held) <= key < len(held)
        if is_place or (isinstance(held, dict) and isinstance(key, str) and key in held):
            return held[key]
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
        given.reverse()
        is_text = any(isinstance(one, str) for one in given)
        texts = [_piece(one) for one in given if isinstance(one, str | Unknown)]
        is_known = is_text and len(texts) == len(given) and sum(map(len, texts)) <= TEXT_MAX
        return "".join(texts) if is_known else Unknown(node)

    def _joined(self, node: ast.JoinedStr, depth: int) -> Any:
        parts = []
        for one in node.values:
            inner = one.value if isinstance(one, ast.FormattedValue) else one
            found = self.value(inner, depth + 1)
            plain = not isinstance(one, ast.FormattedValue) or one.format_spec is None
            is_known = isinstance(found, str | int | float) and plain
            parts.append(found if is_known else Unknown(inner))
        text = "".join(map(_piece, parts))
        is_bare = len(parts) == 1 and isinstance(parts[0], Unknown)
        return text if len(text) <= TEXT_MAX and not is_bare else Unknown(node)


def _piece(found: Any) -> str:
    """A value within a text, which has a gap for one that is not known."""
    return gaps.gap(found.text) if isinstance(found, Unknown) else str(found)


def _is_own(node: ast.expr) -> bool:
    """Whether a name is one of an object's own, as `self.path`."""
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"


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

    if isinstance(value, Unknown):
        return Unknown(node)
    return gaps.unescaped(json.dumps(with_gaps(value)))


def is_unknown(value: Any) -> bool:
    """Whether a value or a part of it is unknown."""
    if isinstance(value, dict):
        return any(map(is_unknown, value.values()))
    if isinstance(value, list):
        return any(map(is_unknown, value))
    return isinstance(value, Unknown) or gaps.has(value)


def with_gaps(value: Any) -> Any:
    """A value of JSON with gaps for what is not known in it; one that is not known itself stays."""
    match value:
        case dict():
            return {name: _gapped(one) for name, one in value.items()}
        case list():
            return [_gapped(one) for one in value]
    return value


def _gapped(value: Any) -> Any:
    return gaps.gap(value.text) if isinstance(value, Unknown) else with_gaps(value)
