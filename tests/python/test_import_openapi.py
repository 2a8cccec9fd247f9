"""Imports of OpenAPI and Swagger 2.0: servers, styles of parameters, forms, and what is lost."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_results import imported, loads, requests, table

import thinktime as tt
from thinktime.importing import Imported, import_text


def described(paths: dict[str, Any], **more: Any) -> Imported:
    made = imported(json.dumps({"openapi": "3.0.3", "paths": paths} | more), kind="openapi")
    loads(made)
    return made


def swagger(paths: dict[str, Any], **more: Any) -> Imported:
    made = imported(json.dumps({"swagger": "2.0", "paths": paths} | more), "pets.json")
    loads(made)
    return made


def sent(made: Imported) -> dict[str, str]:
    """The targets, by the names of requests."""
    keys = ("get", "post", "put", "patch", "target")
    return {
        name: next(one[key] for key in keys if key in one) for name, one in requests(made).items()
    }


LIST, PAIRS = ["a b", "c,d"], {"x": 1, "y": "ü"}


@pytest.mark.parametrize(
    ("style", "value", "query"),
    [
        ({}, LIST, "q=a%20b&q=c%2Cd"),
        ({"explode": False}, LIST, "q=a%20b,c%2Cd"),
        ({"style": "spaceDelimited"}, [3, 5], "q=3%205"),
        ({"style": "pipeDelimited"}, [3, 5], "q=3%7C5"),
        ({"style": "pipeDelimited", "explode": True}, [3, 5], "q=3&q=5"),
        ({}, PAIRS, "x=1&y=%C3%BC"),
        ({"explode": False}, PAIRS, "q=x,1,y,%C3%BC"),
        ({"style": "deepObject"}, PAIRS, "q[x]=1&q[y]=%C3%BC"),
        ({"style": "deepObject"}, {"a": {"b": [1, 2]}}, "q[a][b]=1&q[a][b]=2"),
        ({}, "a/b&c", "q=a%2Fb%26c"),
        ({"allowReserved": True}, "a/b:c&d", "q=a/b:c%26d"),
        (
            {"content": {"application/json": {"example": {"a": [1]}}}}, None,
            "q=%7B%22a%22%3A%20%5B1%5D%7D",
        ),
    ],
)  # fmt: skip
def test_parameters_of_a_query_have_their_style(
    style: dict[str, Any], value: Any, query: str
) -> None:
    own = {} if value is None else {"example": value}
    parameter = {"name": "q", "in": "query", "required": True} | own | style
    made = described({"/a": {"get": {"operationId": "a", "parameters": [parameter]}}})
    assert sent(made) == {"a": f"/a?{query}"}


@pytest.mark.parametrize(
    ("style", "value", "path"),
    [
        ({}, "a/b", "a%2Fb"),
        ({}, [3, 4], "3,4"),
        ({}, PAIRS, "x,1,y,%C3%BC"),
        ({"explode": True}, PAIRS, "x=1,y=%C3%BC"),
        ({"style": "label"}, 5, ".5"),
        ({"style": "label", "explode": True}, [3, 4], ".3.4"),
        ({"style": "matrix"}, [3, 4], ";p=3,4"),
        ({"style": "matrix", "explode": True}, [3, 4], ";p=3;p=4"),
        ({"style": "matrix", "explode": True}, PAIRS, ";x=1;y=%C3%BC"),
    ],
)
def test_parameters_of_a_path_have_their_style(
    style: dict[str, Any], value: Any, path: str
) -> None:
    parameter = {"name": "p", "in": "path", "required": True, "example": value} | style
    made = described({"/a/{p}/b": {"get": {"operationId": "a", "parameters": [parameter]}}})
    assert sent(made) == {"a": f"/a/{path}/b"}


@pytest.mark.parametrize(
    ("style", "value", "field"),
    [({}, [3, 4], "3,4"), ({}, {"x": 1}, "x,1"), ({"explode": True}, {"x": 1}, "x=1")],
)
def test_parameters_of_fields_have_their_style(
    style: dict[str, Any], value: Any, field: str
) -> None:
    parameter = {"name": "X-A", "in": "header", "required": True, "example": value} | style
    made = described({"/a": {"get": {"operationId": "a", "parameters": [parameter]}}})
    assert requests(made)["a"]["headers"] == {"X-A": field}


def operation(name: str, *servers: str) -> dict[str, Any]:
    return {"operationId": name} | (
        {"servers": [{"url": url} for url in servers]} if servers else {}
    )


def test_the_nearest_server_gives_the_base_path() -> None:
    paths = {
        "/a": {"get": operation("a"), "post": operation("b", "/other")},
        "/c": operation("", "http://api.example/v3")
        | {"get": operation("c"), "put": operation("d", "http://api.example")},
    }
    made = described(paths, servers=[{"url": "http://api.example/v2/"}])
    assert made.origin == "http://api.example"
    assert sent(made) == {"a": "/v2/a", "b": "/other/a", "c": "/v3/c", "d": "/c"}
    assert not list(made.notes)


def test_operations_on_other_servers_are_named() -> None:
    one = "https://one.example"
    paths = {
        "/a": {"get": operation("a")},
        "/b": {"get": operation("b", one), "put": operation("c", one)},
    }
    made = described(paths, servers=[{"url": "http://api.example"}, {"url": "http://b.example"}])
    assert sent(made) == {"a": "/a"}
    assert "GET /b and 1 more: goes to https://one.example; a workload has one target" in made.notes
    assert "servers: http://b.example: only the first server is taken" in made.notes
    assert described({"/b": paths["/b"]}).origin == "https://one.example"


def test_all_methods_of_a_path_are_requests() -> None:
    methods = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
    made = described({"/a": {method: {} for method in methods}})
    assert made.requests == len(methods)
    assert {"TRACE"} == {one.get("method") for one in table(made)["request"]} - {None}


@pytest.mark.parametrize(
    ("paths", "note"),
    [
        ({"/a": {"get": {"callbacks": {"c": {"x": {}}}}}}, "the callbacks are left out"),
        ({"/a": {"get": {}, "additionalOperations": {"COPY": {}}}}, "`additionalOperations`"),
        (
            {"/a": {"post": {"requestBody": {"content": {"multipart/form-data": {
                "encoding": {"t": {"contentType": "text/plain"}},
                "schema": {"type": "object", "properties": {
                    "t": {"example": "x"}, "f": {"type": "string", "format": "binary"},
                }},
            }}}}}},
            "the files of the form are left out",
        ),
        ({"/a": {"get": {"parameters": [
            {"name": "sid", "in": "cookie", "example": "1"}]}}}, "the cookie `sid` is left out"),
    ],
)  # fmt: skip
def test_what_an_operation_loses_is_named(paths: dict[str, Any], note: str) -> None:
    made = described(paths)
    assert any(note in one for one in made.notes), list(made.notes)


# ---- Swagger 2.0


def parameter(name: str, where: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": where, "required": True, "type": "string"} | more


PET = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "example": "Rex"},
        "id": {"type": "integer", "readOnly": True},
    },
}
FIELD = parameter("X-A", "header", enum=["b"])
BODY = {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}
PETS = {
    "/pets/{id}": {
        "parameters": [parameter("id", "path", type="integer", **{"x-example": 7})],
        "get": {"operationId": "one", "parameters": [{"$ref": "#/parameters/Limit"}, FIELD]},
    },
    "/pets": {
        "post": {"operationId": "add", "parameters": [BODY]},
        "put": {"operationId": "form", "parameters": [parameter("n", "formData", default="x y")]},
    },
}


def test_swagger_is_read_as_the_same_openapi() -> None:
    made = swagger(
        PETS, host="pets.example:8080", basePath="/v2", schemes=["https"],
        parameters={"Limit": parameter("limit", "query", type="integer", default=20)},
        definitions={"Pet": PET}, securityDefinitions={"login": {"type": "basic"}},
    )  # fmt: skip
    assert (made.kind, made.origin) == ("openapi", "https://pets.example:8080")
    assert sent(made) == {
        "one": "/v2/pets/7?limit=20", "add": "/v2/pets", "form": "/v2/pets",
    }  # fmt: skip
    found = requests(made)
    assert found["one"]["headers"] == {"X-A": "b"}
    assert found["add"]["json"] == {"name": "Rex"}
    assert found["form"]["form"] == {"n": "x y"}
    assert any("basic" in note and note.startswith("securitySchemes.login") for note in made.notes)


@pytest.mark.parametrize(
    ("format_", "query"),
    [("csv", "q=3,5"), ("ssv", "q=3%205"), ("tsv", "q=3%095"), ("pipes", "q=3%7C5"),
     ("multi", "q=3&q=5"), (None, "q=3,5")],
)  # fmt: skip
def test_lists_of_swagger_have_their_format(format_: str | None, query: str) -> None:
    style = {"collectionFormat": format_} if format_ else {}
    one = parameter("q", "query", type="array", items={"type": "integer"}, default=[3, 5], **style)
    assert sent(swagger({"/a": {"get": {"operationId": "a", "parameters": [one]}}})) == {
        "a": f"/a?{query}"
    }


def test_forms_of_swagger_lose_their_files_and_say_so() -> None:
    fields = [parameter("f", "formData", type="file"), parameter("t", "formData", default="x")]
    made = swagger({"/a": {"post": {"parameters": fields}}})
    assert table(made)["request"][0]["multipart"] == {"t": "x"}
    assert "POST /a: the files of the form are left out: files are not read" in made.notes


def test_swagger_without_a_host_leaves_the_target_open() -> None:
    made = swagger({"/a": {"get": {"operationId": "a"}}}, basePath="api/")
    assert (made.origin, sent(made)) == ("", {"a": "/api/a"})


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", "a", "#/paths", "body"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["in", "name", "$ref", "schema", "type", "parameters", "get", "items"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(paths=ODD, more=ODD, kind=st.sampled_from([{"swagger": "2.0"}, {"openapi": "3.1.0"}]))
@settings(max_examples=200)
def test_any_description_is_a_workload_or_an_error(
    paths: Any, more: Any, kind: dict[str, str]
) -> None:
    given_ = kind | {"paths": {"/a": paths}, "parameters": more, "servers": more, "schemes": more}
    with suppress(tt.InputError):  # it describes no operation
        loads(import_text(json.dumps(given_).encode(), "a", "openapi"))
