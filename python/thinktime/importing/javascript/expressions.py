"""Expressions of a script in JavaScript, read and never run: literals, members, operators."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

from thinktime.importing import gaps
from thinktime.importing.javascript.syntax import FUNCTIONS, Node, line_of, part, parts, text_of
from thinktime.importing.javascript.tokens import number_of, unescaped
from thinktime.importing.javascript.values import (
    Answer,
    Class,
    Function,
    Handle,
    Instance,
    Member,
    Part,
    Scope,
    Table,
    Unknown,
    arithmetic,
    joined,
    whole,
)
from thinktime.importing.marks import Marks
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import is_small

NODES_MAX = 200_000
"""At most this many parts are read for each scenario, loops unrolled."""

DEPTH_MAX = 20
PARTS_MAX = 10_000


class Expressions(ABC):
    """Reads expressions; a class that inherits from it follows calls."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.draws = Marks()
        self.left = NODES_MAX
        self.file = ""

    def place(self, node: Node) -> str:
        """The place of a node, with its file if that is not the script's own."""
        return f"{self.file} line {line_of(node)}".lstrip()

    @abstractmethod
    def call_of(self, node: Node, scope: Scope) -> Any:
        """The value of a call."""

    @abstractmethod
    def assigned(self, holder: Handle, name: str, held: Any, node: Node) -> None:
        """Take what a script gives to a field of an object of a module."""

    @abstractmethod
    def made_by(self, node: Node, scope: Scope) -> Any:
        """The value of `new Kind(...)`."""

    def bind(self, target: Node | None, held: Any, scope: Scope) -> None:
        """Give a name, or the names of a pattern, to a value."""
        if target is None:
            return
        if target.type in ("identifier", "shorthand_property_identifier_pattern"):
            small = not isinstance(held, dict | list) or is_small(held, PARTS_MAX)
            scope.names[text_of(target)] = held if small else Unknown("a large value")
            return
        for place, one in enumerate(parts(target)):
            key = text_of(part(one, "key") or one)
            inner = held[key] if isinstance(held, dict) and key in held else Unknown(key)
            if target.type == "array_pattern" and isinstance(held, list):
                inner = held[place] if place < len(held) else None
            self.bind(part(one, "value") or part(one, "left") or one, inner, scope)

    def value(self, node: Node | None, scope: Scope) -> Any:
        """The value of an expression; its calls are followed."""
        self.left -= 1
        if node is None or self.left < 0:
            return Unknown(text_of(node))
        match node.type:
            case "number":
                found = number_of(text_of(node))
                return Unknown(text_of(node)) if found is None else found
            case "string":
                return unescaped(text_of(node)[1:-1])
            case "true" | "false":
                return node.type == "true"
            case "null" | "undefined":
                return None
            case "identifier" | "this" | "shorthand_property_identifier":
                return self._named(node, scope)
            case "template_string":
                return self._template(node, scope)
            case "array":
                return self._array(node, scope)
            case "object":
                return Table(self._fields(node, scope), node)
        return self._computed(node, scope)

    def _computed(self, node: Node, scope: Scope) -> Any:
        """The value of an expression that is no literal and no name."""
        match node.type:
            case "member_expression" | "subscript_expression":
                return self._member(node, scope)
            case "call_expression":
                return self.call_of(node, scope)
            case "new_expression":
                return self.made_by(node, scope)
            case "binary_expression":
                return self._binary(node, scope)
            case "unary_expression" if node.children[0].type == "-":
                return arithmetic("-", 0, self.value(part(node, "argument"), scope), node)
            case "ternary_expression":
                return self._either(node, scope)
            case "assignment_expression":
                return self._assign(node, self.value(part(node, "right"), scope), scope)
            case "augmented_assignment_expression" | "update_expression":
                return self._assign(node, Unknown(text_of(node)), scope)
            case "class":
                return self._class(node, scope)
            case _ if node.type in FUNCTIONS:
                return Function(node, scope, self._this(scope))
            case _ if node.type in _WRAPPERS:
                inner = parts(node)
                return self.value(inner[0], scope) if inner else Unknown(text_of(node))
        for one in parts(node):
            self.value(one, scope)
        return Unknown(text_of(node))

    def _this(self, scope: Scope) -> Any:
        holder = scope.holder("this")
        return holder.names["this"] if holder is not None else None

    def _named(self, node: Node, scope: Scope) -> Any:
        name = text_of(node)
        holder = scope.holder(name)
        return Unknown(name) if holder is None else holder.names[name]

    def _template(self, node: Node, scope: Scope) -> Any:
        pieces: list[Any] = []
        for one in node.named_children:
            if one.type == "template_substitution":
                pieces.append(self.value(parts(one)[0], scope) if parts(one) else "")
            elif one.type in ("string_fragment", "escape_sequence"):
                pieces.append(unescaped(text_of(one)))
        return joined(pieces, node, self.draws)

    def _array(self, node: Node, scope: Scope) -> list[Any]:
        found: list[Any] = []
        for one in parts(node):
            held = self.value(one, scope)
            is_spread = one.type == "spread_element"
            found += held if is_spread and isinstance(held, list) else [held]
        return found

    def _fields(self, node: Node, scope: Scope) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in parts(node):
            if one.type == "pair":
                found[self._key(part(one, "key"), scope)] = self.value(part(one, "value"), scope)
            elif one.type == "shorthand_property_identifier":
                found[text_of(one)] = self._named(one, scope)
            elif one.type == "method_definition":
                found[self._key(part(one, "name"), scope)] = Function(one, scope, found)
            elif one.type == "spread_element":
                held = self.value(one, scope)
                # What is not known stays in sight, as `...common` among header fields.
                found |= held if isinstance(held, dict) else {} if held is None else {
                    text_of(one): Unknown(text_of(one))
                }  # fmt: skip
        return found

    def _key(self, node: Node | None, scope: Scope) -> str:
        if node is not None and node.type in ("string", "number"):
            return unescaped(text_of(node).strip("'\""))
        if node is not None and node.type == "computed_property_name":
            return str(self.value(parts(node)[0], scope)) if parts(node) else ""
        return text_of(node)

    def _member(self, node: Node, scope: Scope) -> Any:
        holder = self.value(part(node, "object"), scope)
        if node.type == "member_expression":
            key: Any = text_of(part(node, "property"))
        else:
            key = whole(self.value(part(node, "index"), scope))
        return self._of(holder, key, node)

    def _of(self, holder: Any, key: Any, node: Node) -> Any:
        if isinstance(holder, Member):
            return Member(holder.module, key) if isinstance(key, str) else Unknown(text_of(node))
        if isinstance(holder, Answer) and key in ("body", "status", "headers"):
            return Part(holder.request, key)
        if isinstance(holder, Part):
            return holder.of(key) or Unknown(text_of(node))
        if isinstance(holder, Handle) and isinstance(key, str):
            return holder.held.get(key) or Member(holder.module, key, holder)
        if isinstance(holder, list) and isinstance(key, int) and 0 <= key < len(holder):
            return holder[key]
        if isinstance(holder, list | str) and key == "length" and not gaps.has(holder):
            return len(holder)
        if isinstance(holder, dict) and isinstance(key, str | int):
            return holder.get(str(key), Unknown(text_of(node)))
        if isinstance(holder, Instance):
            if key in holder.fields:
                return holder.fields[key]
            return self.method(holder.of, key, holder) or Unknown(text_of(node))
        if isinstance(holder, Class):
            return self.method(holder, key, holder) or Unknown(text_of(node))
        return Unknown(text_of(node))

    def method(self, of: Class, key: Any, this: Any) -> Any:
        """A method, or a field with a value, of a class or of its bases."""
        at: Any = of
        for _ in range(DEPTH_MAX):
            for one in parts(part(at.node, "body")):
                if text_of(part(one, "name")) != key:
                    continue
                if one.type == "method_definition":
                    return Function(one, at.scope, this)
                inner = Scope({"this": this}, at.scope)
                return self.value(part(one, "value"), inner)
            at = at.base
            if not isinstance(at, Class):
                return None
        return None

    def _class(self, node: Node, scope: Scope) -> Class:
        heritage = next((one for one in parts(node) if one.type == "class_heritage"), None)
        base = None
        for one in parts(heritage):
            inner = parts(one) if one.type == "extends_clause" else []
            base = self.value(inner[0], scope) if inner else base
        return Class(node, scope, base)

    def _binary(self, node: Node, scope: Scope) -> Any:
        """The value of a chain of operators, which may be longer than any nesting."""
        chain = [node]
        while (left := part(chain[-1], "left")) is not None and left.type == node.type:
            chain.append(left)
        found = self.value(left, scope)
        for one in reversed(chain):
            found = self._operated(one, found, self.value(part(one, "right"), scope))
        return found

    def _operated(self, node: Node, left: Any, right: Any) -> Any:
        sign = text_of(part(node, "operator"))
        match sign:
            case "||" | "??":
                return right if isinstance(left, Unknown) or not left else left
            case "&&":
                return right
            case "+" if isinstance(left, str) or isinstance(right, str):
                return joined([left, right], node, self.draws)
        return arithmetic(sign, left, right, node)

    def _either(self, node: Node, scope: Scope) -> Any:
        """`a ? b : c`: the first that is known; the calls of `c` are not followed."""
        self.value(part(node, "condition"), scope)
        first = self.value(part(node, "consequence"), scope)
        other = part(node, "alternative")
        if re.search(r"\(", text_of(other)):
            text = "`?:` is not followed: its first part is taken"
            self.notes.add(self.place(node), text)
            return first
        return self.value(other, scope) if isinstance(first, Unknown) else first

    def _assign(self, node: Node, held: Any, scope: Scope) -> Any:
        target = part(node, "left") or part(node, "argument")
        if target is None:
            return held
        if target.type == "identifier":
            self.bind(target, held, scope.holder(text_of(target)) or scope)
        elif target.type in ("member_expression", "subscript_expression"):
            holder = self.value(part(target, "object"), scope)
            key: Any = text_of(part(target, "property"))
            if target.type == "subscript_expression":
                key = self.value(part(target, "index"), scope)
            if isinstance(holder, Handle):
                self.assigned(holder, str(key), held, node)
            fields = holder.fields if isinstance(holder, Instance) else holder
            if isinstance(fields, dict) and len(fields) < PARTS_MAX and isinstance(key, str):
                fields[key] = held
                if not is_small(fields, PARTS_MAX):  # as one that holds itself
                    fields[key] = Unknown(text_of(node))
        return held


_WRAPPERS = ("parenthesized_expression", "await_expression", "as_expression", "spread_element",
             "non_null_expression", "satisfies_expression", "expression_statement",
             "type_assertion", "else_clause")  # fmt: skip
