"""Simulations of Gatling in Java, Kotlin and Scala as one form of expressions. Nothing is run.

Each language has its grammar of tree-sitter. All write a simulation as chains of calls, so that one
form has what they say: a call has a name, what it is called on, and its arguments. A bare name is a
call without arguments, and `a during b` is `a.during(b)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from tree_sitter import Language, Node, Parser

from thinktime.importing.gatling.holders import DEFINITIONS, FUNCTIONS, Holders, inside
from thinktime.importing.javascript.syntax import part, parts, text_of
from thinktime.importing.javascript.tokens import number_of, unescaped

DEPTH_MAX = 50
"""Arguments within arguments that are deeper are not read; chains have any length."""

LANGUAGES = {"scala": r"io\.gatling\.(?:core|http)\.Predef", "kotlin": r":\s*Simulation\s*\(\s*\)"}
"""Signs of a language; any other file is Java."""

_CALLS = ("call_expression", "method_invocation", "generic_function")
_MEMBERS = ("field_expression", "navigation_expression", "field_access", "postfix_expression")
_LISTS = ("arguments", "argument_list", "value_arguments", "block", "annotated_lambda",
          "lambda_literal", "lambda_expression")  # fmt: skip
_TEXTS = ("string", "string_literal", "multiline_string_literal", "interpolated_string_expression",
          "text_block")  # fmt: skip
_WRAPPERS = ("parenthesized_expression", "value_argument", "expression_statement",
             "return_statement", "return_expression", "interpolation",
             "cast_expression", "function_body")  # fmt: skip
_NAME_IN_TEXT = re.compile(r"(?<!\\)\$(?:\{(\w+)\}|(\w+))")


@dataclass(eq=False)
class Call:
    """A call, or a name: its name, what it is called on, and its arguments."""

    name: str
    on: Any = None
    given: list[Any] = field(default_factory=list)
    line: int = 0

    @property
    def first(self) -> Any:
        """Its first argument; None if it has none."""
        return self.given[0] if self.given else None

    def chain(self) -> list[Call]:
        """The calls from the first to this one."""
        found: list[Call] = [self]
        while isinstance(found[-1].on, Call):
            found.append(found[-1].on)
        return found[::-1]


@dataclass(eq=False)
class Unknown:
    """An expression that no chain of calls is, as a function of the session."""

    line: int


@dataclass
class Function:
    """What a name stands for: an expression, with the names of its parameters."""

    parameters: list[str]
    body: Any


@dataclass
class Source:
    """A simulation: what its names stand for, and its calls of `setUp`."""

    names: dict[str, Function] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    set_up: list[Call] = field(default_factory=list)


def language_of(text: str) -> str:
    """The language of a simulation."""
    return next((name for name, sign in LANGUAGES.items() if re.search(sign, text)), "java")


@cache
def _parser(language: str) -> Parser:
    return Parser(Language(import_module(f"tree_sitter_{language}").language()))


def source(text: str) -> Source:
    """What a simulation defines and calls."""
    language = language_of(text)
    root = _parser(language).parse(text.encode("utf-8", "replace")).root_node
    found = Source()
    reader = _Reader(found, language, Holders(root))
    for node in inside(root):
        if node.type in DEFINITIONS:
            inner = [one for one in parts(node) if one.type != "modifiers"]
            name = part(node, "pattern") or part(node, "name") or next(iter(inner), None)
            value = part(node, "value") or (inner[-1] if len(inner) > 1 else None)
            if name is not None and value is not None and value is not name:
                made = Function([], reader.expression(value))
                found.names.setdefault(reader.holders.name_of(name), made)
        elif node.type in FUNCTIONS:
            held = _result(part(node, "body") or (parts(node)[-1] if parts(node) else None))
            name = part(node, "name")
            if held is not None and name is not None:
                made = Function(list(_parameters(node)), reader.expression(held))
                found.names.setdefault(reader.holders.name_of(name), made)
        elif node.type in (*_CALLS, "infix_expression") and not _is_inner(node):
            call = reader.expression(node)
            if isinstance(call, Call) and call.chain()[0].name == "setUp":
                found.set_up.append(call)
    return found


def _is_inner(node: Node) -> bool:
    """Whether a call is a part of a longer chain."""
    outer = node.parent
    return outer is not None and outer.type in (*_CALLS, *_MEMBERS, "infix_expression")


def _holding(held: Any) -> Any:
    """What holds a call; nothing if that is one of the classes that Gatling's words belong to."""
    is_bare = isinstance(held, Call) and not held.given and held.on is None
    return None if is_bare and held.name in _CLASSES else held


_CLASSES = ("HttpDsl", "CoreDsl", "Predef")


def _parameters(node: Node) -> Iterator[str]:
    for one in inside(node):
        if one.type in ("parameter", "formal_parameter", "class_parameter"):
            name = part(one, "name") or next(iter(parts(one)), None)
            yield text_of(name)


def _result(body: Node | None) -> Node | None:
    """What a function returns: its last statement, or the one expression that it is."""
    while body is not None and body.type in ("block", "function_body", "statements"):
        inner = parts(body)
        body = inner[-1] if inner else None
    return body


class _Reader:
    """Reads nodes of all three grammars."""

    def __init__(self, found: Source, language: str, holders: Holders) -> None:
        self.found, self.language, self.holders = found, language, holders
        self.depth = 0
        self.made: dict[int, Any] = {}
        """The expressions by the identities of their nodes, so that each is read once."""

    def expression(self, node: Node) -> Any:
        """An expression; a chain of calls may be longer than any nesting."""
        if node.id in self.made:
            return self.made[node.id]
        chain = [node]
        while (inner := _holder(chain[-1])) is not None and inner.id not in self.made:
            chain.append(inner)
        self.depth += 1
        for one in reversed(chain):
            held = Unknown(_line(one)) if self.depth > DEPTH_MAX else self._one(one)
            self.made[one.id] = held
            if isinstance(held, Call):
                self.found.calls.append(held)
        self.depth -= 1
        return self.made[node.id]

    def _one(self, node: Node) -> Any:
        """One node, whose holder has been read."""
        kind, line = node.type, _line(node)
        if kind in _CALLS:
            return self._call(node)
        if kind in _MEMBERS:
            holder, name = parts(node)[0], parts(node)[-1]
            said = self.holders.name_of(name, text_of(holder))
            return Call(said, _holding(self.expression(holder)), [], _line(name))
        if kind == "infix_expression" or (kind == "binary_expression" and _sign(node)):
            left, right = parts(node)[0], parts(node)[-1]
            given = [self.expression(right)]
            return Call(_sign(node), self.expression(left), given, line)
        if kind in ("identifier", "simple_identifier", "operator_identifier"):
            return Call(self.holders.name_of(node), None, [], line)
        if kind in _TEXTS:
            return self._text(node)
        if kind == "ascription_expression" and parts(node):  # `url: String`
            return self.expression(parts(node)[0])
        if kind in _WRAPPERS and parts(node):
            return self.expression(parts(node)[-1])
        number = number_of(text_of(node).rstrip("LlDdFf")) if "literal" in kind else None
        return Unknown(line) if number is None or not math.isfinite(number) else number

    def _call(self, node: Node) -> Any:
        """A call: `f(a)`, `x.f(a)`, and `f(a) { b }`, whose block is one more argument."""
        function = part(node, "function") or part(node, "object")
        name = part(node, "name")
        given = [one for one in parts(node) if one.type in _LISTS]
        values = [each for one in given for each in self._values(one)]
        if name is not None:  # Java
            held = _holding(self.expression(function)) if function else None
            holder = text_of(function) if function else ""
            return Call(self.holders.name_of(name, holder), held, values, _line(name))
        function = function or parts(node)[0]
        held = self.expression(function)
        if isinstance(held, Call):
            return Call(held.name, held.on, [*held.given, *values], held.line)
        return Unknown(_line(node))

    def _values(self, node: Node) -> Iterator[Any]:
        if node.type in ("annotated_lambda", "lambda_literal", "lambda_expression"):
            yield Unknown(_line(node))
        elif node.type == "block":
            yield self.expression(parts(node)[-1]) if parts(node) else Unknown(_line(node))
        else:
            for one in parts(node):
                yield self.expression(one)

    def _text(self, node: Node) -> Any:
        """A text; one with values of the script in it is a chain of `+`."""
        raw = text_of(node)
        is_long = raw.endswith('"""') and len(raw) > 5
        raw = re.sub(r'^[a-z]*("""|")|("""|")$', "", raw)
        is_filled = node.type == "interpolated_string_expression" or self.language == "kotlin"
        pieces: list[Any] = []
        at = 0
        for one in _NAME_IN_TEXT.finditer(raw) if is_filled else ():
            pieces += [raw[at : one.start()], Call(one[1] or one[2], None, [], _line(node))]
            at = one.end()
        pieces.append(raw[at:])
        if not is_long:
            pieces = [unescaped(one) if isinstance(one, str) else one for one in pieces]
        made: Any = pieces[0]
        for one in pieces[1:]:
            made = Call("+", made, [one], _line(node))
        return made


def _holder(node: Node) -> Node | None:
    """What a call is called on, whose depth grows with the length of a chain."""
    if node.type in (*_CALLS, *_MEMBERS, "infix_expression", "binary_expression"):
        inner = part(node, "object") or part(node, "function") or parts(node)[0]
        return None if inner.type in _LISTS else inner
    return None


def _sign(node: Node) -> str:
    """The operator of an expression; `+` joins texts."""
    operator = part(node, "operator")
    if operator is None and node.type == "infix_expression":
        operator = parts(node)[1] if len(parts(node)) > 2 else None
    if operator is None:
        operator = next((one for one in node.children if not one.is_named), None)
    return text_of(operator)


def _line(node: Node) -> int:
    return int(node.start_point[0]) + 1
