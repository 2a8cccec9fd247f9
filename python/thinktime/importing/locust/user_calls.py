"""Calls of a Locust script that send requests, or may: of a user's client, and of other modules."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import Any

from thinktime.importing.draft import seconds
from thinktime.importing.notes import Notes

METHODS = ("get", "post", "put", "delete", "patch", "head", "options")
OWNERS = ("", "self", "self.user", "self.parent")
"""The objects whose functions are those of the user or of its tasks."""

CALLS = (*METHODS, "request", "rest")


def is_of_client(call: ast.Call, others: Container[str] = ()) -> bool:
    """Whether a call is a request of the user's client: `self.client.get`, `user.client.post`.

    `self.rest` of a user is one, too; a client of another name may be of another host, unless it is
    one of the ``others``.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in CALLS:
        return False
    owner = ast.unparse(function.value)
    own = is_client(function.value, others)
    return own or (function.attr == "rest" and owner in ("self", "self.user"))


def is_client(given: ast.expr, others: Container[str] = ()) -> bool:
    """Whether an expression is the user's client, perhaps by one of the other names."""
    owner = ast.unparse(given)
    return owner == "client" or owner.endswith(".client") or owner in others


def may_send(call: ast.Call, others: Container[str] = ()) -> bool:
    """Whether a call of another module may send requests: of `requests`, or with the user.

    ``others`` are further names of the user's client.
    """
    function = call.func
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if owner in ("requests", "httpx") and getattr(function, "attr", "") in CALLS:
        return True
    given = {ast.unparse(one) for one in call.args if not isinstance(one, ast.Starred)}
    is_known = owner in ("", "super()") and getattr(function, "id", "") in _BUILT_IN
    hands_on = any(one.endswith(_REQUESTS) for one in given)  # as `spawn(self.client.get, "/")`
    with_user = any(one in _USERS or one in others for one in given)
    return not is_known and owner != "super()" and (hands_on or with_user)


def sends(statement: ast.stmt, functions: Container[str], others: Container[str]) -> bool:
    """Whether a statement has requests, or calls of functions that may have some."""

    def is_one(call: ast.Call) -> bool:
        function = call.func
        owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
        name = getattr(function, "attr", getattr(function, "id", ""))
        followed = name in functions and owner in OWNERS
        return followed or is_of_client(call, others) or may_send(call, others)

    return any(isinstance(one, ast.Call) and is_one(one) for one in ast.walk(statement))


def timeout_of(given: Any, place: str, notes: Notes) -> str:
    """The timeout of a request; empty for none."""
    if isinstance(given, int | float) and 0 < given < 1e6:
        return seconds(given)
    if given is not None:
        notes.add(place, "the argument `timeout` is left out: it is no number")
    return ""


def opened(call: ast.Call) -> str:
    """The name of the file that a call reads, as its expression if it is not known; else empty."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    held = function.value if isinstance(function, ast.Attribute) else None
    if name in _OF_PATHS and isinstance(held, ast.Call) and ast.unparse(held.func).endswith("Path"):
        return ast.unparse(held.args[0]) if held.args else ""
    if name not in _READERS or not call.args or (name == "open" and held is not None):
        return ""
    modes = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "mode")]
    writes = name == "open" and any(set("wax") & set(ast.unparse(one)) for one in modes)
    return "" if writes else ast.unparse(call.args[0])


_READERS = ("open", "read_csv", "read_json", "read_excel")
_OF_PATHS = ("open", "read_text", "read_bytes")
_REQUESTS = tuple(f"client.{one}" for one in CALLS)


_USERS = {"self", "self.client", "self.user", "self.parent", "client", "user", "l.client"}
_BUILT_IN = ("str", "repr", "print", "id", "getattr", "setattr", "hasattr", "super", "type", "vars",
             "isinstance")  # fmt: skip


def is_fields(node: ast.expr) -> bool:
    """Whether an expression is the header fields of a client."""
    return ast.unparse(node).endswith("client.headers")
