"""Nothing of a source is lost without a note: each part is carried over, or named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_accounts import Part, account
from test_import_recordings import entry, har

import thinktime as tt
from thinktime.importing import import_text

Chosen = Sequence[str]
CHOICES = settings(max_examples=60)


def held(text: str, kind: str, parts: Sequence[Part], *, sent: int | None = None) -> None:
    """Check the account of a source."""
    made = account(text, kind)
    assert not made.missing(parts), (made.missing(parts), made.notes)
    assert not made.unfounded(parts), (made.unfounded(parts), made.notes)
    left = sum(part.is_request for part in parts) if sent is None else sent
    assert made.sent <= left


# ---- HAR

Change = Callable[[dict[str, Any], str], str]
"""Adds a part with a marker to an entry; gives the word of the note about it, if there is one."""


def _header(name: str, word: str = "\0") -> Change:
    def change(one: dict[str, Any], mark: str) -> str:
        one["request"]["headers"].append({"name": name, "value": mark})
        return word

    return change


def _posted(word: str = "\0", **data: Any) -> Change:
    def change(one: dict[str, Any], mark: str) -> str:
        text = json.dumps(data).replace("MARK", mark)
        one["request"] |= {"method": "POST", "postData": json.loads(text)}
        return word

    return change


def _set(path: str, value: Any, word: str) -> Change:
    def change(one: dict[str, Any], mark: str) -> str:
        *outer, last = path.split(".")
        for name in outer:
            one = one[name]
        one[last] = json.loads(json.dumps(value).replace("MARK", mark))
        return word

    return change


FORM = "application/x-www-form-urlencoded"
PARTS_OF_HAR: dict[str, Change] = {
    "a field": _header("X-A"),
    "a secret field": _header("X-Api-Key", "may hold a secret"),
    "a field of browsers": _header("DNT", "browsers set it"),
    "a cookie": _header("Cookie", "sessions keep the cookies"),
    "a cookie in its list": _set(
        "request.cookies", [{"name": "sid", "value": "MARK"}], "sessions keep the cookies"
    ),
    "a text": _posted(mimeType="text/plain", text="MARK"),
    "JSON": _posted(mimeType="application/json", text='{"a": ["MARK"]}'),
    "a form": _posted(mimeType=FORM, text="a=MARK&b=2"),
    "fields": _posted(mimeType=FORM, params=[{"name": "a", "value": "MARK"}]),
    "a file": _posted(
        "files of the form", mimeType="multipart/form-data",
        params=[{"name": "f", "fileName": "MARK"}],
    ),
    "bytes": _posted("it is no text", mimeType="image/png", text="MARK", encoding="base64"),
}  # fmt: skip
WHOLE_OF_HAR: dict[str, Change] = {
    "an entry": lambda _one, _mark: "\0",
    "a cached entry": _set("_fromCache", "disk", "from the browser's cache"),
    "an entry without answer": _set("response.status", 0, "it had no answer"),
    "a WebSocket": _set("_webSocketMessages", [], "a WebSocket"),
    "an entry without a time": _set("startedDateTime", "", "startedDateTime"),
    "another host": _set("request.url", "http://MARK.example/", "goes to"),
    "another scheme": _set("request.url", "ftp://MARK.example/", "only http and https"),
    "a URL without a host": _set("request.url", "http:///MARK", "no host"),
    "no method": _set("request.method", "G T", "no method of HTTP"),
    "a redirect": _set("response", {"status": 302, "redirectURL": "/MARK"}, "\0"),
}


@given(st.lists(st.tuples(st.sampled_from(list(WHOLE_OF_HAR)), st.sets(
    st.sampled_from(list(PARTS_OF_HAR)), max_size=4)), max_size=6))  # fmt: skip
@CHOICES
def test_nothing_of_a_har_is_lost(chosen: list[tuple[str, set[str]]]) -> None:
    entries = [
        entry("00.000", "http://shop.example/m0m"),
        entry("00.010", "http://shop.example/m1m"),
    ]
    parts: list[Part] = []
    for number, (whole, inner) in enumerate(chosen, 3):
        mark = f"m{number}m"
        one = entry(f"{number:02}.000", f"http://shop.example/{mark}", page=f"p{number}")
        words = {}
        for at, name in enumerate(sorted(inner)):
            words[f"m{number}-{at}m"] = PARTS_OF_HAR[name](one, f"m{number}-{at}m")
        word = WHOLE_OF_HAR[whole](one, mark)
        place = f"entry {number}"
        parts.append(Part(place, mark, word, is_request=True))
        if word == "\0":
            kept = words if "postData" not in one["request"] else {
                mark: word for mark, word in words.items()
                if mark in json.dumps(one)
            }  # fmt: skip
            parts += [Part(place, mark, word) for mark, word in kept.items()]
        entries.append(one)
    held(har(*entries), "har", parts, sent=len(entries))


# ---- curl

PARTS_OF_CURL = {
    "-H 'X-A: MARK'": "\0",
    "-H 'Host: MARK.example'": "header `Host` left out",
    "-H 'Connection: close'": "header `Connection` left out",
    "-H 'Transfer-Encoding: chunked'": "header `Transfer-Encoding` left out",
    "-H 'Cookie: a=MARK'": "sessions keep the cookies",
    "-H @MARK": "\0",
    "-A MARK": "\0",
    "-e http://MARK.example/": "\0",
    "-r 0-9": "\0",
    "-b 'a=MARK'": "option `-b` left out",
    "-u ann:MARK": "option `-u` left out",
    "--oauth2-bearer MARK": "option `--oauth2-bearer` left out",
    '--json \'{"a": "MARK"}\'': "\0",
    "-d a=MARK": "\0",
    "-d @MARK": "\0",
    "--data-urlencode MARK@a": "\0",
    "-F a=MARK": "\0",
    "-F a=@MARK": "files of the form",
    "-F 'a=b;type=MARK'": "the type of the part",
    "-T MARK": "option `-T` left out",
    "-G -d q=MARK": "\0",
    "--url-query q=MARK": "\0",
    "-m 3": "option `-m` left out",
    "--retry 3": "option `--retry` left out",
    "-k": "option `-k` left out",
    "-x http://MARK.example": "option `-x` left out",
    "--resolve shop.example:80:MARK": "option `--resolve` left out",
    "--http2": "option `--http2` left out",
    "--limit-rate 10k": "option `--limit-rate` left out",
    "-K MARK": "option `-K` left out",
    "--digest": "option `--digest` left out",
    "--cert MARK": "option `--cert` left out",
    "--unknown": "option `--unknown` left out",
}
UNMARKED = {"-r 0-9": "bytes=0-9"}
WHOLE_OF_CURL = {
    "curl http://shop.example/MARK OPTIONS": "\0",
    "X=1 curl 'http://shop.example/MARK' OPTIONS | jq .": "\0",
    "curl OPTIONS ftp://shop.example/MARK": "only http and https",
    "curl OPTIONS http://MARK.example/": "goes to",
    "wget http://shop.example/MARK": "is no curl command",
    "false || curl http://shop.example/MARK OPTIONS": "stands behind `||`",
}


@given(st.lists(st.tuples(st.sampled_from(list(WHOLE_OF_CURL)), st.sampled_from(
    list(PARTS_OF_CURL)), st.sampled_from([";", "&&", "\n", "\n# x\n"])), max_size=8))  # fmt: skip
@CHOICES
def test_nothing_of_a_line_of_curl_is_lost(chosen: list[tuple[str, str, str]]) -> None:
    text = "curl http://shop.example/m0m http://shop.example/m1m ; curl http://shop.example/m2m"
    parts = []
    for number, (whole, option, before) in enumerate(chosen, 3):
        text += before
        place = f"line {1 + text.count(chr(10))}"
        mark, inner = f"m{number}m", f"m{number}-m"
        text += whole.replace("MARK", mark).replace("OPTIONS", option.replace("MARK", inner))
        word = WHOLE_OF_CURL[whole]
        parts.append(Part(place, mark, word))
        if word == "\0":
            parts.append(Part(place, UNMARKED.get(option, inner), PARTS_OF_CURL[option]))
    held(text, "curl", parts, sent=3 + len(chosen))


@pytest.mark.parametrize("option", PARTS_OF_CURL)
def test_no_option_of_curl_takes_a_url_away(option: str) -> None:
    made = account(f"curl {option} http://shop.example/m1m http://shop.example/m2m", "curl")
    assert made.sent == 2


# ---- Postman


def row(name: str, given: Any, **more: Any) -> dict[str, Any]:
    return {"key": name, "value": given, **more}


def raw(text: str) -> dict[str, Any]:
    return {"method": "POST", "body": {"mode": "raw", "raw": text}}


def event(listen: str, script: str) -> dict[str, Any]:
    return {"event": [{"listen": listen, "script": {"exec": [script]}}]}


PARTS_OF_POSTMAN: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a field": ({"header": [row("X-A", "MARK")]}, {}, "\0"),
    "fields as a text": ({"header": "X-A: MARK"}, {}, "\0"),
    "a secret field": ({"header": [row("X-Api-Key", "MARK")]}, {}, "may hold a secret"),
    "a host": ({"header": [row("Host", "MARK")]}, {}, "header `Host` left out"),
    "authorization": ({"auth": {"type": "bearer"}}, {}, "authorization (`bearer`) is left out"),
    "a text": (raw("MARK"), {}, "\0"),
    "a form": (
        {"method": "POST", "body": {"mode": "urlencoded", "urlencoded": [row("a", "MARK")]}},
        {}, "\0",
    ),
    "a file of a form": (
        {"method": "POST", "body": {"mode": "formdata", "formdata": [
            {"key": "f", "type": "file", "src": "MARK"}]}},
        {}, "files of the form",
    ),
    "a file": ({"method": "PUT", "body": {"mode": "file", "file": {"src": "MARK"}}}, {}, "`file`"),
    "GraphQL": ({"method": "POST", "body": {"mode": "graphql", "graphql": {"query": "MARK"}}},
                {}, "\0"),
    "a body that is not sent": ({"body": {"mode": "raw", "raw": "MARK"}}, {}, "sends none with"),
    "a check": ({}, event("test", "pm.test('MARK', () => { pm.response.to.have.status(200) })"),
                "\0"),
    "an odd check": ({}, event("test", "pm.test('MARK', () => { pm.expect(1).to.be.ok })"), "\0"),
    "more of a script": ({}, event("test", "pm.globals.set('MARK', 1)"), "rest of the test script"),
    "a script before": ({}, event("prerequest", "f('MARK')"), "pre-request script is left out"),
    "a variable": (raw("{{MARK}}"), {}, "\0"),
    "a setting": ({}, {"protocolProfileBehavior": {"MARK": True}}, "\0"),
    "a proxy": ({"proxy": {"host": "MARK"}}, {}, "the proxy"),
}  # fmt: skip
WHOLE_OF_POSTMAN = {
    "http://shop.example/MARK": "\0",
    "{{base}}/MARK": "\0",
    "http://MARK.example/": "goes to",
    "ftp://shop.example/MARK": "only http and https",
    "": "it has no URL",
}


@given(st.lists(st.tuples(st.sampled_from(list(WHOLE_OF_POSTMAN)), st.sampled_from(
    list(PARTS_OF_POSTMAN)), st.booleans()), max_size=6))  # fmt: skip
@CHOICES
def test_nothing_of_a_collection_is_lost(chosen: list[tuple[str, str, bool]]) -> None:
    items: list[dict[str, Any]] = [
        {"name": f"m{n}m", "request": f"http://shop.example/m{n}m"} for n in (0, 1, 2)
    ]
    parts = []
    for number, (url, name, deep) in enumerate(chosen, 3):
        mark, inner = f"m{number}m", f"m{number}-m"
        asked, around, word = json.loads(json.dumps(PARTS_OF_POSTMAN[name]).replace("MARK", inner))
        item = {
            "name": f"i{number}",
            "request": asked | {"url": url.replace("MARK", mark)},
        } | around
        place = f"folder / i{number}" if deep else f"i{number}"
        items.append({"name": "folder", "item": [item]} if deep else item)
        lost = WHOLE_OF_POSTMAN[url]
        parts.append(Part(place, mark, lost, is_request=True))
        if lost == "\0":
            parts.append(Part(place, inner, word))
    variable = [row("base", "http://shop.example")]
    held(json.dumps({"info": {}, "item": items, "variable": variable}), "postman", parts,
         sent=len(items))  # fmt: skip


# ---- OpenAPI and Swagger


def content(media: str, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {media: more}}}


def one_parameter(where: str, **more: Any) -> dict[str, Any]:
    return {"parameters": [{"name": "X-MARK", "in": where, "required": True} | more]}


PARTS_OF_OPENAPI: dict[str, tuple[dict[str, Any], str]] = {
    "a query": (one_parameter("query", example="MARK"), "\0"),
    "a path": (one_parameter("path", example="MARK"), "\0"),
    "a field": (one_parameter("header", example="MARK"), "\0"),
    "a secret field": ({"parameters": [
        {"name": "X-Api-Key", "in": "header", "example": "MARK"}]}, "may hold a secret"),
    "a cookie": (one_parameter("cookie", example="1"), "\0"),
    "an optional parameter": (one_parameter("query", required=False), "\0"),
    "JSON": (content("application/json", example={"a": "MARK"}), "\0"),
    "a form": (content("application/x-www-form-urlencoded", example={"a": "MARK"}), "\0"),
    "a file": (
        content("multipart/form-data", schema={"type": "object", "properties": {
            "MARK": {"type": "string", "format": "binary"}}}),
        "files of the form",
    ),
    "XML": (content("application/MARK+xml", example="<a/>"), "\0"),
    "bytes": (content("image/MARK", schema={"format": "binary"}), "\0"),
    "security": ({"security": [{"MARK": []}]}, "\0"),
    "callbacks": ({"callbacks": {"MARK": {}}}, "the callbacks are left out"),
    "a second server": (
        {"servers": [{"url": "/"}, {"url": "http://MARK.example"}]}, "\0"),
}  # fmt: skip
METHODS = ("post", "put", "patch", "trace", "options")


SERVERS = (None, "http://shop.example", "http://other.example")


@given(st.lists(st.tuples(st.sampled_from(METHODS), st.sampled_from(list(PARTS_OF_OPENAPI)),
    st.sampled_from(SERVERS)), max_size=6))  # fmt: skip
@CHOICES
def test_nothing_of_a_description_is_lost(chosen: list[tuple[str, str, str | None]]) -> None:
    paths: dict[str, Any] = {f"/m{number}m": {"get": {}} for number in (0, 1, 2)}
    parts = []
    for number, (method, name, server) in enumerate(chosen, 3):
        mark, inner = f"m{number}m", f"m{number}-m"
        made, word = json.loads(json.dumps(PARTS_OF_OPENAPI[name]).replace("MARK", inner))
        path = f"/{mark}/{{X-{inner}}}" if name == "a path" else f"/{mark}"
        own = {"servers": [{"url": server}]} if server and "servers" not in made else {}
        paths[path] = {method: made | own}
        place = f"{method.upper()} {path}"
        parts.append(Part(place, mark, "goes to", is_request=True))
        parts.append(Part(place, inner, "goes to" if "other" in str(own) else word))
    text = json.dumps(
        {"openapi": "3.1.0", "paths": paths, "servers": [{"url": "http://shop.example"}]}
    )
    held(text, "openapi", parts, sent=len(paths))


PARTS_OF_SWAGGER: dict[str, tuple[dict[str, Any], str]] = {
    "a query": (one_parameter("query", type="string", default="MARK"), "\0"),
    "a field": (one_parameter("header", type="string", enum=["MARK"]), "\0"),
    "a field of a form": (one_parameter("formData", type="string", default="MARK"), "\0"),
    "a file": (one_parameter("formData", type="file"), "files of the form"),
    "a body": (one_parameter("body", schema={"example": {"a": "MARK"}}), "\0"),
    "XML": (one_parameter("body", schema={}) | {"consumes": ["application/MARK+xml"]}, "\0"),
    "security": ({"security": [{"MARK": []}]}, "\0"),
    "another scheme": ({"schemes": ["https"]}, "goes to"),
}


@given(st.lists(st.tuples(st.sampled_from(METHODS[:3]), st.sampled_from(list(PARTS_OF_SWAGGER))),
    max_size=6))  # fmt: skip
@CHOICES
def test_nothing_of_swagger_is_lost(chosen: list[tuple[str, str]]) -> None:
    paths: dict[str, Any] = {f"/m{number}m": {"get": {}} for number in (0, 1, 2)}
    parts = []
    for number, (method, name) in enumerate(chosen, 3):
        mark, inner = f"m{number}m", f"m{number}-m"
        made, word = json.loads(json.dumps(PARTS_OF_SWAGGER[name]).replace("MARK", inner))
        paths[f"/{mark}"] = {method: made}
        place = f"{method.upper()} /{mark}"
        parts += [Part(place, mark, word, is_request=True), Part(place, inner, word)]
    text = json.dumps({"swagger": "2.0", "paths": paths, "host": "shop.example"})
    held(text, "openapi", parts, sent=len(paths))


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        (har(entry("00.000", "ftp://a.example/")), "har", "entry 1: not for ftp: only http and"),
        ("curl ftp://a.example/", "curl", "line 1: not for ftp: only http and https are taken"),
        ('{"item": [{"name": "a", "request": {}}]}', "postman", "a: the URL has no host that"),
        ('{"openapi": "3.0.0", "paths": {"/a": {"$ref": "b#/"}}}', "openapi", "b#/: not followed"),
    ],
)
def test_a_refusal_says_why_nothing_could_be_taken(text: str, kind: str, why: str) -> None:
    with pytest.raises(tt.InputError, match=re.escape(f"({why}")):
        import_text(text.encode(), "a file", kind)
    with pytest.raises(tt.InputError, match=r"; and 3 more\)$"):
        import_text("\n".join(f"curl {one}://a.example" for one in "abcdef").encode(), "b", "curl")
