"""Postman's collections, version 2.1: requests in folders, with variables.

Source: https://schema.getpostman.com/json/collection/v2.1.0/docs/index.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from thinktime import InputError
from thinktime.importing import content, keys
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import Body, Draft, Request, a_visit, method_of, plain, stem
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import from_json, items, table, words
from thinktime.importing.postman import response_tests as pm_tests
from thinktime.importing.postman.urls import Filling, url_of, without_open_host
from thinktime.importing.redirects import Redirects
from thinktime.importing.secrets import REMOVED, masked_json, masked_pairs

DEPTH_MAX = 50
BEHAVIOUR = "protocolProfileBehavior"
REDIRECTS = 10
"""The number of redirects that Postman follows by default."""

WITHOUT_BODY = ("GET", "HEAD", "COPY", "PURGE", "UNLOCK")
"""Methods with which Postman sends no body by default."""

_MEDIA = {
    "json": "application/json",
    "xml": "application/xml",
    "html": "text/html",
    "text": "text/plain",
    "javascript": "application/javascript",
}


@dataclass
class Folder:
    """The place of an item: the names of its folders, and their inherited settings."""

    path: tuple[str, ...]
    auth: Any
    variables: dict[str, str]
    behaviour: dict[str, Any]


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a collection: its requests in their order of execution.

    Raises:
        InputError: It is not JSON, not a collection, or has no request that could be sent.
    """
    root = table(from_json(text, file))
    if not isinstance(root.get("item"), list):
        raise InputError(f"{file}: is no collection of Postman: it has no list `item`")
    notes = Notes()
    top = Folder((), root.get("auth"), _variables(root, {}), table(root.get(BEHAVIOUR)))
    hints: dict[str, None] = {}
    redirects = Redirects()
    _scripts(root, "collection", notes)
    found = []
    for request, here in _requests(root["item"], top, notes, hints):
        redirects.add(request, _redirects(here.behaviour))
        found.append(request)
    origin, requests = one_origin(found, notes)
    if not requests:
        raise InputError(f"{file}: has no request that could be taken{notes.reasons()}")
    why = "a collection, whose requests Postman's runner sends in their order"
    population = a_visit(requests, why)
    population.session["cookies"] = True
    population.hints = list(hints)
    redirects.write(population, notes)
    info = table(root.get("info"))
    title = words(info.get("name")) or stem(name)
    return Draft(title, f"{name} (a collection of Postman)", [population], notes, origin)


def _variables(holder: Mapping[str, Any], outer: dict[str, str]) -> dict[str, str]:
    found = dict(outer)
    for one in items(holder.get("variable")):
        one = table(one)
        if not one.get("disabled"):
            held = REMOVED if one.get("type") == "secret" else words(one.get("value"))
            found[words(one.get("key")) or words(one.get("id"))] = held
    return found


def _scripts(
    holder: Mapping[str, Any], place: str, notes: Notes, request: Request | None = None
) -> None:
    """Takes over the checks of a request's test script, and notes all other scripts."""
    for event in items(holder.get("event")):
        event = table(event)
        lines = table(event.get("script")).get("exec")
        text = lines if isinstance(lines, str) else "\n".join(map(str, items(lines)))
        kind = {"test": "test", "prerequest": "pre-request"}.get(words(event.get("listen")), "")
        if text.strip() and kind == "test" and request is not None:
            pm_tests.take(text, request, place, notes)
        elif text.strip():
            notes.add(place, f"the {kind} script is left out: scripts are not run")


def _requests(
    given: list[Any], folder: Folder, notes: Notes, hints: dict[str, None]
) -> Iterator[tuple[Request, Folder]]:
    for number, item in enumerate(given, 1):
        item = table(item)
        path = (*folder.path, words(item.get("name")) or f"item {number}")
        place = " / ".join(path)
        here = Folder(
            path,
            item.get("auth", folder.auth),
            _variables(item, folder.variables),
            folder.behaviour | table(item.get(BEHAVIOUR)),
        )
        if isinstance(item.get("item"), list):
            _scripts(item, place, notes)
            if len(path) > DEPTH_MAX:
                notes.add(place, f"left out: deeper than {DEPTH_MAX} folders")
            else:
                yield from _requests(item["item"], here, notes, hints)
            continue
        asked = item.get("request")
        asked = {"url": asked, "method": "GET"} if isinstance(asked, str) else table(asked)
        request = _request(asked, here, place, notes, hints)
        _scripts(item, place, notes, request)
        if request is not None:
            yield request, here


def _request(
    asked: dict[str, Any], here: Folder, place: str, notes: Notes, hints: dict[str, None]
) -> Request | None:
    fill = Filling(here.variables, place, notes)
    _note_auth(asked.get("auth", here.auth), place, notes, hints)
    url = fill(without_open_host(url_of(asked.get("url"), fill), fill))
    whole = url if "://" in url or url.startswith("/") else f"http://{url}"
    found = address(whole, place, notes) if url else None
    if found is None:
        notes.add(place, "left out: it has no URL that could be taken")
        return None
    method = method_of(words(asked.get("method")) or "GET")
    if method is None:
        notes.add(place, "left out: its method is no method of HTTP")
        return None
    pairs = [(fill(name), fill(held)) for name, held in _fields(asked.get("header"))]
    fields = content.headers(pairs, place, notes)
    body = _body(table(asked.get("body")), fields, fill)
    if body and method in WITHOUT_BODY and not here.behaviour.get("disableBodyPruning"):
        notes.add(place, f"the body is left out: Postman sends none with {method}")
        body = None
    _note_behaviour(asked, here.behaviour, place, notes)
    request = Request(plain("-".join(here.path)), method, found.target, fields, body)
    request.origin, request.place, request.about = found.origin, place, place
    return request


def _fields(given: Any) -> Iterator[tuple[str, str]]:
    """Names and values of header fields: of a list, or of a text with a field a line."""
    if isinstance(given, str):
        for line in given.splitlines():
            name, mark, held = line.partition(":")
            if mark and not line.lstrip().startswith("//"):
                yield name.strip(), held.strip()
    for one in map(table, items(given)):
        if not one.get("disabled"):
            yield words(one.get("key")), words(one.get("value"))


def _redirects(behaviour: Mapping[str, Any]) -> int:
    """The number of redirects that Postman follows for a request."""
    if behaviour.get("followRedirects") is False:
        return 0
    most = behaviour.get("maxRedirects", REDIRECTS)
    return most if isinstance(most, int) else REDIRECTS


def _note_behaviour(
    asked: Mapping[str, Any], behaviour: Mapping[str, Any], place: str, notes: Notes
) -> None:
    for name in ("proxy", "certificate"):
        if asked.get(name):
            notes.add(place, f"the {name} of the request is left out")
    for name, held in behaviour.items():
        if held and name not in ("followRedirects", "maxRedirects", "disableBodyPruning"):
            notes.add(place, f"the setting `{name}` is left out")


def _note_auth(given: Any, place: str, notes: Notes, hints: dict[str, None]) -> None:
    kind = words(table(given).get("type"))
    if not kind or kind == "noauth":
        return
    notes.add(place, f"authorization (`{kind}`) is left out: it holds a secret")
    known = {"bearer": keys.bearer_hint(), "basic": keys.basic_hint()}
    if kind in known:
        hints[known[kind]] = None


def _body(body: dict[str, Any], fields: dict[str, str], fill: Filling) -> Body | None:
    kind = words(body.get("mode"))
    if body.get("disabled") or not kind:
        return None
    given = body.get(kind)
    if kind == "raw":
        language = words(table(table(body.get("options")).get("raw")).get("language"))
        if language in _MEDIA and not content.content_type(fields):
            content.set_type(fields, _MEDIA[language])
        return content.body(fill(words(given)), fields, fill.place, fill.notes)
    if kind in ("urlencoded", "formdata"):
        rows = [one for one in map(table, items(given)) if not one.get("disabled")]
        files = [one for one in rows if words(one.get("type")) == "file"]
        if files:
            sources = [items(one.get("src")) or [one.get("src")] for one in files]
            names = [words(each) for one in sources for each in one]
            fill.notes.add(fill.place, content.without_files(names))
        pairs = [
            (fill(words(one.get("key"))), fill(words(one.get("value"))))
            for one in rows
            if one not in files
        ]
        made = content.of_fields if kind == "urlencoded" else content.of_parts
        pairs = masked_pairs(pairs, fill.place, fill.notes)
        return made(pairs, fields) if pairs else None
    if kind == "graphql":
        asked = table(given)
        sent: dict[str, Any] = {"query": fill(words(asked.get("query")))}
        given = masked_json(fill(words(asked.get("variables"))) or "{}", fill.place, fill.notes)
        variables = content.from_json(given)
        sent["variables"] = variables.value if variables else {}
        return content.of_value(json.loads(json.dumps(sent)), fields)
    source = words(table(given).get("src"))[:80]
    why = f"the file `{source}` is not read" if source else "files are not read"
    fill.notes.add(fill.place, f"the body (`{kind}`) is left out: {why}")
    return None
