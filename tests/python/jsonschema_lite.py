"""The little of JSON Schema that the tests look at."""

from __future__ import annotations

from typing import Any


def property_descriptions(schema: dict[str, Any]) -> dict[str, str]:
    """Every property of the schema and of its definitions, with its description."""
    found = {}
    for name, part in {"": schema, **schema.get("$defs", {})}.items():
        for key, value in part.get("properties", {}).items():
            found[f"{name}.{key}"] = value.get("description", "")
    return found
