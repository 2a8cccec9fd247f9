"""Imports of Postman: fields as a text, encodings of URLs, redirects, bodies that are not sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from import_results import imported, loads, requests, table

from thinktime.importing import Imported


def collection(*asked: dict[str, Any], **more: Any) -> Imported:
    """The import of a collection of these requests, each with the settings of its item."""
    given = [dict(one) for one in asked]
    item = [
        {"name": f"r{at}", "protocolProfileBehavior": one.pop("settings", {}), "request": one}
        for at, one in enumerate(given, 1)
    ]
    made = imported(json.dumps({"info": {"name": "c"}, "item": item} | more), kind="postman")
    loads(made)
    return made


URL = "http://shop.example/a"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("X-A: 1\r\nX-B:2: 3\n\n// X-C: 4\nno field", {"X-A": "1", "X-B": "2: 3"}),
        ("Accept: {{kind}}/{{kind}}", {"Accept": "json/json"}),
        ("", None),
        (None, None),
        ([{"key": "X-A", "value": "1"}, {"key": "X-B", "value": "2", "disabled": True}],
         {"X-A": "1"}),
    ],
)  # fmt: skip
def test_fields_are_a_list_or_a_text(header: Any, found: dict[str, str] | None) -> None:
    variable = [{"key": "kind", "value": "json"}]
    made = collection({"url": URL, "header": header}, variable=variable)
    assert requests(made)["r1"].get("headers") == found


@pytest.mark.parametrize(
    ("query", "target"),
    [
        ([("from", "10%3A30"), ("q", "a+b")], "?from=10%3A30&q=a+b"),
        ([("tag[]", "x y"), ("flag", None), ("empty", "")], "?tag[]=x%20y&flag&empty="),
        ([("a=b", "c=d"), ("e", "f&g#h")], "?a%3Db=c=d&e=f%26g%23h"),
        ([("u", "ü/ß?")], "?u=%C3%BC/%C3%9F?"),
        ([("v", "{{value}}")], "?v=1%202"),
    ],
)
def test_a_query_keeps_what_is_encoded_already(
    query: list[tuple[str, str | None]], target: str
) -> None:
    rows = [{"key": name, "value": held} for name, held in query]
    made = collection(
        {"url": {"raw": f"{URL}?old=1", "query": rows}}, variable=[{"key": "value", "value": "1 2"}]
    )
    assert requests(made)["r1"]["get"] == f"/a{target}"


def test_a_variable_of_a_path_keeps_what_is_encoded_already() -> None:
    variable = [{"key": "id", "value": "a%2Fb c?"}]
    made = collection({"url": {"raw": f"{URL}/:id/x", "variable": variable}})
    assert requests(made)["r1"]["get"] == "/a/a%2Fb%20c%3F/x"


@pytest.mark.parametrize(
    ("whole", "of_item", "redirects"),
    [
        ({}, {}, 10),
        ({}, {"maxRedirects": 3}, 3),
        ({"maxRedirects": 3}, {"maxRedirects": 7}, 7),
        ({"followRedirects": False}, {}, None),
        ({"followRedirects": False}, {"followRedirects": True}, 10),
    ],
)
def test_redirects_are_followed_as_postman_follows_them(
    whole: dict[str, Any], of_item: dict[str, Any], redirects: int | None
) -> None:
    made = collection({"url": URL, "settings": of_item}, protocolProfileBehavior=whole)
    assert table(made)["session"].get("redirects") == redirects
    assert not list(made.notes)


def test_requests_that_follow_no_redirects_beside_others_are_named() -> None:
    made = collection({"url": URL}, {"url": URL, "settings": {"followRedirects": False}})
    assert table(made)["session"]["redirects"] == 10
    assert list(made.notes) == ["r2: follows no redirects; all requests follow 10 here"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PURGE"])
def test_a_body_that_postman_does_not_send_is_left_out(method: str) -> None:
    asked = {"url": URL, "method": method, "body": {"mode": "raw", "raw": "x"}}
    made = collection(asked, asked | {"settings": {"disableBodyPruning": True}})
    first, second = requests(made).values()
    assert "body" not in first
    assert second["body"] == "x"
    assert list(made.notes) == [f"r1: the body is left out: Postman sends none with {method}"]


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        ({"proxy": {"host": "a"}}, "the proxy of the request is left out"),
        ({"certificate": {"name": "a"}}, "the certificate of the request is left out"),
        ({"settings": {"disableCookies": True}}, "the setting `disableCookies` is left out"),
        ({"settings": {"disableUrlEncoding": True}}, "the setting `disableUrlEncoding`"),
    ],
)
def test_settings_that_change_a_request_are_named(asked: dict[str, Any], note: str) -> None:
    made = collection({"url": URL} | asked)
    assert any(note in one for one in made.notes)
