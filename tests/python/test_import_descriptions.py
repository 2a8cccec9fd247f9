"""Imports of OpenAPI and Postman, the detection of kinds, and malicious files."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_results import imported, loads, requests, table
from test_import_artillery import SHOP
from test_import_conversations import conversation
from test_import_gatling import SCALA
from test_import_jmeter import JMETER
from test_import_k6 import K6
from test_import_locust import LOCUST
from test_import_recordings import CURL, VISIT, entry, har

import thinktime as tt
from thinktime.importing import KINDS, import_text, yaml_text
from thinktime.importing.toml import comment, key, value

TOO_DEEP = "nested too deeply|exceeded maximum nesting depth"
"""Newer releases of pyyaml have a bound of their own."""

OPENAPI = """
openapi: 3.1.0
info: {title: 'Shop "API"', version: "1"}
servers:
  - url: https://{region}.shop.example/v1
    variables: {region: {default: eu, enum: [eu, us]}}
paths:
  /items/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer, example: 7}}
    get:
      operationId: getItem
      summary: One item
      parameters:
        - {name: lang, in: query, schema: {type: string, enum: [de, en]}}
        - {name: page, in: query, schema: {type: integer, default: 2}}
        - {name: verbose, in: query, schema: {type: boolean}}
        - {name: X-Trace, in: header, required: true, schema: {type: string, default: "on"}}
      security: [{key: []}]
  /orders:
    post:
      requestBody:
        content:
          application/json: {schema: {$ref: "#/components/schemas/Order"}}
          application/xml: {schema: {type: string}}
    delete: {}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    login: {type: http, scheme: bearer}
  schemas:
    Order:
      type: object
      properties:
        id: {type: integer, readOnly: true}
        item: {type: string, example: book}
        count: {type: integer, minimum: 2}
        when: {type: string, format: date-time, example: 2026-01-31T12:00:00Z}
        parent: {$ref: "#/components/schemas/Order"}
"""


def test_operations_of_openapi_come_equally_often() -> None:
    pytest.importorskip("yaml", reason="YAML is read with pyyaml")
    made = imported(OPENAPI, "shop.yaml")
    whole, found = table(made), requests(made)
    assert (made.kind, made.origin) == ("openapi", "https://eu.shop.example")
    assert whole["name"] == 'Shop "API"'
    assert whole["arrivals"] == {"model": "open", "rate": "1/s"}
    assert {one["weight"] for one in found.values()} == {1}
    assert found["getItem"]["get"] == "/v1/items/7?lang=de&page=2"
    assert found["getItem"]["headers"] == {"X-Trace": "on"}
    order = {"item": "book", "count": 2, "when": "2026-01-31T12:00:00+00:00"}
    assert found["post-orders"]["json"] == order | {"parent": order}
    assert found["delete-orders"]["delete"] == "/v1/orders"
    notes = list(made.notes)
    for place, text in (
        ("securitySchemes.key", "apiKey"),
        ("securitySchemes.login", "env:TOKEN"),
        ("GET /items/{id}", "`verbose` has no example"),
        ("POST /orders", "application/xml"),
    ):
        assert any(note.startswith(place) and text in note for note in notes), (place, notes)


def test_openapi_as_json_loads_whole() -> None:
    yaml = pytest.importorskip("yaml", reason="YAML is read with pyyaml")
    text = json.dumps(yaml.safe_load(OPENAPI), default=str)
    made = imported(text)
    assert made.kind == "openapi"
    assert loads(made).model == "open"


POSTMAN = {
    "info": {
        "name": "Shop",
        "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "s3cr3t", "type": "string"}]},
    "variable": [{"key": "base_url", "value": "https://shop.example"}],
    "item": [
        {
            "name": "Orders",
            "item": [
                {
                    "name": "Create",
                    "event": [{"listen": "test", "script": {"exec": ["pm.test('x')"]}}],
                    "request": {
                        "method": "POST",
                        "header": [
                            {"key": "X-A", "value": "1"},
                            {"key": "X-B", "value": "2", "disabled": True},
                        ],
                        "body": {
                            "mode": "raw",
                            "raw": '{\n "a": "{{x}}", "b": 1\n}',
                            "options": {"raw": {"language": "json"}},
                        },
                        "url": {
                            "raw": "{{base_url}}/orders/:id?a=1&z=2",
                            "query": [
                                {"key": "a", "value": "1"},
                                {"key": "z", "value": "2", "disabled": True},
                            ],
                            "variable": [{"key": "id", "value": "7"}],
                        },
                    },
                },
                {
                    "name": "Form",
                    "request": {
                        "method": "POST",
                        "auth": {"type": "noauth"},
                        "body": {
                            "mode": "urlencoded",
                            "urlencoded": [{"key": "a", "value": "b c"}],
                        },
                        "url": {
                            "protocol": "https",
                            "host": ["shop", "example"],
                            "path": ["form"],
                        },
                    },
                },
            ],
        },
        {"name": "Home", "request": "{{other}}/home"},
    ],
}


TESTS = """
pm.test("Status code is 200", function () { pm.response.to.have.status(200); });
pm.test("fast and there", () => {
    pm.expect(pm.response.responseTime).to.be.below(200);
    pm.expect(pm.response.text()).to.include("it's")
});
pm.test("Content-Type", () => { pm.response.to.have.header("Content-Type") });
pm.test("one of", () => { pm.expect(pm.response.code).to.be.oneOf([201, 202]); });
pm.test("Your test name", function () {
    var jsonData = pm.response.json();
    pm.expect(jsonData.items[0].value).to.eql(100);
});
const all = pm.response.json();
pm.test('ok', () => { pm.expect(all.done).to.equal(true) });
pm.test("more", function () { pm.response.to.be.ok; console.log(1); });
pm.test("of a list", function () { pm.expect(all).to.be.an('array'); });
pm.test("later", function (done) { pm.response.to.be.ok; });
pm.test("not", function () { pm.expect(pm.response.code).to.not.equal(500); });
%s
"""


def checks_of(rest: str) -> tuple[dict[str, Any], str]:
    """The checks made of `TESTS` with more, and the notes."""
    event = {"listen": "test", "script": {"exec": (TESTS % rest).split("\n")}}
    item = {"name": "a", "event": [event], "request": "http://t.example/a"}
    made = imported(json.dumps({"info": POSTMAN["info"], "item": [item]}))
    return requests(made)["a"]["checks"], "\n".join(made.notes)


def test_tests_of_postman_are_checks() -> None:
    checks, notes = checks_of("")
    assert checks == {
        "Status code is 200": {"of": "status", "is": 200},
        "fast and there": {"of": "time", "most": "200ms"},
        "fast and there (2)": {"of": "body", "contains": "it's"},
        "Content-Type": {"of": "header:Content-Type"},
        "one of": {"of": "status", "is": [201, 202]},
        "Your test name": {"of": "json:$.items[0].value", "is": 100},
        "ok": {"of": "json:$.done", "is": "true"},
    }
    for name in ("more", "of a list", "later", "not"):
        assert f"the check '{name}' is left out" in notes
    assert "the rest" not in notes
    _, notes = checks_of("pm.environment.set('x', all.token);")
    assert "a: the rest of the test script is left out" in notes


def test_a_collection_of_postman_is_a_visit_in_its_order() -> None:
    made = imported(json.dumps(POSTMAN))
    found = requests(made)
    assert (made.kind, made.origin) == ("postman", "https://shop.example")
    assert list(found) == ["Orders-Create", "Orders-Form", "Home"]
    assert found["Orders-Create"]["post"] == "/orders/7?a=1"
    assert found["Orders-Create"]["json"] == {"a": "x", "b": 1}
    assert found["Orders-Create"]["headers"] == {"X-A": "1"}
    assert found["Orders-Form"]["form"] == {"a": "b c"}
    assert found["Home"]["get"] == "/home"
    assert found["Orders-Form"]["next"] == {"Home": 1}
    notes = "\n".join(made.notes)
    for text in ("test script", "`bearer`", "variable `x`", "variable `other`"):
        assert text in notes
    assert "s3cr3t" not in made.text


def test_a_collection_of_postman_loads_whole() -> None:
    assert loads(imported(json.dumps(POSTMAN))).model == "partly-open"


# ---- kinds


SOURCES = {
    "har": har(*VISIT),
    "curl": CURL,
    "openapi": json.dumps({"paths": {"/a": {"get": {}}}, "openapi": "3.0.1"}),
    "postman": json.dumps(POSTMAN),
    "k6": K6,
    "locust": LOCUST,
    "jmeter": JMETER,
    "artillery": SHOP,
    "gatling": SCALA,
    "conversations": json.dumps([conversation("a", "b")]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_is_found_from_the_content(kind: str) -> None:
    assert imported(SOURCES[kind]).kind == kind


def test_an_unknown_kind_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(tt.InputError, match=r"a\.txt: its kind is not found.*har.*jmeter"):
        import_text(b"nothing of note", "a.txt")
    with pytest.raises(tt.InputError, match="unknown kind `pdf`: known are har"):
        import_text(b"", "a.txt", "pdf")
    with pytest.raises(tt.InputError, match=r"Swagger 1\.2 is not read; OpenAPI 3 and Swagger 2"):
        import_text(b'{"swagger": "1.2"}', "a.json")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff\xfe", b"[]", b"{}", b"{" * 99_999, b"- " * 9999, b"\xff\xff\xff"]
)
def test_what_is_none_of_a_kind_is_an_error(kind: str, data: bytes) -> None:
    with pytest.raises(tt.InputError, match="a file"):
        import_text(data, "a file", kind)


def test_aliases_of_yaml_that_stand_for_too_much_are_refused() -> None:
    pytest.importorskip("yaml", reason="YAML is read with pyyaml")
    lines = ["a0: &a0 [1]", *(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]" for n in range(1, 30))]
    text = "openapi: 3.0.0\n" + "\n".join(lines)
    with pytest.raises(tt.InputError, match="aliases stand for more than"):
        import_text(text.encode(), "a.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a0: &a0 {x: 1}\n" + "\n".join(
            f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 40)
        ), "no operation"),
        ("x: " + "[" * 100_000, TOO_DEEP),
        ("x: " + "{a: " * 100_000, TOO_DEEP),
        ("x: " + "59:" * 100_000 + "1", "more than 400 characters"),
        ("x: !!timestamp now", "not what its tag says"),
        ("x: !!int one", "not what its tag says"),
        ("x: !!bool one", "not what its tag says"),
    ],
)  # fmt: skip
def test_yaml_that_would_not_end_is_refused(text: str, reason: str) -> None:
    pytest.importorskip("yaml", reason="YAML is read with pyyaml")
    with pytest.raises(tt.InputError, match=reason):
        import_text(f"openapi: 3.0.0\n{text}\n".encode(), "a.yaml")


def test_merged_tables_of_yaml_have_the_nearest_value() -> None:
    pytest.importorskip("yaml", reason="YAML is read with pyyaml")
    text = "a: &a {x: 1, y: 1, z: 1}\nb: &b {y: 2}\nc: {<<: [*b, *a], z: 3}"
    assert yaml_text.read(text, "a.yaml")["c"] == {"x": 1, "y": 2, "z": 3}


# ---- harm


ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@given(text=ANYTHING)
@settings(max_examples=300)
def test_any_text_comes_back_from_toml(text: str) -> None:
    right = text.encode("utf-8", "replace").decode() if _lone(text) else text
    found = tomllib.loads("\n".join([*comment(text), f"{key(text)} = {value([text])}"]))
    (back,) = found.values()
    if not _lone(text):
        assert found == {right: [right]}
    assert len(back) == 1


def _lone(text: str) -> bool:
    return any(0xD800 <= ord(sign) < 0xE000 for sign in text)


@given(url=ANYTHING, name=ANYTHING, body=ANYTHING, kind=ANYTHING)
@settings(max_examples=150)
def test_whatever_a_har_holds_the_file_loads(url: str, name: str, body: str, kind: str) -> None:
    odd = entry(
        "01.000", f"https://shop.example/{url}", method="POST",
        headers=[{"name": name, "value": body}, {"name": "Content-Type", "value": kind}],
        posted={"mimeType": kind, "text": body},
    )  # fmt: skip
    odd["pageref"] = odd["response"]["content"]["mimeType"] = name
    made = imported(har(VISIT[0], odd))
    assert len(table(made)["request"]) <= 2


@given(words=st.lists(st.text(max_size=40), max_size=4))
@settings(max_examples=100)
def test_whatever_curl_commands_hold_the_file_loads(words: list[str]) -> None:
    imported(f"curl https://a.example/x\ncurl {' '.join(words)} https://a.example/y\n")


def test_names_cannot_break_out_of_comments() -> None:
    evil = json.loads(json.dumps(POSTMAN))
    evil["item"][0]["name"] = 'x\n[slo]\np99 = "1ms"\n#\u2028\x1b[2J"""'
    made = imported(json.dumps(evil))
    assert "slo" not in table(made)
    assert "\x1b" not in made.text + "".join(made.notes)


# ---- the command


def run(*arguments: str, cwd: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from thinktime.cli import main; main()", *arguments]
    return subprocess.run(
        command, cwd=cwd, input=text, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_command_writes_the_file_and_says_what_is_not_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(SOURCES["har"])
    done = run("import", "a.har", "-o", "w.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "not carried over" in done.stderr
    assert "written: w.toml" in done.stderr
    assert tomllib.loads((tmp_path / "w.toml").read_text())["name"] == "a"


def test_the_command_reads_and_writes_pipes(tmp_path: Path) -> None:
    done = run("import", "-", "--from", "curl", cwd=tmp_path, text="curl https://a.example/x")
    assert done.returncode == 0
    assert tomllib.loads(done.stdout)["request"][0]["get"] == "/x"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["import", "none.har"], "none.har: No such file"),
        (["import", "."], r".: Is a directory"),
        (["import", "-"], "its kind is not found"),
        (["new", "ftp://a.example/"], "begins with http:// or https://"),
        (["new", "http://[/"], "begins with http:// or https://"),
        (["new", "http://127.0.0.1:1/"], "cannot be had"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = run(*arguments, cwd=tmp_path, text="x")
    assert done.returncode in (2, 3)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
