"""The actions of a Locust task, step by step: the calls of its client, and its sleeps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from thinktime.importing import content, gaps
from thinktime.importing.addresses import Address, address, request_at
from thinktime.importing.draft import Body, Request, method_of, seconds
from thinktime.importing.locust.classes import Script
from thinktime.importing.locust.literals import Unknown, is_unknown, with_gaps
from thinktime.importing.locust.turns import names_of, turns_of
from thinktime.importing.locust.user_calls import (
    OWNERS,
    is_client,
    is_fields,
    is_of_client,
    may_send,
    sends,
    timeout_of,
)
from thinktime.importing.secrets import is_secret, masked, masked_pairs

REDIRECTS = 30
"""The redirects that the client of Locust follows by default, except those of HEAD."""

STEPS_MAX = 2000
STATEMENTS_MAX = 20_000
"""The limit for one task, loops unrolled."""

DEPTH_MAX = 5


class Steps:
    """Reads the functions of one class of users.

    ``base`` is the class's host, before whose path no target begins; ``redirects`` is the number
    that its client follows.
    """

    def __init__(self, script: Script, base: Address, redirects: int = REDIRECTS) -> None:
        self.script = script
        self.names = script.names
        self.notes = script.notes
        self.base = base
        self.redirects = redirects
        self.functions: Mapping[str, ast.FunctionDef] = {}
        self.fields: dict[str, Any] = {}
        """The header fields that the client sends with all requests."""
        self.clients: set[str] = set()
        """Other names of the client, as `c` after `c = self.client`."""
        self.found: list[Request] = []
        self.depth = 0
        self.left = STATEMENTS_MAX
        self.is_start = False

    def of(
        self,
        function: ast.FunctionDef,
        functions: Mapping[str, ast.FunctionDef],
        *,
        is_start: bool = False,
    ) -> list[Request]:
        """The requests of a function, in their order, with the sleeps after each.

        ``functions`` are the methods that it can call. Only a start sets header fields for all.
        """
        self.functions = {**self.script.functions, **functions}
        self.found, self.depth, self.left = [], 0, STATEMENTS_MAX
        self.clients = set()
        self.is_start = is_start
        self._statements(function.body)
        return self.found

    def take_fields(self, given: ast.expr) -> None:
        """Take header fields that the client sends with all requests."""
        self.is_start = True
        self._set_fields(self.names.value(given), f"line {given.lineno}")

    def _statements(self, body: Iterable[ast.stmt]) -> None:
        for one in body:
            if self.left >= 0:
                self._statement(one)

    def _statement(self, one: ast.stmt) -> None:
        place = f"line {one.lineno}"
        self.left -= 1
        if len(self.found) >= STEPS_MAX or self.left < 0:
            self.notes.add(place, f"left out: a task has at most {STEPS_MAX} requests here")
        elif isinstance(one, ast.For):
            self._loop(one)
        elif isinstance(one, ast.If | ast.While | ast.Try | ast.Match):
            kind = type(one).__name__.lower()
            self.notes.add(place, f"`{kind}` is not followed: the first branch is taken, once")
            inside = one.cases[0].body if isinstance(one, ast.Match) else one.body
            self._statements(inside)
        elif isinstance(one, ast.With):
            for item in one.items:
                self._calls(item.context_expr)
                if item.optional_vars is not None:
                    self._name_client(item.optional_vars, item.context_expr)
            if any(sends(inner, self.functions, self.clients) for inner in one.body):
                self._statements(one.body)
            elif not all(isinstance(inner, ast.Pass) for inner in one.body):
                self.notes.add(place, "the check of the answer is left out")
        elif not isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
            self._calls(one)
            if isinstance(one, ast.Assign) and len(one.targets) == 1:
                self.names.assign(one.targets[0], one.value)
                self._name_client(one.targets[0], one.value)
                self._setting(one.targets[0], one.value)

    def _name_client(self, target: ast.expr, given: ast.expr) -> None:
        if isinstance(target, ast.Name) and is_client(given, self.clients):
            self.clients.add(target.id)

    def _loop(self, loop: ast.For) -> None:
        turns = turns_of(loop.iter, self.names)
        names = names_of(loop.target)
        if turns is None or not names:
            self.notes.add(f"line {loop.lineno}", "the loop is taken once: its turns are not known")
            self._statements(loop.body)
            return
        for turn in turns:
            parts = [turn] if isinstance(loop.target, ast.Name) else turn
            known = parts if isinstance(parts, list) and len(parts) == len(names) else []
            self.names.known |= dict(zip(names, known, strict=False))
            self._statements(loop.body)
        for name in names:
            self.names.known.pop(name, None)

    def _calls(self, node: ast.AST) -> None:
        """The calls in a statement, in written order."""
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
        for call in sorted(calls, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0)):
            self._call(call)

    def _call(self, call: ast.Call) -> None:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
        if is_of_client(call, self.clients):
            self.script.calls.add(call)
            self._request(call, name)
        elif owner.endswith("client.headers") and name == "update" and call.args:
            self._set_fields(self.names.value(call.args[0]), f"line {call.lineno}")
        elif name == "sleep" and call.args:
            self._sleep(call)
        elif name in self.functions and owner in OWNERS and self.depth < DEPTH_MAX:
            self.depth += 1
            self._follow(self.functions[name], call, is_method=bool(owner))
            self.depth -= 1
        elif owner.startswith("self.client"):
            if name not in _HARMLESS:
                text = f"`{owner[:60]}.{name[:60]}()` is left out: it is no request"
                self.notes.add(f"line {call.lineno}", text)
        elif owner.startswith("self"):
            text = f"`{owner[:60]}.{name[:60]}()` left out: no request and no sleep"
            self.notes.add(f"line {call.lineno}", text)
        elif may_send(call, self.clients):
            text = f"`{ast.unparse(function)[:60]}()` is left out: it is not of this script"
            self.notes.add(f"line {call.lineno}", text)

    def _follow(self, function: ast.FunctionDef, call: ast.Call, *, is_method: bool) -> None:
        """Read a function that is called with these arguments."""
        names = [one.arg for one in function.args.args][int(is_method) :]
        given = dict(zip(names, call.args, strict=False))
        given |= {one.arg: one.value for one in call.keywords if one.arg}
        before, clients = dict(self.names.known), self.clients
        self.clients = clients | {name for name, one in given.items() if is_client(one, clients)}
        self.names.known |= {name: self.names.value(one) for name, one in given.items()}
        self._statements(function.body)
        self.clients = clients
        for name in given:
            self.names.known.pop(name, None)
            if name in before:
                self.names.known[name] = before[name]

    def _setting(self, target: ast.expr, value: ast.expr) -> None:
        """A setting of the client: `self.client.headers = ...`, `self.client.verify = ...`."""
        place = f"line {target.lineno}"
        if isinstance(target, ast.Subscript) and is_fields(target.value):
            name = self.names.value(target.slice)
            self._set_fields({str(name): self.names.value(value)}, place)
        elif isinstance(target, ast.Attribute) and is_fields(target):
            self._set_fields(self.names.value(value), place)
        elif isinstance(target, ast.Attribute) and ".client." in f".{ast.unparse(target)}":
            self.notes.add(place, f"the setting `{ast.unparse(target)[:60]}` is left out")

    def _set_fields(self, given: Any, place: str) -> None:
        if not isinstance(given, dict):
            self.notes.add(place, "the header fields of the client are left out: no literal")
        elif not self.is_start:
            self.notes.add(place, "header fields that a task gives to its client are left out")
        else:
            self.fields |= self._literal({"headers": given}, "headers", place, whole=False)

    def _sleep(self, call: ast.Call) -> None:
        given = self.names.value(call.args[0])
        place = f"line {call.lineno}"
        if not isinstance(given, int | float) or not 0 <= given < 1e6:
            self.notes.add(place, "the sleep is left out: its time is no number")
        elif not self.found:
            self.notes.add(place, "the sleep is left out: it stands before the first request")
        else:
            before = self.found[-1].think
            slept = float(before[:-1]) if before else 0.0
            self.found[-1].think = seconds(slept + given)

    def _request(self, call: ast.Call, method: str) -> None:
        place = f"line {call.lineno}"
        given = [self.names.value(one) for one in call.args]
        named = {one.arg: self.names.value(one.value) for one in call.keywords if one.arg}
        if method in ("request", "rest"):
            method = str(named.get("method", given.pop(0) if given else "get"))
        url = named.get("url", named.get("path", given.pop(0) if given else None))
        known = method_of(method)
        if not isinstance(url, str) or known is None:
            self.notes.add(place, "left out: its URL or its method is no literal")
            return
        if given and known in ("POST", "PUT", "PATCH"):
            named.setdefault("data", given[0])
        params = self._literal(named, "params", place)
        if isinstance(params, dict) and params:
            url += ("&" if "?" in url else "?") + urlencode(params, doseq=True)
        found = self._address(gaps.of_url(url, place, self.notes), place)
        if found is None:
            return
        fields = content.headers(self._sent(named, place).items(), place, self.notes)
        body = self._body(named, fields, place)
        name = named.get("name")
        title = gaps.named(name) if isinstance(name, str) else ""
        request = request_at(found, known, title, fields, body, place)
        sent = f"{found.target} {fields} {body.value if body else ''}"
        request.draws = self.names.marks.within(sent)
        request.timeout = timeout_of(named.get("timeout"), place, self.notes)
        follows = named.get("allow_redirects", known != "HEAD")
        self.script.redirects.add(request, self.redirects if follows else 0)
        self.found.append(request)
        for key in named:
            if key not in _TAKEN:
                self.notes.add(place, f"the argument `{key}` is left out")

    def _sent(self, named: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The header fields of a request, with those of its client."""
        own = self._literal(named, "headers", place, whole=False)
        own = own if isinstance(own, dict) else {}
        near = {name.lower() for name in own}
        return {k: v for k, v in self.fields.items() if k.lower() not in near} | own

    def _address(self, url: str, place: str) -> Address | None:
        """Locust puts the host before each URL that has none, with the path of the host."""
        found = address(url, place, self.notes)
        if found is None or urlsplit(url).netloc:
            return found
        path = self.base.target.rstrip("/") if self.base.origin else ""
        return Address(self.base.origin, path + found.target)

    def _literal(
        self, named: Mapping[str, Any], key: str, place: str, *, whole: bool = True
    ) -> Any:
        """An argument that is a literal; any other is noted, as are its unknown parts."""
        value = named.get(key)
        if not whole and isinstance(value, dict):
            for name, one in value.items():
                if is_unknown(one) and not is_secret(name):
                    self.notes.add(place, f"header `{name}` left out: it is no literal")
            return {k: v for k, v in value.items() if not is_unknown(v) or is_secret(k)}
        if isinstance(value, Unknown):
            self.notes.add(place, f"the argument `{key}` is left out: it is no literal")
            return None
        return gaps.within(with_gaps(value), place, self.notes)

    def _body(self, named: Mapping[str, Any], fields: dict[str, str], place: str) -> Body | None:
        if "json" in named:
            held = self._literal(named, "json", place)
            held = masked(held, place, self.notes)
            return content.of_value(held, fields) if held is not None else None
        data = self._literal(named, "data", place)
        if isinstance(data, bytes):
            data = data.decode("utf-8", "replace")
        if isinstance(data, dict):
            pairs = masked_pairs(content.form_pairs(data), place, self.notes)
            return content.of_fields(pairs, fields)
        if isinstance(data, str):
            return content.body(data, fields, place, self.notes)
        return None


_TAKEN = ("url", "path", "method", "name", "params", "headers", "json", "data", "catch_response",
          "allow_redirects", "timeout")  # fmt: skip
_HARMLESS = ("close", "clear")
