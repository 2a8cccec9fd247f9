"""The reference of all keys of workload and system files, made of their JSON Schemas.

`python -m thinktime.reference.keys FILE` writes it; `make site` puts it on the site.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import thinktime

_HEAD = """# All keys of files

Made of what `thinktime schema workload` and `thinktime schema system` print, by
`python -m thinktime.reference.keys`. [The workload file](workload-file.md) and [the system
file](system-file.md) say how the keys go together, and have examples. A *value* is a number, alone
or with a unit (`"5ms"`, `"12/s"`, `"1%"`), or a text such as a distribution, as the key allows.
"""
KINDS = {"workload": "Workload files", "system": "System files"}
_NAMES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
}


def text() -> str:
    """The whole page in Markdown."""
    parts = [_HEAD]
    for kind, title in KINDS.items():
        parts.append(f"## {title}\n")
        parts += _Page(json.loads(thinktime.schema(kind))).sections()
    return "\n".join(parts).rstrip() + "\n"


class _Page:
    """The tables of one kind of file, from the outermost to the innermost."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._places: dict[str, str] = {}
        """Definitions of tables, each with its notation at its first occurrence."""

    def sections(self) -> Iterator[str]:
        yield from self._rows(self._schema)
        found = self._tables("", self._schema)
        while found:
            place, name = found.pop(0)
            if name not in self._places:
                self._places[name] = place
                found += self._tables(place, self._schema["$defs"][name])
        for name, place in self._places.items():
            table = self._schema["$defs"][name]
            yield f"### `{place}`\n"
            yield f"{_escaped(table['description'])}\n"
            yield from self._rows(table)

    def _tables(self, place: str, table: dict[str, Any]) -> list[tuple[str, str]]:
        """The tables inside a table: the notation of each, and the name of its definition."""
        outer = place.strip("[]")
        found = []
        for key, part in table.get("properties", {}).items():
            for name, is_list, is_named in self._met(part):
                inner = f"{outer}.{key}" if outer else key
                inner = f"{inner}.NAME" if is_named else inner
                found.append((f"[[{inner}]]" if is_list else f"[{inner}]", name))
        return found

    def _met(
        self, part: Any, is_list: bool = False, is_named: bool = False
    ) -> Iterator[tuple[str, bool, bool]]:
        """The definitions of tables that a part refers to."""
        if not isinstance(part, dict):
            return
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            definition = self._schema["$defs"][name]
            if "properties" in definition:
                yield name, is_list, is_named
            else:
                yield from self._met(definition, is_list, is_named)
        for one in (*part.get("anyOf", []), *part.get("oneOf", [])):
            yield from self._met(one, is_list, is_named)
        yield from self._met(part.get("items"), True, is_named)
        yield from self._met(part.get("additionalProperties"), is_list, True)

    def _rows(self, table: dict[str, Any]) -> Iterator[str]:
        lines = ["| key | is | meaning |", "|---|---|---|"]
        for key, part in table["properties"].items():
            words = part.get("description", "")
            words += "".join(self._alternatives(part, words))
            if key in table.get("required", []):
                words += " Required."
            if part.get("default") not in (None, [], {}):
                words += f" By default `{json.dumps(part['default'])}`."
            lines.append(f"| `{key}` | {self._kind(part)} | {_escaped(words)} |")
        yield "\n".join(lines) + "\n"

    def _alternatives(self, part: dict[str, Any], known_names: str) -> Iterator[str]:
        """Choices of a text that were not listed already, and keys of a table without a name."""
        for one in self._resolved(part):
            choice = f'"{one.get("const")}"'
            if "const" in one and choice not in known_names:
                yield f" `{choice}`: {one['description']}"
            if "properties" in one and one not in self._schema["$defs"].values():
                for key, inner in one["properties"].items():
                    words = inner.get("description", "the value")
                    yield f" As a table, `{key}`: {words.rstrip('.').lower()}."

    def _resolved(self, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A part's alternatives, with references replaced by definitions."""
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            yield from self._resolved(self._schema["$defs"][name])
        elif "anyOf" in part or "oneOf" in part:
            for one in (*part.get("anyOf", []), *part.get("oneOf", [])):
                yield from self._resolved(one)
        else:
            yield part

    def _kind(self, part: Any) -> str:
        """The type of a key's value, in words."""
        if not isinstance(part, dict):
            return "anything"
        if part.get("$ref", "").endswith("/Scalar"):
            return "value"
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            definition = self._schema["$defs"][name]
            return "table" if "properties" in definition else self._kind(definition)
        if "anyOf" in part or "oneOf" in part:
            alternatives = (*part.get("anyOf", []), *part.get("oneOf", []))
            kinds = [self._kind(one) for one in alternatives if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
        return self._simple(part)

    def _simple(self, part: dict[str, Any]) -> str:
        types = part.get("type", "anything")
        types = [one for one in ([types] if isinstance(types, str) else types) if one != "null"]
        kinds = []
        for one in types:
            if one == "array":
                kinds.append(f"list, each {self._kind(part.get('items'))}")
            elif one == "object":
                others = part.get("additionalProperties")
                named = isinstance(others, dict)
                kinds.append(f"table, by name {self._kind(others)}" if named else "table")
            else:
                kinds.append("text" if "const" in part else _NAMES.get(one, one))
        return " or ".join(kinds)


def _escaped(words: str) -> str:
    """Text in one line, for a cell of a table."""
    return " ".join(words.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), "utf-8")
