"""Values for an OpenAPI schema: its example, its default, its first choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from typing import Any

from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table

DEPTH_MAX = 12
VALUES_MAX = 2000
"""A value has at most this many parts: schemas may refer to themselves."""

PROPERTIES_MAX = 500
"""The limit for one object."""

REFERENCES_MAX = 50

_BY_FORMAT = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "name@example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "AA==",
}


@dataclass
class Examples:
    """Makes values by the schemas of one document."""

    root: dict[str, Any]
    notes: Notes
    left: int = VALUES_MAX
    within: list[str] = field(default_factory=list)
    """The references around the current value: a schema may contain itself."""

    def resolved(self, given: Any) -> Any:
        """The target of a reference within the document; nothing if it leads elsewhere."""
        for _ in range(REFERENCES_MAX):
            reference = table(given).get("$ref")
            if not isinstance(reference, str):
                return given
            if not reference.startswith("#/"):
                self.notes.add(reference, "not followed: it leads out of the file")
                return None
            given = self.root
            for part in reference[2:].split("/"):
                given = table(given).get(part.replace("~1", "/").replace("~0", "~"))
            if given is None:
                self.notes.add(reference, "leads nowhere")
        return None

    def of_parameter(self, parameter: Mapping[str, Any]) -> tuple[bool, Any]:
        """Whether the document gives a value, and the value; else one made from its type."""
        media = next(iter(table(parameter.get("content")).values()), parameter)
        return self.of_media(table(media))

    def of_media(self, media: Mapping[str, Any]) -> tuple[bool, Any]:
        """The same of a body in one media type."""
        self.left = VALUES_MAX
        if "example" in media:
            return True, plain(media["example"])
        for one in table(media.get("examples")).values():
            one = table(self.resolved(one))
            if "value" in one:
                return True, plain(one["value"])
        schema = self.resolved(media.get("schema"))
        return self._says(schema), self._value(schema, 0)

    def _says(self, schema: Any) -> bool:
        """Whether a schema gives values anywhere on its first two levels."""
        schema = table(schema)
        inner = [schema, *(table(self.resolved(one)) for one in _parts(schema))]
        keys = ("example", "examples", "default", "enum", "const")
        return any(key in one for one in inner for key in keys)

    def _value(self, schema: Any, depth: int) -> Any:
        reference = str(table(schema).get("$ref", ""))
        self.within.append(reference)
        try:
            return self._made(table(self.resolved(schema)), depth)
        finally:
            self.within.pop()

    def _repeats(self, schema: Any) -> bool:
        return table(schema).get("$ref") in self.within

    def _made(self, schema: dict[str, Any], depth: int) -> Any:
        self.left -= 1
        if depth > DEPTH_MAX or self.left < 0:
            return {}
        for key in ("example", "const", "default"):
            if key in schema:
                return plain(schema[key])
        for key in ("examples", "enum"):
            if items(schema.get(key)):
                return plain(schema[key][0])
        if items(schema.get("allOf")):
            return self._together(schema, depth)
        for key in ("oneOf", "anyOf"):
            if items(schema.get(key)):
                return self._value(schema[key][0], depth + 1)
        return self._of_type(schema, depth)

    def _together(self, schema: dict[str, Any], depth: int) -> Any:
        whole: dict[str, Any] = {}
        for one in [
            *schema["allOf"][:PROPERTIES_MAX],
            {k: v for k, v in schema.items() if k != "allOf"},
        ]:
            made = self._value(one, depth + 1)
            whole |= made if isinstance(made, dict) else {}
        return whole

    def _of_type(self, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):  # 3.1
            kind = next((one for one in kind if one != "null"), None)
        if kind == "object" or "properties" in schema:
            return {
                str(name): self._value(one, depth + 1)
                for name, one in islice(table(schema.get("properties")).items(), PROPERTIES_MAX)
                if not self._repeats(one) and not table(self.resolved(one)).get("readOnly")
            }
        if kind == "array":
            inner = schema.get("items")
            return [] if self._repeats(inner) else [self._value(inner, depth + 1)]
        if kind in ("integer", "number"):
            return _number(schema, 1 if kind == "integer" else 1.0)
        if kind == "boolean":
            return True
        if kind is None and depth == 0 and not schema:
            return "1"
        length = schema.get("minLength")
        least = length if isinstance(length, int) and 0 < length <= 1000 else 0
        return _BY_FORMAT.get(str(schema.get("format")), "text").ljust(least, "x")


def _number(schema: Mapping[str, Any], usual: int | float) -> int | float:
    least = schema.get("minimum")
    if isinstance(least, int | float) and least > usual:
        return least
    most = schema.get("maximum")
    return most if isinstance(most, int | float) and most < usual else usual


def _parts(schema: Mapping[str, Any]) -> list[Any]:
    properties = islice(table(schema.get("properties")).values(), PROPERTIES_MAX)
    parts = [*properties, *items(schema.get("allOf"))[:PROPERTIES_MAX]]
    return [*parts, schema["items"]] if "items" in schema else parts


def plain(given: Any, depth: int = 0) -> Any:
    """A value as in JSON: YAML also has dates, and keys that are not texts."""
    if isinstance(given, date | datetime):
        return given.isoformat()
    if isinstance(given, dict) and depth < DEPTH_MAX:
        return {str(name): plain(one, depth + 1) for name, one in given.items()}
    if isinstance(given, list) and depth < DEPTH_MAX:
        return [plain(one, depth + 1) for one in given]
    return given if isinstance(given, str | int | float | bool | None) else str(given)[:100]
