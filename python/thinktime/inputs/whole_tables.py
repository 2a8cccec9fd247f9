"""`Workload.tables` and `System.tables` read back: whole tables as a file has them.

A table there has all keys of its schema. An absent key has its default, which another key may
forbid, as a closed model forbids a `process`; and a workload without populations has one without a
name. A table of a file lacks some key nearly always; if it has them all, a default says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from thinktime import _core


def as_in_file(kind: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    """A dict of a `workload` or a `system` without the defaults of whole tables.

    If its only population has no name, its tables are the dict's own.
    """
    found: dict[str, Any] = _Reader(_schema(kind)).table(tables, _schema(kind))
    several = found.get("population") or []
    if len(several) == 1 and several[0].get("name") == "":
        own = {key: value for key, value in several[0].items() if key != "name"}
        found = {key: value for key, value in found.items() if key != "population"} | own
    return found


@cache
def _schema(kind: str) -> dict[str, Any]:
    return dict(json.loads(_core.schema(kind)))


class _Reader:
    """Reads tables by a schema, which has the definitions that its parts refer to."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        self._definitions = whole.get("$defs", {})

    def table(self, table: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        properties = schema["properties"]
        is_whole = properties.keys() <= table.keys()
        kept = (key for key in table if not (is_whole and _is_default(table[key], properties, key)))
        return {key: self._value(table[key], properties.get(key, {})) for key in kept}

    def _value(self, value: Any, schema: Mapping[str, Any]) -> Any:
        forms = list(self._forms(schema))
        if isinstance(value, Mapping):
            tables = [form for form in forms if "properties" in form]
            # Of several forms, as a text or a table, at most one is a table in nearly all places.
            return self.table(value, tables[0]) if len(tables) == 1 else value
        if isinstance(value, list | tuple):
            items: Mapping[str, Any] = next((one["items"] for one in forms if "items" in one), {})
            return [self._value(one, items) for one in value]
        return value

    def _forms(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What a value may be, references followed."""
        if "$ref" in schema:
            yield from self._forms(self._definitions[schema["$ref"].rpartition("/")[2]])
        for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            yield from self._forms(one)
        yield schema


def _is_default(value: Any, properties: Mapping[str, Any], key: str) -> bool:
    """Whether a key says no more than if it were left out."""
    if key not in properties:
        return False
    default = properties[key].get("default", [])
    # True is no default of 1.
    return value is None or (type(value) is type(default) and value == default)
