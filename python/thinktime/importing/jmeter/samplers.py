"""HTTP samplers of JMeter as requests, with what their settings change.

Source: https://jmeter.apache.org/usermanual/component_reference.html#HTTP_Request
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlencode

from thinktime.importing import content
from thinktime.importing.addresses import address
from thinktime.importing.draft import Body, Request, method_of, plain, seconds
from thinktime.importing.jmeter.tree import Filling, Scope, place_of, properties
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element
from thinktime.importing.redirects import Redirects
from thinktime.importing.secrets import masked_pairs, without_secrets

REDIRECTS = 20
"""The redirects that JMeter follows by default if a sampler follows any."""

_READ = frozenset(
    ["path", "domain", "port", "protocol", "method", "postBodyRaw", "DO_MULTIPART_POST",
     "follow_redirects", "auto_redirects", "use_keepalive", "response_timeout", "contentEncoding",
     "concurrentPool", "implementation", "BROWSER_COMPATIBLE_MULTIPART"]
)  # fmt: skip
"""Settings that are read elsewhere, or change nothing that is sent."""

_WORDS = {
    "image_parser": "embedded resources are left out: a page is a request with `objects`",
    "concurrentDwn": "",
    "embedded_url_re": "",
    "connect_timeout": "the timeout of the connection is left out: `timeout` is for the whole",
    "md5": "the response is not kept as a hash",
}


def request(element: Element, scope: Scope, redirects: Redirects, notes: Notes) -> Request | None:
    """The request of a sampler; None, and a note, if it has no URL or no method."""
    place = place_of(element)
    fill = Filling(scope.variables, place, notes)
    settings = _with_open_host(_settings(element, scope), fill)
    given = {name: fill(held) for name, held in settings.items()}
    url = _url(given)
    method = method_of(given.get("HTTPSampler.method") or "GET")
    fields = content.headers(scope.headers, place, notes)
    rows = list(_arguments(element, fill))
    body: Body | None = None
    if given.get("HTTPSampler.postBodyRaw") == "true":
        body = content.body("".join(held for _, held, _ in rows), fields, place, notes)
    elif rows and method in ("POST", "PUT", "PATCH"):
        in_parts = given.get("HTTPSampler.DO_MULTIPART_POST") == "true"
        body = _form(rows, fields, place, notes, in_parts=in_parts)
    elif rows:
        url += ("&" if "?" in url else "?") + _query(rows)
    found = address(url, place, notes)
    if found is None or method is None:
        notes.add(place, "left out: it has no URL or no method that could be taken")
        return None
    name = element.attributes.get("testname", "") or found.target
    made = Request(plain(name), method, found.target, fields, body, found.origin, place)
    made.about = f"Line {element.line}: {name}"
    _take(given, made, redirects, notes)
    _files(element, fill, place, notes)
    return made


def closes(element: Element, scope: Scope) -> bool:
    """Whether a sampler closes its connection after the response."""
    return _settings(element, scope).get("HTTPSampler.use_keepalive") == "false"


def _settings(element: Element, scope: Scope) -> dict[str, str]:
    """The properties of a sampler, with those of the defaults around it."""
    own = {name: held for name, held in properties(element).items() if held}
    return {**scope.defaults, **own}


def _with_open_host(settings: dict[str, str], fill: Filling) -> dict[str, str]:
    """The settings without a host or a port that has no value here: nobody knows them."""
    address = {one: f"HTTPSampler.{one}" for one in ("domain", "port", "protocol")}
    found = dict(settings)
    for name, key in address.items():
        unknown = Notes()
        Filling(fill.variables, fill.place, unknown)(found.get(key, ""))
        if not any("has no value here" in one for one in unknown):
            continue
        what = "host" if name == "domain" else name
        text = f"`{found[key][:80]}` has no value here: say the {what} as `--target`"
        fill.notes.add(fill.place, text)
        for one in address.values() if name == "domain" else [key]:
            found.pop(one, None)
    return found


def _url(given: Mapping[str, str]) -> str:
    path, domain, port, protocol = (
        given.get(f"HTTPSampler.{name}", "") for name in ("path", "domain", "port", "protocol")
    )
    if "://" in path:
        return path
    path = f"/{path.lstrip('/')}"
    at = f"{domain}:{port}" if port else domain
    return f"{protocol or 'http'}://{at}{path}" if domain else path


def _take(given: Mapping[str, str], request: Request, redirects: Redirects, notes: Notes) -> None:
    """Give a request its timeout and its redirects, and note the other settings of its sampler."""
    place = request.place
    follows = given.get("HTTPSampler.follow_redirects") == "true"
    follows |= given.get("HTTPSampler.auto_redirects") == "true"
    redirects.add(request, REDIRECTS if follows else 0)
    timeout = given.get("HTTPSampler.response_timeout", "")
    if re.fullmatch(r"[1-9]\d{0,8}", timeout):
        request.timeout = seconds(int(timeout) / 1000)
    elif timeout not in ("", "0"):
        notes.add(place, f"the timeout {timeout!r} is left out: it is no number")
    charset = given.get("HTTPSampler.contentEncoding", "")
    if charset.lower() not in ("", "utf-8", "utf8", "us-ascii"):
        notes.add(place, f"the encoding `{charset[:40]}` is left out: texts are sent in UTF-8")
    for name, held in given.items():
        kind, _, setting = name.partition(".")
        if kind != "HTTPSampler" or setting in _READ or held in ("", "false", "0"):
            continue
        if text := _WORDS.get(setting, f"the setting `{setting[:40]}` is left out"):
            notes.add(place, text)


def _files(element: Element, fill: Callable[[str], str], place: str, notes: Notes) -> None:
    """Notes the files that a sampler sends, which are not read here."""
    for holder in element.children:
        if holder.attributes.get("name") != "HTTPsampler.Files":
            continue
        for row in (row for rows in holder.children for row in rows.children):
            given = {one.attributes.get("name", ""): fill(one.text.strip()) for one in row.children}
            path, name = given.get("File.path", ""), given.get("File.paramname", "")
            if path:
                key = f'multipart = {{ {name} = {{ file = "..." }} }}' if name else "body_file"
                notes.add(place, f"the file `{path[:100]}` is left out: name it by `{key}`")


Argument = tuple[str, str, bool]
"""The name and the value of a parameter, and whether JMeter encodes them."""


def _arguments(element: Element, fill: Callable[[str], str]) -> Iterator[Argument]:
    for holder in element.children:
        if holder.attributes.get("name") != "HTTPsampler.Arguments":
            continue
        for row in (row for rows in holder.children for row in rows.children):
            given = {one.attributes.get("name", ""): one.text for one in row.children}
            name, held = given.get("Argument.name", ""), given.get("Argument.value", "")
            encodes = given.get("HTTPArgument.always_encode", "true").strip() != "false"
            yield fill(name), fill(held), encodes


def _query(arguments: list[Argument]) -> str:
    """Parameters as JMeter puts them behind a URL."""
    return "&".join(
        urlencode([(name, held)]) if encodes else f"{name}={held}" if name else held
        for name, held, encodes in arguments
    )


def _form(
    arguments: list[Argument], fields: dict[str, str], place: str, notes: Notes, *, in_parts: bool
) -> Body | None:
    """The body of a form; values that JMeter sends as they are, are encoded in the plan already."""
    pairs = [(name, held) for name, held, _ in arguments]
    if in_parts:
        return content.of_parts(masked_pairs(pairs, place, notes), fields)
    if all(encodes for _, _, encodes in arguments):
        return content.of_fields(masked_pairs(pairs, place, notes), fields)
    if not content.content_type(fields):
        content.set_type(fields, "application/x-www-form-urlencoded")
    text = without_secrets(_query(arguments), place, notes, "body")
    return content.body(text, fields, place, notes)
