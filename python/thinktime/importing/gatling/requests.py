"""Requests and protocols of Gatling: `http("name").get("/path")` and `http.baseUrl("...")`.

Source: https://docs.gatling.io/concepts/protocols/http/
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from thinktime.importing import content, keys, marks
from thinktime.importing.addresses import address, request_at
from thinktime.importing.draft import Request, method_of, seconds
from thinktime.importing.gatling import checks as gatling_checks
from thinktime.importing.gatling.syntax import Call
from thinktime.importing.gatling.values import Names
from thinktime.importing.marks import Marks
from thinktime.importing.redirects import Redirects
from thinktime.importing.secrets import masked_pairs
from thinktime.importing.session_values import Values

PATTERN = re.compile(r"[#$]\{([^{}]{1,200})\}")
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
REDIRECTS = 20
"""The number of redirects that Gatling follows by default."""

JSON = "application/json"
_FIELDS = {"acceptHeader": "Accept", "acceptLanguageHeader": "Accept-Language",
           "acceptEncodingHeader": "Accept-Encoding", "userAgentHeader": "User-Agent",
           "contentTypeHeader": "Content-Type", "authorizationHeader": "Authorization",
           "doNotTrackHeader": "DNT", "originHeader": "Origin",
           "upgradeInsecureRequestsHeader": "Upgrade-Insecure-Requests"}  # fmt: skip
_QUIET = ("silent", "notSilent", "warmUp", "disableWarmUp", "disableAutoReferer", "protocols",
          "asFormUrlEncoded", "disableUrlEncoding", "disableAutoOrigin")  # fmt: skip
_RANDOM = re.compile(r"randomInt\(\s*(-?\d{1,15})\s*,\s*(-?\d{1,15})\s*\)")


def drawn(name: str, draws: Marks) -> str | None:
    """The mark for `randomInt(1,9)`, whose end is not drawn; None for any other function."""
    found = _RANDOM.fullmatch(name)
    if found is None:
        return None
    lo, hi = int(found[1]), int(found[2]) - 1
    return draws.add(f"uniform({lo}, {hi})") if lo < hi else str(lo)


@dataclass
class Protocol:
    """What all requests of a population have."""

    base: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    follows: int = REDIRECTS
    shares: bool = False


@dataclass
class Requests:
    """Makes requests of the chains of calls that write them."""

    names: Names
    values: Values
    redirects: Redirects = field(default_factory=Redirects)
    hints: dict[str, None] = field(default_factory=dict)
    seen: set[Call] = field(default_factory=set)
    """The calls `http("name")` that were read."""

    def __post_init__(self) -> None:
        self.notes = self.values.notes

    def protocol(self, given: Any, found: Protocol) -> Protocol:
        """Read a protocol of HTTP, or the name of one."""
        for one in given.chain() if isinstance(given, Call) else []:
            place = f"line {one.line}"
            function = self.names.function(one.name)
            text = self.text(one, 0, place) if one.given else None
            if one.name == "http" and not one.given:
                continue
            if function is not None:
                with self.names.following(function, one) as known:
                    found = self.protocol(function.body, found) if known else found
            elif one.name in ("baseUrl", "baseUrls", "baseURL") and text:
                found.base = text
                if len(one.given) > 1:
                    self.notes.add(place, "a workload has one target: the first `baseUrls` is it")
            elif one.name == "shareConnections":
                found.shares = True
            elif one.name == "disableFollowRedirect":
                found.follows = 0
            elif one.name == "maxRedirects" and (most := self.names.number(one.first)):
                found.follows = int(most)
            elif not self.header_field(one, found.fields, place) and one.name not in _QUIET:
                what = f"`{one.name[:60]}` of the protocol is left out"
                is_base = one.name.lower().startswith("baseurl")
                why = ": it is known only in a run; say the host as `--target`" if is_base else ""
                self.notes.add(place, what + why)
        return found

    def request(self, given: Call, protocol: Protocol) -> Request | None:
        """The request that a chain of calls writes; None, with a note, if it cannot be taken."""
        chain = given.chain()
        place = f"line {chain[0].line}"
        self.seen.add(chain[0])
        sent = next((one for one in chain[1:] if one.name in (*METHODS, "httpRequest")), None)
        if sent is None:
            self.notes.add(place, "left out: it has no method with a URL")
            return None
        is_any = sent.name == "httpRequest" and len(sent.given) > 1
        method = method_of((self.names.text(sent.given[0]) or "") if is_any else sent.name)
        url = self.names.text(sent.given[1 if is_any else 0]) if sent.given else None
        if url is None or method is None:
            self.notes.add(place, "left out: its URL or its method is known only in a run")
            return None
        url = self.values.fill(url, place)
        reader = _Parts(self, place, dict(protocol.fields), protocol.follows)
        for one in chain[1:]:
            if one is not sent:
                reader.take(one)
        whole = url if "://" in url else protocol.base.rstrip("/") + "/" + url.lstrip("/")
        query = "&".join(reader.query)
        whole += ("&" if "?" in whole else "?") + query if query else ""
        found = address(whole, place, self.notes)
        if found is None:
            return None
        title = marks.without(self.values.fill(self.names.text(chain[0].first) or "", place))
        fields = content.headers(reader.fields.items(), place, self.notes)
        body = content.with_numbers(reader.body(fields), fields)
        request = request_at(found, method, title, fields, body, place)
        request.timeout = reader.timeout
        self.redirects.add(request, reader.follows)
        for one in reader.checks:
            gatling_checks.take(request, one, self.names, self.values, place)
        self.values.draw(request)
        made = (self.request(one, protocol) for one in reader.objects)
        request.objects = [one for one in made if one is not None]
        return request

    def text(self, one: Call, at: int, place: str) -> str | None:
        """A text among the arguments of a call, with its templates filled."""
        held = self.names.text(one.given[at]) if at < len(one.given) else None
        return None if held is None else str(self.values.fill(held, place))

    def header_field(self, one: Call, fields: dict[str, str], place: str) -> bool:
        """Take a header field, or a table of them; False for any other call."""
        if one.name == "header" and len(one.given) == 2:
            pairs = {self.names.text(one.given[0]) or "": self.text(one, 1, place)}
        elif one.name in _FIELDS:
            pairs = {_FIELDS[one.name]: self.text(one, 0, place)}
        elif one.name == "headers" and one.given:
            held = self.names.value(one.given[0])
            pairs = {}
            for name, each in (held if isinstance(held, dict) else {"": None}).items():
                pairs[name] = None if each is None else str(self.values.fill(str(each), place))
        else:
            return one.name == "basicAuth" and self._secret(place)
        for name, held in pairs.items():
            if name and held is not None:
                near = next((each for each in fields if each.lower() == name.lower()), name)
                fields.pop(near, None)
                fields[name] = held
            else:
                self.notes.add(place, f"header `{name}` left out: it is known only in a run")
        return True

    def _secret(self, place: str) -> bool:
        self.notes.add(place, "`basicAuth` is left out: it holds a secret")
        self.hints[keys.basic_hint()] = None
        return True


@dataclass
class _Parts:
    """The parts of one request, from the calls of its chain."""

    of: Requests
    place: str
    fields: dict[str, str]
    follows: int
    query: list[str] = field(default_factory=list)
    form: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""
    timeout: str = ""
    in_parts: bool = False
    checks: list[Any] = field(default_factory=list)
    objects: list[Call] = field(default_factory=list)

    def take(self, one: Call) -> None:
        """Take one call."""
        names, notes, place = self.of.names, self.of.notes, self.place
        first = self.of.text(one, 0, place)
        second = self.of.text(one, 1, place)
        if one.name == "queryParam" and first is not None and second is not None:
            self.query.append(f"{quote_plus(first, safe='~')}={quote_plus(second, safe='~')}")
        elif one.name == "formParam" and first is not None and second is not None:
            self.form.append((first, second))
        elif one.name == "formParamMap" and isinstance(names.value(one.first), dict):
            held = self.of.values.fill(names.value(one.first), place)
            self.form += [(str(k), str(v)) for k, v in held.items()]
        elif one.name == "body" and first is not None:
            self.text = first
        elif one.name in ("asJson", "asXml", "asJSON", "asXML"):  # in capitals before version 3
            media = JSON if one.name.lower() == "asjson" else "application/xml"
            self.fields |= {"Accept": media, "Content-Type": media}
        elif one.name == "asMultipartForm":
            self.in_parts = True
        elif one.name == "check":
            self.checks += one.given
        elif one.name == "disableFollowRedirect":
            self.follows = 0
        elif one.name == "requestTimeout" and (lasts := names.time_s(one.first)):
            self.timeout = seconds(lasts)
        elif one.name == "resources":
            self.objects += [each for each in one.given if isinstance(each, Call)]
        elif not self.of.header_field(one, self.fields, place) and one.name not in _QUIET:
            what = f"`{one.name[:60]}` of the request is left out"
            notes.add(place, what + self._why(one))

    def _why(self, one: Call) -> str:
        """The reason why a body, or a part of one, is left out."""
        is_upload = one.name == "formUpload"
        if "body" not in one.name.lower() and not is_upload:
            return ""
        named = [each for each in one.given if isinstance(each, Call) and "File" in each.name]
        files = [self.of.names.text(each.given[-1]) for each in named if each.given]
        if ("File" in one.name or is_upload) and one.given:
            files.append(self.of.names.text(one.given[-1]))
        known = next((each for each in files if each), "")
        if known:
            return f": the file `{known[:80]}` is not read"
        return ": files are not read" if files else ": it is known only in a run"

    def body(self, fields: dict[str, str]) -> Any:
        """The body: a form, or a text."""
        notes = self.of.notes
        if self.form:
            pairs = masked_pairs(self.form, self.place, notes)
            return (content.of_parts if self.in_parts else content.of_fields)(pairs, fields)
        return content.body(self.text, fields, self.place, notes)
