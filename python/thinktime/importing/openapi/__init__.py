"""OpenAPI 3 and Swagger 2.0, descriptions of an interface, in JSON or YAML.

Source: https://spec.openapis.org/oas/v3.1.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from thinktime import InputError
from thinktime.importing import content, yaml_text
from thinktime.importing.addresses import Address, address, one_origin, target
from thinktime.importing.draft import DEFAULT_RATE, Body, Draft, Population, Request, name_of, stem
from thinktime.importing.notes import Notes
from thinktime.importing.openapi import parameters, swagger
from thinktime.importing.openapi.examples import Examples
from thinktime.importing.openapi.parameters import plain
from thinktime.importing.parsers import from_json, items, table, words

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
OPERATIONS_MAX = 5000
NO_SERVER = Address("", "")


@dataclass
class Interface:
    """A description on its way into requests."""

    root: dict[str, Any]
    examples: Examples
    notes: Notes
    server: Address = NO_SERVER


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of an interface: each operation is as likely as any other.

    Raises:
        InputError: It is not OpenAPI 3, or describes no operation.
    """
    read = from_json if text.lstrip().startswith("{") else yaml_text.read
    root = table(read(text, file))
    notes = Notes()
    version = words(root.get("openapi"))
    kind = f"OpenAPI {version}" if version else "a file without `openapi`"
    if not version and words(root.get("swagger")) in ("2.0", "2"):
        kind, root = "Swagger 2.0", swagger.as_openapi(root, Examples(root, notes).resolved)
    elif not version.startswith("3."):
        kind = f"Swagger {words(root['swagger'])}" if "swagger" in root else kind
        raise InputError(f"{file}: {kind} is not read; OpenAPI 3 and Swagger 2.0 are")
    one = Interface(root, Examples(root, notes), notes)
    one.server = _server(one, root, "servers") or one.server
    _note_security(one)
    found = list(_operations(one))
    main = one.server.origin
    usual = [request for request in found if main and request.origin == main]
    origin, requests = one_origin(found, notes, telling=usual)
    if not requests:
        raise InputError(f"{file}: describes no operation under `paths`{notes.reasons()}")
    each = f"each of its {len(requests)} operations comes by itself, all equally often (`weight`)"
    why = (
        "Open: a description of an interface gives no visits and no order; so "
        f"{each if len(requests) > 1 else 'its operation comes by itself'}. The rate is a default "
        "to be changed."
    )
    population = Population({"model": "open", "rate": DEFAULT_RATE}, why, requests)
    population.weights = dict.fromkeys(requests, 1.0)
    title = words(table(root.get("info")).get("title"))
    return Draft(title or stem(name), f"{name} ({kind})", [population], notes, origin)


def _server(one: Interface, holder: Mapping[str, Any], place: str) -> Address | None:
    """The first server of a description, a path or an operation: its origin and its base path."""
    servers = [table(server) for server in items(holder.get("servers"))]
    if not servers:
        return None
    for server in servers[1:]:
        one.notes.add(place, f"{words(server.get('url'))}: only the first server is taken")
    variables = table(servers[0].get("variables"))
    url = re.sub(
        r"\{([^}]*)\}",
        lambda found: words(table(variables.get(found[1])).get("default")),
        words(servers[0].get("url")),
    )
    found = address(url or "/", place, one.notes)
    return found and Address(found.origin, found.target.partition("?")[0].rstrip("/"))


def _note_security(one: Interface) -> None:
    schemes = table(table(one.root.get("components")).get("securitySchemes"))
    instead = {
        "bearer": '; put `bearer = "env:TOKEN"` into the table of clients',
        "basic": '; put `basic = "env:USER_AND_PASSWORD"` into the table of clients',
    }
    for name, scheme in schemes.items():
        scheme = table(one.examples.resolved(scheme))
        kind = words(scheme.get("type"))
        how = words(scheme.get("scheme")).lower()
        text = f"the security scheme (`{kind}`{f', {how}' if how else ''}) is left out"
        one.notes.add(f"securitySchemes.{name}", text + instead.get(how, ""))


def _operations(one: Interface) -> Iterator[Request]:
    count = 0
    for path, item in table(one.root.get("paths")).items():
        item = table(one.examples.resolved(item))
        if "additionalOperations" in item:
            one.notes.add(f"paths.{path}", "`additionalOperations` are left out")
        for method in METHODS:
            operation = item.get(method)
            if not isinstance(operation, dict):
                continue
            count += 1
            if count > OPERATIONS_MAX:
                one.notes.add(f"paths.{path}", f"more than {OPERATIONS_MAX} operations")
                return
            yield _operation(one, str(path), method.upper(), item, operation)
    for name in ("webhooks", "callbacks"):
        if table(one.root.get(name)):
            one.notes.add(name, "left out: requests that the server makes")


def _operation(
    one: Interface, path: str, method: str, item: Mapping[str, Any], operation: Mapping[str, Any]
) -> Request:
    place = f"{method} {path}"
    server = _server(one, operation, place) or _server(one, item, place) or one.server
    path, query, pairs = _parameters(one, path, place, item, operation)
    if table(operation.get("callbacks")):
        one.notes.add(place, "the callbacks are left out: requests that the server makes")
    if operation.get("security"):
        schemes = [str(name) for need in items(operation["security"]) for name in table(need)]
        if schemes:
            one.notes.add(place, f"needs the security scheme {', '.join(schemes)}, left out")
    fields = content.headers(pairs, place, one.notes)
    body = _body(one, place, operation, fields)
    whole = target(server.target + path, query, place, one.notes)
    name = words(operation.get("operationId")) or name_of(method, path)
    request = Request(name, method, whole, fields, body, server.origin, place)
    request.about = words(operation.get("summary")) or place
    return request


def _parameters(
    one: Interface, path: str, place: str, item: Mapping[str, Any], operation: Mapping[str, Any]
) -> tuple[str, str, list[tuple[str, str]]]:
    """The path with its parameters, the query, and the header fields."""
    known: dict[tuple[str, str], dict[str, Any]] = {}
    for given in [*items(item.get("parameters")), *items(operation.get("parameters"))]:
        parameter = table(one.examples.resolved(given))
        known[words(parameter.get("in")), words(parameter.get("name"))] = parameter
    query: list[str] = []
    fields: list[tuple[str, str]] = []
    for (where, name), parameter in known.items():
        found, given = one.examples.of_parameter(parameter)
        if where == "path":
            path = path.replace("{" + name + "}", parameters.in_path(parameter, given))
            if not found:
                one.notes.add(place, f"the parameter `{name}` has no example: {given!r} is sent")
        elif not found and not parameter.get("required"):
            one.notes.add(place, f"the parameter `{name}` has no example: it is not sent")
        elif where == "query":
            query += parameters.in_query(parameter, given)
        elif where == "header":
            fields.append((name, parameters.in_header(parameter, given)))
        elif where == "cookie":
            one.notes.add(place, f"the cookie `{name}` is left out")
    return path, "&".join(query), fields


def _body(
    one: Interface, place: str, operation: Mapping[str, Any], fields: dict[str, str]
) -> Body | None:
    asked = table(one.examples.resolved(operation.get("requestBody")))
    kinds = table(asked.get("content"))
    if not kinds:
        return None
    order = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
    chosen = next((kind for kind in order if kind in kinds), next(iter(kinds)))
    for kind in kinds:
        if kind != chosen:
            one.notes.add(place, f"the body as {kind} is left out: {chosen} is sent")
    media = str(chosen).partition(";")[0].strip().lower()
    if "encoding" in table(kinds[chosen]):
        one.notes.add(place, "the `encoding` of the body is left out")
    found, given = one.examples.of_media(table(kinds[chosen]))
    if not found:
        one.notes.add(place, "the body has no examples: its values are made of the types")
    if media == "application/json" or media.endswith("+json"):
        if media != "application/json":
            content.set_type(fields, media)
        return content.of_value(given, fields)
    if media in order and isinstance(given, dict):
        files = _files(one, table(kinds[chosen]))
        if files & set(given):
            one.notes.add(place, "the files of the form are left out: files are not read")
        pairs = [(str(name), plain(held)) for name, held in given.items() if name not in files]
        made = content.of_parts if media.startswith("multipart/") else content.of_fields
        return made(pairs, fields)
    if isinstance(given, str) and media.startswith("text/"):
        content.set_type(fields, media)
        return Body("text", given)
    one.notes.add(place, f"the body as {media} is left out")
    return None


def _files(one: Interface, media: Mapping[str, Any]) -> set[str]:
    """The fields of a form that are files."""
    schema = table(one.examples.resolved(media.get("schema")))
    fields = {
        name: table(one.examples.resolved(field))
        for name, field in table(schema.get("properties")).items()
    }
    whole = {name: table(one.examples.resolved(f.get("items", f))) for name, f in fields.items()}
    return {str(name) for name, field in whole.items() if field.get("format") == "binary"}
