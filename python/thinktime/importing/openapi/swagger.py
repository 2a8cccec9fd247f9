"""Swagger 2.0 as the same description in OpenAPI 3, which has all that an import needs of it.

Source: https://spec.openapis.org/oas/v2.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from thinktime.importing.parsers import items, table, words

VERSION = "3.0.0"
JSON = "application/json"
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"

_STYLES: dict[str, dict[str, Any]] = {
    "csv": {"explode": False},
    "multi": {"explode": True},
    "ssv": {"style": "spaceDelimited"},
    "tsv": {"style": "tabDelimited"},
    "pipes": {"style": "pipeDelimited"},
}
_EXAMPLES = ("x-example", "example")
Resolved = Callable[[Any], Any]


def as_openapi(root: dict[str, Any], resolved: Resolved) -> dict[str, Any]:
    """The description; its references lead to the same places. ``resolved`` follows one."""
    paths = {
        path: _item(root, table(resolved(item)), resolved)
        for path, item in table(root.get("paths")).items()
    }
    schemes = table(root.get("securityDefinitions"))
    security = {name: _security(table(resolved(one))) for name, one in schemes.items()}
    return root | {
        "openapi": VERSION,
        "servers": list(_servers(root, root)),
        "paths": paths,
        "components": {"securitySchemes": security},
    }


def _servers(root: Mapping[str, Any], holder: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The servers by the schemes of an operation, or of the whole description."""
    host = words(root.get("host"))
    base = "/" + words(root.get("basePath")).strip("/")
    for scheme in items(holder.get("schemes")) or ["http"]:
        yield {"url": f"{words(scheme)}://{host}{base}" if host else base}


def _security(scheme: dict[str, Any]) -> dict[str, Any]:
    return {"type": "http", "scheme": "basic"} if scheme.get("type") == "basic" else scheme


def _item(root: dict[str, Any], item: dict[str, Any], resolved: Resolved) -> dict[str, Any]:
    common = _by_name(item.get("parameters"), resolved)
    made: dict[str, Any] = {}
    for method, operation in item.items():
        if method == "parameters" or not isinstance(operation, dict):
            continue
        given = common | _by_name(operation.get("parameters"), resolved)
        own = {"servers": list(_servers(root, operation))} if operation.get("schemes") else {}
        others = [_parameter(one) for one in given.values() if _place(one) not in _IN_BODY]
        made[method] = operation | own | {"parameters": others} | _body(root, operation, given)
    return made


_IN_BODY = ("body", "formData")


def _place(parameter: Mapping[str, Any]) -> str:
    return words(parameter.get("in"))


def _by_name(given: Any, resolved: Resolved) -> dict[tuple[str, str], dict[str, Any]]:
    found = [table(resolved(one)) for one in items(given)]
    return {(_place(one), words(one.get("name"))): one for one in found}


def _parameter(given: dict[str, Any]) -> dict[str, Any]:
    """A parameter, whose type is its own schema here."""
    style = _STYLES.get(words(given.get("collectionFormat")) or "csv", {})
    if given.get("type") != "array":
        style = {}
    return (
        _value(given)
        | {key: given[key] for key in ("name", "in", "required") if key in given}
        | style
    )


def _value(given: dict[str, Any]) -> dict[str, Any]:
    return {"schema": given, **_example(given)}


def _example(given: dict[str, Any]) -> dict[str, Any]:
    found = [given[key] for key in _EXAMPLES if key in given]
    return {"example": found[0]} if found else {}


def _body(
    root: Mapping[str, Any],
    operation: Mapping[str, Any],
    given: Mapping[tuple[str, str], dict[str, Any]],
) -> dict[str, Any]:
    """The body: a parameter that is one, or the fields of a form."""
    kinds = items(operation.get("consumes")) or items(root.get("consumes"))
    bodies = [one for one in given.values() if _place(one) == "body"]
    fields = [one for one in given.values() if _place(one) == "formData"]
    if bodies:
        media = {"schema": bodies[0].get("schema", {})}
        return {"requestBody": {"content": {words(kind): media for kind in kinds or [JSON]}}}
    if not fields:
        return {}
    has_file = any(one.get("type") == "file" for one in fields)
    in_parts = has_file or (PARTS in kinds and FORM not in kinds)
    schema = {
        "type": "object",
        "required": [words(one.get("name")) for one in fields if one.get("required")],
        "properties": {words(one.get("name")): _field(one) for one in fields},
    }
    return {"requestBody": {"content": {PARTS if in_parts else FORM: {"schema": schema}}}}


def _field(one: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field; a file is binary."""
    if one.get("type") == "file":
        return {"type": "string", "format": "binary"}
    return {key: held for key, held in one.items() if key != "required"} | _example(one)
