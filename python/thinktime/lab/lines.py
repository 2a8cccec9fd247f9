"""TOML whose errors name file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime import InputError

HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+)\s*\]\]?")
KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")

REQUIRED: Any = object()
"""The default of a required key."""


@dataclass(frozen=True)
class Key:
    """The accepted values of a key of a table."""

    read: Callable[[Any], Any]
    """Makes a value from TOML's; raises ValueError, whose message describes a right one."""

    default: Any = REQUIRED


@dataclass(frozen=True)
class Entry:
    """One table of a file."""

    path: Path
    name: str
    """As in `link`; empty for the part before the first table."""

    said: Mapping[str, Any]
    lines: Mapping[str, int]
    """The line of each key, and the table's under the empty name."""

    def error(self, key: str, message: str) -> InputError:
        """An error about a key of this table; about the table itself if the key is empty."""
        where = ".".join(filter(None, (self.name, key)))
        line = self.lines.get(key, self.lines.get("", 1))
        return InputError(f"{self.path}:{line}: {f'{where}: ' if where else ''}{message}")

    def unknown(self, key: str, hint: str) -> InputError:
        """An error about a missing key."""
        line = self.lines.get(key, self.lines.get("", 1))
        return InputError(f"{self.path}:{line}: unknown key `{key}`: {hint}")

    def read(self, keys: Mapping[str, Key]) -> dict[str, Any]:
        """The values of all these keys.

        Raises:
            InputError: A key is unknown, missing, or its value is wrong.
        """
        for key in self.said:
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(keys)}"
                raise self.unknown(key, hint)
        return {name: self._value(name, key) for name, key in keys.items()}

    def _value(self, name: str, key: Key) -> Any:
        if name not in self.said:
            if key.default is REQUIRED:
                raise self.error("", f"`{name}` is missing")
            return key.default
        try:
            return key.read(self.said[name])
        except ValueError as error:
            raise self.error(name, str(error)) from None


def read(path: Path) -> tuple[Entry, dict[str, list[Entry]]]:
    """The part before the first table of a file, and its tables in lists by name.

    Raises:
        InputError: It is not TOML.
        OSError: It cannot be read.
    """
    try:
        text = path.read_text("utf-8")
        said = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text in UTF-8: {error.reason}") from None
    except (ValueError, RecursionError) as error:
        found = re.search(r" \(at line (\d+), .*\)", str(error))
        line = f":{found[1]}" if found else ""
        raise InputError(f"{path}{line}: {str(error).split(' (at ')[0]}") from None
    places = _places(text)
    plain = {key: value for key, value in said.items() if not _is_tables(value)}
    tables = {
        name: [
            Entry(path, name, values, places.get((name, number), {}))
            for number, values in enumerate(entries)
        ]
        for name, entries in said.items()
        if _is_tables(entries)
    }
    return Entry(path, "", plain, places.get(("", 0), {})), tables


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _places(text: str) -> dict[tuple[str, int], dict[str, int]]:
    """The lines of keys by (table, its number). A key of several words has none."""
    found: dict[tuple[str, int], dict[str, int]] = {("", 0): {}}
    seen: dict[str, int] = {}
    here = found["", 0]
    for number, header, key in _marks(text):
        if header:
            at = seen.get(header, 0)
            seen[header] = at + 1
            here = found[header, at] = {"": number}
        else:
            here.setdefault(key, number)
    return found


def _marks(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, table or nothing, key or nothing) of each line that begins a table or has a key."""
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            yield number, header[1], ""
        elif key := KEY.match(line):
            yield number, "", key[1]
