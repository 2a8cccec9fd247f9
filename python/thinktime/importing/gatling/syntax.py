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
_DEFINITIONS = ("val_definition", "var_definition", "property_declaration", "variable_declarator")
_FUNCTIONS = ("function_definition", "function_declaration", "method_declaration")


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
    reader = _Reader(found, language, _Holders(root))
    for node in _inside(root):
        if node.type in _DEFINITIONS:
            inner = [one for one in parts(node) if one.type != "modifiers"]
            name = part(node, "pattern") or part(node, "name") or next(iter(inner), None)
            value = part(node, "value") or (inner[-1] if len(inner) > 1 else None)
            if name is not None and value is not None and value is not name:
                made = Function([], reader.expression(value))
                found.names.setdefault(reader.holders.name_of(name), made)
        elif node.type in _FUNCTIONS:
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


class _Holders:
    """The objects and classes of a simulation: names that several of them have are told apart."""

    def __init__(self, root: Node) -> None:
        self.holders: dict[str, set[str]] = {}
        for node in _inside(root):
            if node.type in (*_DEFINITIONS, *_FUNCTIONS):
                inner = [one for one in parts(node) if one.type != "modifiers"]
                name = part(node, "pattern") or part(node, "name") or next(iter(inner), None)
                around = next(_around(node), "")
                if name is not None and around:
                    self.holders.setdefault(_plain(name), set()).add(around)

    def name_of(self, node: Node, holder: str = "") -> str:
        """A name, with that of its object before it if other objects have the same name."""
        name = _plain(node)
        known = self.holders.get(name, set())
        if len(known) < 2:
            return name
        stated = holder.rpartition(".")[2].strip("` ")
        if holder and stated != "this":
            return f"{stated}.{name}" if stated in known else name
        own = next((one for one in _around(node) if one in known), None)
        return f"{own}.{name}" if own else name


_OBJECTS = ("object_definition", "class_definition", "trait_definition", "class_declaration",
            "object_declaration", "companion_object")  # fmt: skip


def _around(node: Node) -> Iterator[str]:
    """The names of the objects and classes around a node, the nearest first."""
    outer = node.parent
    while outer is not None:
        if outer.type in _OBJECTS:
            name = part(outer, "name")
            inner = (one for one in parts(outer) if one.type.endswith("identifier"))
            name = name if name is not None else next(inner, None)
            if name is not None:
                yield _plain(name)
        outer = outer.parent


def _inside(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.named_children))


def _is_inner(node: Node) -> bool:
    """Whether a call is a part of a longer chain."""
    outer = node.parent
    return outer is not None and outer.type in (*_CALLS, *_MEMBERS, "infix_expression")


def _plain(name: Node) -> str:
    return text_of(name).partition(":")[0].strip("` ")


def _holding(held: Any) -> Any:
    """What holds a call; nothing if that is one of the classes that Gatling's words belong to."""
    is_bare = isinstance(held, Call) and not held.given and held.on is None
    return None if is_bare and held.name in _CLASSES else held


_CLASSES = ("HttpDsl", "CoreDsl", "Predef")


def _parameters(node: Node) -> Iterator[str]:
    for one in _inside(node):
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

    def __init__(self, found: Source, language: str, holders: _Holders) -> None:
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
