"""The actions of a function in a k6 script, step by step: its requests and its sleeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing import checks, content
from thinktime.importing.addresses import address
from thinktime.importing.draft import Body, Request, method_of, name_of, plain, seconds
from thinktime.importing.javascript import Random, Unknown, Values, is_unknown
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import is_secret, masked_pairs

METHODS = {
    "get": "GET",
    "head": "HEAD",
    "post": "POST",
    "put": "PUT",
    "patch": "PATCH",
    "del": "DELETE",
    "options": "OPTIONS",
}
STEPS_MAX = 2000
DEPTH_MAX = 5


@dataclass
class Step:
    """A request, and the sleeps after it as bounds in seconds."""

    request: Request
    lo_s: float = 0.0
    hi_s: float = 0.0

    def think(self) -> str:
        """The think time; two random sleeps are taken as one between the sums of their bounds."""
        if self.lo_s == self.hi_s:
            return seconds(self.lo_s)
        return f"uniform({seconds(self.lo_s)}, {seconds(self.hi_s)})"


@dataclass
class Calls:
    """Reads the bodies of functions."""

    values: Values
    functions: Mapping[str, tuple[int, int]]
    http: str
    notes: Notes
    answers: dict[str, Request] = field(default_factory=dict)
    """The requests whose responses variables hold."""

    def of(self, begin: int, end: int) -> list[Step]:
        """The steps of a body, in their order."""
        self.steps: list[Step] = []
        self._walk(begin, end, 0)
        return self.steps

    def _walk(self, begin: int, end: int, depth: int) -> None:
        given, at = self.values.given, begin
        while at < end and len(self.steps) < STEPS_MAX:
            token = given[at]
            follows = given[at + 1].text if at + 1 < end else ""
            before = given[at - 1].text if at > begin else ""
            place = f"line {token.line}"
            if token.kind != "name" or before == ".":
                pass
            elif token.text in ("const", "let", "var") and at + 2 < end:
                self._assign(at)
            elif token.text == self.http and follows == "." and at + 3 < end:
                self._call(at + 2, place)
            elif token.text == "sleep" and follows == "(":
                self._sleep(at + 1, place)
            elif token.text in ("if", "for", "while", "switch", "try"):
                self.notes.add(place, f"`{token.text}` is not followed: its content is taken once")
            elif token.text == "else":
                self.notes.add(place, "`else` is left out, with what it holds")
                at = self._past_else(at, end)
                continue
            elif token.text == "check" and follows == "(":
                self._check(at + 1, place)
            elif token.text in self.functions and follows == "(" and depth < DEPTH_MAX:
                self._walk(*self.functions[token.text], depth + 1)
            at += 1
        if len(self.steps) >= STEPS_MAX:
            self.notes.add("the script", f"has more than {STEPS_MAX} requests: others are left out")

    def _past_else(self, at: int, end: int) -> int:
        given, closes = self.values.given, self.values.closes
        at += 1
        while at < end and given[at].text != "{" and given[at].text != ";":
            at = closes.get(at, at) + 1
        return closes.get(at, at) + 1

    def _assign(self, at: int) -> None:
        given = self.values.given
        if given[at + 2].text == "=":
            end = self.values.end_of(at + 3)
            self.values.names[given[at + 1].text] = self.values.value(at + 3, end)

    def _sleep(self, opening: int, place: str) -> None:
        bounds = self.values.arguments(opening)
        found = self.values.value(*bounds[0]) if bounds else Unknown("nothing")
        if isinstance(found, int | float):
            found = Random(found, found)
        if not isinstance(found, Random) or not 0 <= found.lo <= found.hi < 1e6:
            self.notes.add(place, "the sleep is left out: its time is no number")
        elif not self.steps:
            self.notes.add(place, "the sleep is left out: it stands before the first request")
        else:
            self.steps[-1].lo_s += found.lo
            self.steps[-1].hi_s += found.hi

    def _check(self, opening: int, place: str) -> None:
        values, given = self.values, self.values.given
        bounds = values.arguments(opening)
        answer = given[bounds[0][0]].text if bounds and bounds[0][1] - bounds[0][0] == 1 else ""
        request = self.answers.get(answer)
        found = checks.of_object(values, *bounds[1], answer) if request and len(bounds) > 1 else {}
        if request is None or not found:
            self.notes.add(place, "the check of the answer is left out")
            return
        for name, conditions in found.items():
            checks.add(request, name, conditions, place, self.notes)

    def _call(self, at: int, place: str) -> None:
        """A call of the HTTP module; a variable may keep its answer: `res = http.get(...)`."""
        given, before = self.values.given, len(self.steps)
        self._call_of_client(at, place)
        if at > 3 and given[at - 3].text == "=" and given[at - 4].kind == "name":
            self.answers.pop(given[at - 4].text, None)
            if len(self.steps) == before + 1:
                self.answers[given[at - 4].text] = self.steps[-1].request

    def _call_of_client(self, at: int, place: str) -> None:
        given = self.values.given
        name = given[at].text
        if at + 1 >= len(given) or given[at + 1].text != "(":
            return
        found = [self.values.value(a, b) for a, b in self.values.arguments(at + 1)]
        if name == "batch":
            self._batch(found, place)
        elif name == "request" and found:
            self._request(str(found[0]), found[1:], place)
        elif name in METHODS:
            bodied = name not in ("get", "head")
            self._request(METHODS[name], found if bodied else [*found[:1], None, *found[1:]], place)
        elif name not in ("cookieJar", "setResponseCallback", "expectedStatuses", "url"):
            self.notes.add(place, f"`{self.http}.{name}` left out")

    def _batch(self, found: list[Any], place: str) -> None:
        listed = found[0] if found else None
        if isinstance(listed, dict):
            listed = list(listed.values())
        if not isinstance(listed, list):
            self.notes.add(place, "`batch` left out: it is no literal")
            return
        self.notes.add(place, "the requests of `batch` are sent one after the other")
        for one in listed:
            if isinstance(one, str):
                self._request("GET", [one], place)
            elif isinstance(one, list) and one:
                self._request(str(one[0]), one[1:], place)
            elif isinstance(one, dict):
                rest = [one.get("url"), one.get("body"), one.get("params")]
                self._request(str(one.get("method", "GET")), rest, place)

    def _request(self, method: str, given: list[Any], place: str) -> None:
        url, held, params = [*given, None, None, None][:3]
        known = method_of(method)
        if not isinstance(url, str) or known is None:
            self.notes.add(place, "left out: its URL or its method is no literal")
            return
        found = address(url, place, self.notes)
        if found is None:
            return
        params = params if isinstance(params, dict) else {}
        fields = content.headers(self._fields(params, place), place, self.notes)
        body = self._body(held, fields, place)
        tags = params.get("tags")
        name = tags.get("name") if isinstance(tags, dict) else None
        text = name if isinstance(name, str) else name_of(known, found.target)
        request = Request(plain(text), known, found.target, fields, body, found.origin, place)
        request.about = f"{place.capitalize()}."
        for key in params:
            if key not in ("headers", "tags"):
                self.notes.add(place, f"the parameter `{key}` is left out")
        self.steps.append(Step(request))

    def _fields(self, params: Mapping[str, Any], place: str) -> list[tuple[str, Any]]:
        found = []
        headers = params.get("headers")
        if headers is not None and not isinstance(headers, dict):
            self.notes.add(place, "the headers are left out: they are no literal")
        for name, one in headers.items() if isinstance(headers, dict) else ():
            if is_unknown(one) and not is_secret(name):
                self.notes.add(place, f"header `{name}` left out: it is no literal")
            else:
                found.append((name, one))
        return found

    def _body(self, held: Any, fields: dict[str, str], place: str) -> Body | None:
        if held is None:
            return None
        if is_unknown(held):
            self.notes.add(place, "the body is left out: it is no literal")
            return None
        if isinstance(held, dict):
            pairs = masked_pairs([(str(k), str(v)) for k, v in held.items()], place, self.notes)
            return content.of_fields(pairs, fields)
        return content.body(str(held), fields, place, self.notes)
