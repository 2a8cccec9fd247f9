"""The calls of a k6 script as the steps of a session: its requests, sleeps and checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from thinktime.importing import checks, content, gaps
from thinktime.importing.addresses import address, request_at
from thinktime.importing.draft import Body, Request, Step, method_of, seconds
from thinktime.importing.javascript import modules as script_modules
from thinktime.importing.javascript import tokens as javascript
from thinktime.importing.javascript.calls import all_known, called, drawn
from thinktime.importing.javascript.reader import Reader
from thinktime.importing.javascript.syntax import Node, part, parts, text_of
from thinktime.importing.javascript.syntax import name_of as called_name
from thinktime.importing.javascript.values import (
    Answer,
    Function,
    Member,
    Random,
    Table,
    Unknown,
    is_number,
    is_unknown,
    whole,
)
from thinktime.importing.k6 import grpc as k6_grpc
from thinktime.importing.k6 import sockets as k6_sockets
from thinktime.importing.notes import Notes
from thinktime.importing.redirects import Redirects
from thinktime.importing.scenarios import time_s
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
REDIRECTS = 10
"""The redirects that k6 follows by default."""


@dataclass
class Calls:
    """Takes the calls of k6's modules."""

    notes: Notes
    redirects: Redirects
    follows: int = REDIRECTS
    steps: list[Step] = field(default_factory=list)
    handshake: dict[str, str] | None = None
    """The header fields with which WebSockets are opened."""

    def __post_init__(self) -> None:
        self.reader = Reader(self.notes, self.call)

    def of(self, function: Function) -> list[Step]:
        """The steps of a function, in their order."""
        self.steps = []
        self.reader.follow(function, [])
        if len(self.steps) >= STEPS_MAX:
            self.notes.add("the script", f"has more than {STEPS_MAX} requests: others are left out")
        return self.steps

    def add(self, request: Request) -> None:
        """Add a step."""
        if len(self.steps) < STEPS_MAX:
            self.steps.append(Step(request))

    def call(self, member: Member, given: list[Any], node: Node) -> Any:
        """The value of a call; a request gives its answer."""
        place, name = self.reader.place(node), member.name
        if member.module == "k6/http":
            return self._http(name, given, place)
        given = [whole(one) for one in given]
        if "grpc" in member.module and member.module.startswith("k6/"):
            return k6_grpc.call(self, member, given, node)
        if member.module in k6_sockets.MODULES:
            return k6_sockets.call(self, member, given, node)
        if member.module == "k6/metrics":
            self.notes.add(place, f"the metric of `{name}` is left out: it is no time of a request")
        elif name == "new SharedArray" and len(given) > 1:
            return self.reader.follow(given[1], [])
        elif name == "sleep":
            self.sleep(given, place)
        elif name == "check":
            self._check(given, node, place)
        elif (known := called(name, given, node, self.reader.draws)) is not None:
            return known
        else:
            if name == "fail":
                self.notes.add(place, "`fail` is left out")
            if not member.module.startswith("k6") and not script_modules.is_quiet(member.module):
                text = f"the call of `{called_name(node)}` is left out"
                self.notes.add(place, f"{text}: its module is not read")
            for one in given:  # as the function of a group
                self.reader.follow(one, [])
        return Unknown(text_of(node))

    def _http(self, name: str, found: list[Any], place: str) -> Any:
        before = len(self.steps)
        if before >= STEPS_MAX:
            return Unknown(name)
        if name == "batch":
            self._batch(found, place)
        elif name in ("request", "asyncRequest") and found:
            self._request(str(found[0]), found[1:], place)
        elif name in METHODS:
            bodied = name not in ("get", "head")
            self._request(METHODS[name], found if bodied else [*found[:1], None, *found[1:]], place)
        elif name == "url" and found:
            return found[0]
        elif name == "file":
            self.notes.add(place, "the file of the form is left out: name it by `multipart`")
            return Member("k6/http", name)
        elif name not in ("cookieJar", "expectedStatuses"):
            self.notes.add(place, f"`http.{name}` left out")
        made = self.steps[before:]
        if name == "batch":
            return [Answer(one.request) for one in made]
        return Answer(made[0].request) if made else Unknown(name)

    def sleep(self, given: list[Any], place: str) -> None:
        """Add a time in seconds to the think time of the last step."""
        found: Any = given[0] if given else None
        if is_number(found):
            found = Random(found, found)
        if not isinstance(found, Random) or not 0 <= found.lo <= found.hi < 1e6:
            self.notes.add(place, "the sleep is left out: its time is no number")
        elif not self.steps:
            self.notes.add(place, "the sleep is left out: it stands before the first request")
        else:
            self.steps[-1].lo_s += found.lo
            self.steps[-1].hi_s += found.hi

    def _check(self, given: list[Any], node: Node, place: str) -> None:
        answer, wanted = [*given, None, None][:2]
        names = parts(part(node, "arguments"))
        found: dict[str, Any] = {}
        if isinstance(answer, Answer) and isinstance(wanted, Table):
            tokens = javascript.tokens(text_of(wanted.node))
            values = javascript.Values(tokens, javascript.pairs_of(tokens))
            found = checks.of_object(values, 0, len(tokens), text_of(names[0]))
        if not isinstance(answer, Answer) or not found:
            self.notes.add(place, "the check of the answer is left out")
            return
        for name, conditions in found.items():
            checks.add(answer.request, name, conditions, place, self.notes)

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
        found = address(gaps.of_url(url, place, self.notes), place, self.notes)
        if found is None:
            return
        params = params if isinstance(params, dict) else {}
        fields = self.fields(params.get("headers"), place)
        body = content.with_numbers(self._body(held, fields, place), fields)
        tags = params.get("tags")
        name = tags.get("name") if isinstance(tags, dict) else None
        title = gaps.named(name) if isinstance(name, str) else ""
        request = request_at(found, known, title, fields, body, place)
        sent = f"{found.target} {fields} {body.value if body else ''}"
        request.draws = self.reader.draws.within(sent)
        request.timeout = self.timeout(params.get("timeout"), place)
        most = params.get("redirects", self.follows)
        self.redirects.add(request, most if isinstance(most, int) else self.follows)
        for key in params:
            if key not in ("headers", "tags", "timeout", "redirects"):
                self.notes.add(place, f"the parameter `{key}` is left out")
        self.add(request)

    def timeout(self, given: Any, place: str) -> str:
        """The timeout of a request; empty for none."""
        if given is not None and not time_s(given):
            self.notes.add(place, "the parameter `timeout` is left out: it is no time")
        return seconds(time_s(given)) if time_s(given) else ""

    def fields(self, headers: Any, place: str) -> dict[str, str]:
        """The header fields, or the metadata, of a request."""
        if headers is not None and not isinstance(headers, dict):
            self.notes.add(place, "the headers are left out: they are no literal")
        headers = drawn(headers, self.reader.draws)
        pairs = list(headers.items()) if isinstance(headers, dict) else []
        known = []
        for name, one in pairs:
            if is_unknown(one) and not is_secret(name):
                self.notes.add(place, f"header `{name}` left out: it is no literal")
            else:
                known.append((name, one))
        return content.headers(known, place, self.notes)

    def _body(self, held: Any, fields: dict[str, str], place: str) -> Body | None:
        if held is None or held == "":
            return None
        held = drawn(held, self.reader.draws)
        if not all_known(held):
            self.notes.add(place, "the body is left out: it is no literal")
            return None
        held = gaps.within(held, place, self.notes)
        if isinstance(held, dict):
            pairs = masked_pairs(content.form_pairs(held, _word), place, self.notes)
            return content.of_fields(pairs, fields)
        return content.body(str(held), fields, place, self.notes)


def _word(value: Any) -> str:
    """A value of a form, as JavaScript writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
