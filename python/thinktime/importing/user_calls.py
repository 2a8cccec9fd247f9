"""Calls of a Locust script that send requests, or may: of a user's client, and of other modules."""

from __future__ import annotations

import ast

METHODS = ("get", "post", "put", "delete", "patch", "head", "options")
CALLS = (*METHODS, "request", "rest")


def is_of_client(call: ast.Call) -> bool:
    """Whether a call is a request of the user's client: `self.client.get`, `user.client.post`.

    `self.rest` of a user is one, too; a client of another name may be of another host.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in CALLS:
        return False
    owner = ast.unparse(function.value)
    own = owner == "client" or owner.endswith(".client")
    return own or (function.attr == "rest" and owner in ("self", "self.user"))


def may_send(call: ast.Call) -> bool:
    """Whether a call of another module may send requests: of `requests`, or with the user."""
    function = call.func
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if owner in ("requests", "httpx") and getattr(function, "attr", "") in CALLS:
        return True
    given = {ast.unparse(one) for one in call.args if not isinstance(one, ast.Starred)}
    is_known = owner in ("", "super()") and getattr(function, "id", "") in _BUILT_IN
    hands_on = any(one.endswith(_REQUESTS) for one in given)  # as `spawn(self.client.get, "/")`
    return not is_known and owner != "super()" and (hands_on or bool(given & _USERS))


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
