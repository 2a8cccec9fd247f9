"""The course of a script in JavaScript, read along its calls and never run.

Each function is followed where it is called. A branch is taken once, and every loop whose turns are
not known; a value that only a run would show is `Unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from thinktime.importing import gaps
from thinktime.importing.javascript.calls import called
from thinktime.importing.javascript.expressions import DEPTH_MAX, Expressions
from thinktime.importing.javascript.syntax import FUNCTIONS, Node, part, parts, text_of
from thinktime.importing.javascript.values import (
    Answer,
    Class,
    Function,
    Handle,
    Instance,
    Member,
    Part,
    Scope,
    Unknown,
)
from thinktime.importing.notes import Notes

TURNS_MAX = 50
"""Loops with more turns are taken once."""

Call = Callable[[Member, list[Any], Node], Any]
"""What becomes of a call of a name of a module, with its arguments."""


class Returned(Exception):  # noqa: N818 - it ends a function, and is no error
    """The value that a function returns."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Reader(Expressions):
    """Reads statements and expressions; ``call`` takes the calls of modules."""

    def __init__(self, notes: Notes, call: Call) -> None:
        super().__init__(notes)
        self.call = call
        self.active: list[Node] = []
        self.seen: set[tuple[str, int]] = set()
        """The places of the calls that were read: their file, and where they begin in it."""

    def statements(self, body: Sequence[Node], scope: Scope) -> None:
        """Read statements in their order; functions and classes are known from the beginning."""
        for one in body:
            inner = part(one, "declaration") or one
            if inner.type in ("function_declaration", "generator_function_declaration"):
                scope.names[text_of(part(inner, "name"))] = Function(inner, scope)
            elif inner.type in ("class_declaration", "abstract_class_declaration"):
                scope.names[text_of(part(inner, "name"))] = self._class(inner, scope)
        for one in body:
            self.statement(one, scope)

    def module(self, root: Node, scope: Scope) -> None:
        """Read the statements of a whole file."""
        before, self.file = self.file, scope.file
        self._quietly([root], scope)
        self.file = before

    def statement(self, node: Node, scope: Scope) -> None:
        """Read one statement."""
        self.left -= 1
        if self.left < 0:
            self.notes.add(self.place(node), "left out: the script has too many steps")
            return
        match node.type:
            case "lexical_declaration" | "variable_declaration":
                for one in parts(node):
                    given = part(one, "value")
                    held = Unknown("nothing") if given is None else self.value(given, scope)
                    self.bind(part(one, "name"), held, scope)
            case "return_statement":
                held = self.value(parts(node)[0], scope) if parts(node) else None
                raise Returned(held)
            case "program":
                self.statements(parts(node), scope)
            case "statement_block":
                self.statements(parts(node), Scope(outer=scope))
            case "if_statement" | "while_statement" | "do_statement" | "try_statement":
                self._branch(node, scope)
            case "for_statement" | "switch_statement":
                self._branch(node, scope)
            case "for_in_statement":
                self._each(node, scope)
            case "export_statement":
                for inner in (part(node, "declaration"), part(node, "value")):
                    if inner is not None:
                        self.statement(inner, scope)
            case _ if node.type in FUNCTIONS or node.type in _DECLARED:
                pass
            case _:
                self.value(node, scope)

    def _branch(self, node: Node, scope: Scope) -> None:
        """The first content of a branch or a loop, once."""
        kind = node.type.split("_")[0]
        self.notes.add(self.place(node), f"`{kind}` is not followed: its content is taken once")
        inner = Scope(outer=scope)
        for name in ("initializer", "condition"):
            if (one := part(node, name)) is not None:
                self.statement(one, inner)
        alternative = part(node, "alternative") or part(node, "handler")
        for name in ("consequence", "body", "finalizer"):
            if (one := part(node, name)) is not None:
                for each in parts(one) if one.type == "switch_body" else [one]:
                    body = parts(each)[1:] if each.type == "switch_case" else [each]
                    self._quietly(body, inner)
        if alternative is not None and alternative.type == "else_clause":
            self.notes.add(self.place(alternative), "`else` is left out, with what it holds")

    def _quietly(self, body: Sequence[Node], scope: Scope) -> None:
        """Read what may not happen: a `return` in it does not end the function."""
        try:
            for one in body:
                self.statement(one, scope)
        except Returned:
            pass

    def _each(self, node: Node, scope: Scope) -> None:
        """`for (const one of list)`: as often as the list is long, if it is known."""
        given = self.value(part(node, "right"), scope)
        operator = text_of(part(node, "operator"))
        known = isinstance(given, list) and len(given) <= TURNS_MAX and operator == "of"
        if not known:
            text = "`for` is not followed: its content is taken once"
            self.notes.add(self.place(node), text)
        for one in given if known else [Unknown("a turn")]:
            inner = Scope(outer=scope)
            self.bind(part(node, "left"), one, inner)
            body = part(node, "body")
            self._quietly([body] if body is not None else [], inner)

    def assigned(self, holder: Handle, name: str, held: Any, node: Node) -> None:
        self.call(Member(holder.module, f"{name} =", holder), [held], node)

    def made_by(self, node: Node, scope: Scope) -> Any:
        kind = self.value(part(node, "constructor"), scope)
        given = self._given(part(node, "arguments"), scope)
        if isinstance(kind, Class):
            made = Instance(kind)
            begin = self.method(kind, "constructor", made)
            if isinstance(begin, Function):
                self.follow(begin, given)
            return made
        if isinstance(kind, Member):
            return self.call(Member(kind.module, f"new {kind.name}"), given, node)
        return Unknown(text_of(node))

    def _given(self, node: Node | None, scope: Scope) -> list[Any]:
        found: list[Any] = []
        for one in parts(node):
            held = self.value(one, scope)
            found += held if one.type == "spread_element" and isinstance(held, list) else [held]
        return found

    def call_of(self, node: Node, scope: Scope) -> Any:
        function = part(node, "function")
        self.seen.add((self.file, node.start_byte))
        name = text_of(part(function, "property"))
        # The list of `list.map(f)` is read once: it may be the answer of a request.
        is_held = name in (*_OVER_LISTS, "json")
        held = self.value(part(function, "object"), scope) if is_held else None
        callee = self.value(function, scope) if held is None else self._of(held, name, node)
        given = self._given(part(node, "arguments"), scope)
        if isinstance(callee, Function):
            return self.follow(callee, given)
        if isinstance(callee, Member):
            return self.call(callee, given, node)
        if name == "json" and isinstance(held, Answer):
            return _of_json(held, given, node)
        path = text_of(function)
        if path == "require" and given and isinstance(given[0], str):
            return Member(given[0])
        if path in ("setTimeout", "setInterval"):
            return self.call(Member("k6/timers", path), given, node)
        if path == "open" and given:
            name = gaps.named(given[0]) if isinstance(given[0], str) else str(given[0]).strip("`")
            self.notes.add(self.place(node), f"the file `{name[:80]}` is left out: it is not read")
            return Unknown(text_of(node))
        if path.startswith("Promise.") and given and isinstance(given[0], list):
            text = f"the requests of `{path[:40]}` are sent one after the other"
            self.notes.add(self.place(node), text)
        known = called(path, given, node, self.draws)
        if known is not None:
            return known
        return self._of_list((name, held), given, node)

    def _of_list(self, over: tuple[str, Any], given: list[Any], node: Node) -> Any:
        """`list.forEach(f)` and its like; any other function that is given is called once."""
        name, holder = over
        if name == "push" and isinstance(holder, list) and len(holder) < TURNS_MAX:
            holder += given
            return len(holder)
        if isinstance(holder, list) and len(holder) <= TURNS_MAX and given:
            made = [self.follow(given[0], [one, at]) for at, one in enumerate(list(holder))]
            return made if name in ("map", "flatMap") else Unknown(text_of(node))
        if name in _OVER_LISTS and any(isinstance(one, Function) for one in given):
            text = f"`{name}` is not followed: its content is taken once"
            self.notes.add(self.place(node), text)
        for one in given:
            if isinstance(one, Function):
                self.follow(one, [])
        return Unknown(text_of(node))

    def follow(self, function: Any, given: Sequence[Any]) -> Any:
        """Read a function that is called with these arguments; its value is what it returns."""
        if not isinstance(function, Function):
            return Unknown("a call")
        node = function.node
        if node in self.active or len(self.active) >= DEPTH_MAX:
            text = "a function that calls itself is followed once"
            self.notes.add(self.place(node), text)
            return Unknown(text_of(node))
        inner = Scope({"this": function.this}, function.scope)
        listed = part(node, "parameters") or part(node, "parameter")
        single = listed is not None and listed.type == "identifier"
        for at, one in enumerate([listed] if single else parts(listed)):
            usual = part(one, "value")
            held = given[at] if at < len(given) else Unknown("an argument")
            if at >= len(given) and usual is not None:
                held = self.value(usual, function.scope)
            self.bind(part(one, "pattern") or one, held, inner)
        body = part(node, "body")
        self.active.append(node)
        before, self.file = self.file, function.scope.file
        try:
            if body is None or body.type != "statement_block":
                return self.value(body, inner)
            self.statements(parts(body), inner)
        except Returned as done:
            return done.value
        finally:
            self.active.pop()
            self.file = before
        return None


def _of_json(answer: Answer, given: list[Any], node: Node) -> Any:
    """`response.json()`, or `response.json("items.0.id")`."""
    found: Part | None = Part(answer.request, "json:$")
    path = given[0] if given else ""
    for key in str(path).split(".") if path else []:
        found = found.of(int(key) if re.fullmatch(r"\d{1,9}", key) else key) if found else None
    return found or Unknown(text_of(node))


_OVER_LISTS = ("forEach", "map", "flatMap", "push")
_DECLARED = ("import_statement", "class_declaration", "abstract_class_declaration", "comment",
             "interface_declaration", "type_alias_declaration", "empty_statement")  # fmt: skip
