"""TOML whose errors name file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.inputs.key_lines import line_of

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
    text: str = ""
    """The whole file."""

    number: int = 0
    """The number of this table among those of its name, from 0."""

    def line(self, key: str = "") -> int:
        """The line of a key, or that of the table."""
        table = (self.name, self.number) if self.name else ()
        return line_of(self.text, (*table, key) if key else table) or 1

    def error(self, key: str, message: str) -> InputError:
        """An error about a key of this table; about the table itself if the key is empty."""
        where = ".".join(filter(None, (self.name, key)))
        return InputError(f"{self.path}:{self.line(key)}: {f'{where}: ' if where else ''}{message}")

    def unknown(self, key: str, hint: str) -> InputError:
        """An error about a missing key."""
        return InputError(f"{self.path}:{self.line(key)}: unknown key `{key}`: {hint}")

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
    plain = {key: value for key, value in said.items() if not _is_tables(value)}
    tables = {
        name: [Entry(path, name, values, text, number) for number, values in enumerate(entries)]
        for name, entries in said.items()
        if _is_tables(entries)
    }
    return Entry(path, "", plain, text), tables


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
