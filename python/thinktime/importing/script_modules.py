"""The modules that a k6 script imports, and the names that it exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thinktime.importing.notes import Notes
from thinktime.importing.script_values import Function, Member, Scope, Unknown
from thinktime.importing.syntax import (
    FUNCTIONS,
    Node,
    inside,
    line_of,
    part,
    parts,
    text_of,
)

_ELSEWHERE = {
    "k6/net/grpc": "write them as requests with `grpc`, `descriptors` and `message`",
    "/ws": "write them as requests with `send`, in a workload of their own",
    "websockets": "write them as requests with `send`, in a workload of their own",
    "browser": "a page is a request with `objects`",
    "k6/x/": "extensions are not known",
    "httpx": "only those of `k6/http` are read",
    "experimental": "only those of `k6/http` are read",
}
"""The substitute of a module, by a part of its name."""

_NOT_OF_LOAD = ("setup", "teardown", "handleSummary")


def names_of(root: Node, notes: Notes) -> Scope:
    """The scope of a script, with the names that it imports around it."""
    found: dict[str, Any] = {}
    for one in parts(root):
        module = text_of(part(one, "source")).strip("'\"")
        if one.type != "import_statement" or not module:
            continue
        _note(one, module, notes)
        for clause in parts(one):
            for name, member in _imported(clause, module):
                found[name] = member
    for node, module in _required(root):
        _note(node, module, notes)
    return Scope({}, Scope(found))


def _imported(clause: Node, module: str) -> Iterator[tuple[str, Member]]:
    for one in parts(clause) if clause.type == "import_clause" else []:
        if one.type == "identifier":
            yield text_of(one), Member(module)
        elif one.type == "namespace_import" and parts(one):
            yield text_of(parts(one)[0]), Member(module)
        for each in parts(one) if one.type == "named_imports" else []:
            name = text_of(part(each, "name"))
            is_module = name in ("http", "default")
            yield text_of(part(each, "alias")) or name, Member(module, "" if is_module else name)


def _required(root: Node) -> Iterator[tuple[Node, str]]:
    for one in inside(root, kinds=("variable_declarator",)):
        given = part(one, "value")
        if given is not None and text_of(part(given, "function")) == "require":
            names = parts(part(given, "arguments"))
            if names:
                yield one, text_of(names[0]).strip("'\"")


def _note(node: Node, module: str, notes: Notes) -> None:
    """Notes a module whose calls use another protocol or another way to ask a server."""
    found = next((words for name, words in _ELSEWHERE.items() if name in module), None)
    if found is not None:
        notes.add(f"line {line_of(node)}", f"the calls of `{module[:60]}` are left out: {found}")


def exported(root: Node, known: Scope) -> dict[str, Any]:
    """The values that a script exports, by the names that scenarios have."""
    found: dict[str, Any] = {}
    for one in parts(root):
        if one.type != "export_statement":
            continue
        value = part(one, "value") or part(one, "declaration")
        if any(child.type == "default" for child in one.children) and value is not None:
            name = text_of(part(value, "name")) or text_of(value)
            is_function = value.type in FUNCTIONS
            found["default"] = Function(value, known) if is_function else known.names.get(name)
        for each in inside(one, kinds=("export_specifier",)):
            name = text_of(part(each, "name"))
            found[text_of(part(each, "alias")) or name] = known.names.get(name)
    return found


def unread(root: Node, known: Scope, seen: set[int], notes: Notes) -> None:
    """Notes the calls that stand in no function that is run, and functions around the load."""
    around: list[tuple[int, int]] = []
    for name in _NOT_OF_LOAD:
        held = known.names.get(name)
        if isinstance(held, Function):
            around.append((held.node.start_byte, held.node.end_byte))
            text = f"`{name}` left out: it is not of the load"
            notes.add(f"line {line_of(held.node)}", text)
    for one in inside(root, kinds=("call_expression",)):
        kind = _kind_of(part(one, "function"), known)
        is_around = any(begin <= one.start_byte < end for begin, end in around)
        if kind and one.start_byte not in seen and not is_around:
            text = f"the {kind} is left out: it is in no function that is followed"
            notes.add(f"line {line_of(one)}", text)


def _kind_of(function: Node | None, known: Scope) -> str:
    """What a call is, by the name of a module in it; empty for others."""
    name, _, inner = text_of(function).partition(".")
    holder = known.holder(name)
    held = holder.names[name] if holder is not None else Unknown(name)
    if not isinstance(held, Member):
        return ""
    if held.module == "k6/http" and (inner or held.name) in _REQUESTS:
        return "request"
    return {"check": "check", "sleep": "sleep"}.get(held.name or inner, "")


_REQUESTS = ("get", "head", "post", "put", "patch", "del", "options", "request", "batch",
             "asyncRequest")  # fmt: skip
