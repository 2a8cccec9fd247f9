"""Parameters of OpenAPI as they are sent: the styles of paths, queries and header fields.

Source: https://spec.openapis.org/oas/v3.1.0#style-values
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from thinktime.importing.parsers import table, words

DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
"""The signs between the values of a list; the last one is of Swagger 2.0."""

RESERVED = ":/?[]@!$'()*,;"
"""Characters of URLs that stay if the parameter allows it; `#`, `&`, `=` and `+` have a meaning."""


def plain(given: Any) -> str:
    """A value as a text; lists have commas, tables are JSON."""
    if isinstance(given, list):
        return ",".join(map(plain, given))
    if isinstance(given, dict):
        return json.dumps(given, default=str)
    return words(given) or str(given)


def in_query(parameter: Mapping[str, Any], given: Any) -> list[str]:
    """The parts of a query that send a value."""
    name, safe = _coded(words(parameter.get("name"))), _safe(parameter)
    style = words(parameter.get("style")) or "form"
    if table(parameter.get("content")):
        return [f"{name}={_coded(_json(given), safe)}"]
    if style == "deepObject" and isinstance(given, dict):
        return [f"{key}={_coded(plain(one), safe)}" for key, one in _deep(name, given)]
    if not isinstance(given, list | dict):
        return [f"{name}={_coded(plain(given), safe)}"]
    if parameter.get("explode", style == "form"):
        if isinstance(given, dict):
            return [f"{_coded(key)}={_coded(plain(one), safe)}" for key, one in given.items()]
        return [f"{name}={_coded(plain(one), safe)}" for one in given]
    between = DELIMITERS.get(style, ",")
    return [f"{name}={between.join(_coded(one, safe) for one in _flat(given))}"]


def in_path(parameter: Mapping[str, Any], given: Any) -> str:
    """The text that stands for a parameter in a path."""
    name, style = _coded(words(parameter.get("name"))), words(parameter.get("style"))
    apart = bool(parameter.get("explode"))
    if table(parameter.get("content")):
        return _coded(_json(given))
    before = {"label": ".", "matrix": ";"}.get(style, "")
    if isinstance(given, dict) and apart:
        pairs = [f"{_coded(key)}={_coded(plain(one))}" for key, one in given.items()]
        return before + (before or ",").join(pairs)
    own = f"{name}=" if style == "matrix" else ""
    values = list(map(_coded, _flat(given)))
    if apart and before:
        return "".join(f"{before}{own}{one}" for one in values)
    return before + own + ",".join(values)


def in_header(parameter: Mapping[str, Any], given: Any) -> str:
    """The value of a header field."""
    if table(parameter.get("content")):
        return _json(given)
    if isinstance(given, dict) and parameter.get("explode"):
        return ",".join(f"{key}={plain(one)}" for key, one in given.items())
    return ",".join(_flat(given))


def _flat(given: Any) -> list[str]:
    """The values of a list, the keys and values of a table, or the value alone."""
    if isinstance(given, dict):
        return [plain(part) for pair in given.items() for part in pair]
    return [plain(one) for one in (given if isinstance(given, list) else [given])]


def _deep(name: str, given: Any) -> Iterator[tuple[str, Any]]:
    """The keys and values of a table, as in `filter[a]`."""
    if isinstance(given, dict):
        for key, one in given.items():
            yield from _deep(f"{name}[{_coded(key)}]", one)
    elif isinstance(given, list):
        yield from ((name, one) for one in given)
    else:
        yield name, given


def _json(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, default=str)


def _safe(parameter: Mapping[str, Any]) -> str:
    return RESERVED if parameter.get("allowReserved") is True else ""


def _coded(text: str, safe: str = "") -> str:
    return quote(text, safe=safe, errors="replace")
