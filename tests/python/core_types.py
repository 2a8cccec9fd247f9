"""Writes the types of the tables that the compiled half gives, as its JSON Schemas describe them:
`make types`."""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import thinktime

FILE = Path(__file__).resolve().parents[2] / "python/thinktime/_core_types.py"

ROOTS = {"workload": "WorkloadFile", "system": "SystemFile", "result": "Summary"}
"""By kind of schema, the name of its outermost table."""

_HEAD = '''"""The tables that `thinktime._core` gives, as `thinktime schema` describes them.

Written by `make types`: change the tables in Rust.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''

_SIMPLE = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}


def text() -> str:
    """The whole module, formatted."""
    found: dict[str, str] = {}
    for kind, name in ROOTS.items():
        found |= _Types(json.loads(thinktime.schema(kind)), all_keys=kind != "result").classes(name)
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"]
    whole = "\n\n".join([_HEAD, *found.values()])
    return subprocess.run(command, input=whole, capture_output=True, text=True, check=True).stdout


class _Types:
    """The types of one schema."""

    def __init__(self, schema: dict[str, Any], all_keys: bool) -> None:
        """`all_keys` says that no key is absent: those that a file leaves out have a default."""
        self._schema = schema
        self._all_keys = all_keys

    def classes(self, root: str) -> dict[str, str]:
        """By name, the definition of each table."""
        tables = {root: self._schema} | self._schema.get("$defs", {})
        return {name: self._class(name, one) for name, one in tables.items() if _is_table(one)}

    def _class(self, name: str, table: dict[str, Any]) -> str:
        keys = {key: self._key(table, key) for key in table["properties"]}
        if all(key.isidentifier() and not keyword.iskeyword(key) for key in keys):
            lines = [f"    {key}: {one}" for key, one in keys.items()]
            return "\n".join([f"class {name}(TypedDict):", *lines])
        pairs = ", ".join(f'"{key}": {json.dumps(one)}' for key, one in keys.items())
        return f'{name} = TypedDict("{name}", {{{pairs},}})'

    def _key(self, table: dict[str, Any], key: str) -> str:
        part = table["properties"][key]
        kinds = list(dict.fromkeys(self._kinds(part)))
        if self._all_keys:
            absent = isinstance(part, dict) and part.get("default") is not None
            return " | ".join(one for one in kinds if not (absent and one == "None"))
        if key in table.get("required", []):
            return " | ".join(kinds)
        return f"NotRequired[{' | '.join(one for one in kinds if one != 'None')}]"

    def _kinds(self, part: Any) -> Iterator[str]:
        """The types of a part's alternatives."""
        if not isinstance(part, dict):
            yield "Any"
        elif "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            table = self._schema["$defs"][name]
            yield from [name] if _is_table(table) else self._kinds(table)
        elif "anyOf" in part or "oneOf" in part:
            alternatives = part.get("anyOf") or part["oneOf"]
            words = [one["const"] for one in alternatives if "const" in one]
            words += [word for one in alternatives for word in one.get("enum", [])]
            if words:
                yield f"Literal[{', '.join(map(json.dumps, words))}]"
            for one in alternatives:
                if "const" not in one and "enum" not in one:
                    yield from self._kinds(one)
        else:
            types = part.get("type", "any")
            for one in [types] if isinstance(types, str) else types:
                yield self._simple(one, part)

    def _simple(self, kind: str, part: dict[str, Any]) -> str:
        if kind == "array":
            return f"list[{' | '.join(dict.fromkeys(self._kinds(part.get('items'))))}]"
        if kind == "object":
            others = part.get("additionalProperties") or next(
                iter(part.get("patternProperties", {}).values()), None
            )
            if "properties" in part:
                others = None
            return f"dict[str, {' | '.join(dict.fromkeys(self._kinds(others)))}]"
        return _SIMPLE.get(kind, "Any")


def _is_table(part: dict[str, Any]) -> bool:
    """Whether it is a table whose keys are all known."""
    return "properties" in part and part.get("additionalProperties") is False


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
