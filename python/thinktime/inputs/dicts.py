"""A dict as the text of a file, and the dict's key for each line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from thinktime import _core
from thinktime.present.sanitize import is_text

_BARE = re.compile(r"[A-Za-z0-9_-]+")

IN_FILES = "a file has: write a text, a number, true or false, a list or a dict"
IN_SWEEPS = "varies: write a text, a number, true or false"
"""The accepted types of a value, in messages."""

Lines = list[tuple[str, str]]
"""The lines of a file, each with its key, as in `station[1].demand`; tables of a list count from 1,
as in messages about files."""


def toml_of(table: Mapping[str, Any]) -> str:
    """A dict as a TOML file.

    Raises InputError, with the key, if TOML does not have such a value.
    """
    return text_of(lines_of(table))


def present_keys(value: Any) -> Any:
    """A table of a workload or a system without the keys that have no value, as a file has it."""
    if isinstance(value, dict):
        return {key: present_keys(one) for key, one in value.items() if one is not None}
    return [present_keys(one) for one in value] if isinstance(value, list) else value


def text_of(lines: Lines) -> str:
    """The text of a file that has these lines."""
    return "".join(f"{line}\n" for line, _ in lines)


def lines_of(table: Mapping[str, Any]) -> Lines:
    """A dict as a TOML file with a line for each value, so that errors show the value.

    The first line is empty: it is the place of what is wrong with the whole dict.

    Raises InputError, with the key, if TOML does not have such a value.
    """
    try:
        return [("", ""), *_lines(table, "", "")]
    except RecursionError:
        raise _core.InputError("the dict is nested too deeply, or holds itself") from None


def by_key(message: str, source: str, lines: Lines) -> str:
    """A message about a line of the text of a dict, turned into one about its key."""
    found = re.match(rf"{re.escape(source)}:(\d+): (.*)", message, re.S)
    if found is None:
        return message
    number, said = int(found[1]), found[2]
    key = lines[number - 1][1] if 0 < number <= len(lines) else ""
    if not key or _says_key(said, {one.partition(".")[0].partition("[")[0] for _, one in lines}):
        return f"{source}: {said}"
    # The message of the TOML reader about the line alone is a part of the key.
    own = re.match(r"([\w.-]+): ", said)
    if own is not None and key.endswith(own[1]):
        said = said[own.end() :]
    return f"{source}: `{key}`: {said}"


def _says_key(said: str, first: set[str]) -> bool:
    """Whether a message begins with a key itself, as in `arrivals: needs a rate`."""
    found = re.match(r"([\w-]+)[^\s:]*: ", said)
    return found is not None and found[1] in first


def _lines(table: Mapping[str, Any], head: str, path: str) -> Iterator[tuple[str, str]]:
    """The lines of a table: its values first, because lines after a head belong to its table.

    A key of None is as one left out: `tables` of a workload or a system has all keys.
    """
    table = {name: value for name, value in table.items() if value is not None}
    for name, value in table.items():
        if not isinstance(value, Mapping) and not _are_tables(value):
            yield f"{_name(name)} = {_value(value, f'{path}{name}')}", f"{path}{name}"
    for name, value in table.items():
        inner, own = f"{head}{_name(name)}", f"{path}{name}"
        if isinstance(value, Mapping):
            yield f"[{inner}]", own
            yield from _lines(value, f"{inner}.", f"{own}.")
        elif _are_tables(value):
            for number, one in enumerate(value, start=1):
                yield f"[[{inner}]]", f"{own}[{number}]"
                yield from _lines(one, f"{inner}.", f"{own}[{number}].")


def _are_tables(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_list and all(isinstance(one, Mapping) for one in value)


def _value(value: Any, key: str) -> str:
    """A value under its key, in one line."""
    if isinstance(value, Mapping):
        held = ((name, one) for name, one in value.items() if one is not None)
        parts = (f"{_name(name)} = {_value(one, f'{key}.{name}')}" for name, one in held)
        return f"{{ {', '.join(parts)} }}"
    if isinstance(value, (list, tuple)):
        parts = (_value(one, f"{key}[{number}]") for number, one in enumerate(value, start=1))
        return f"[{', '.join(parts)}]"
    if isinstance(value, str):
        return _text(value)
    return plain(value, key)


def plain(value: object, key: str, right: str = IN_FILES) -> str:
    """A number, true or false as in a file; numbers of numpy are numbers too.

    Raises InputError for any other value, with the key and the `right` form.
    """
    try:
        found = value.item() if hasattr(value, "item") else value
    except (TypeError, ValueError):
        found = None  # an array of several numbers
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, (int, float)):
        return repr(found)
    raise _core.InputError(f"`{key}`: {type(value).__name__} is nothing that {right}")


def _name(name: object) -> str:
    return str(name) if _BARE.fullmatch(str(name)) else _text(name)


def _text(value: object) -> str:
    """Quoted as in TOML, which differs from JSON in one letter.

    Raises InputError if it contains half of a character, which no file can hold.
    """
    if not is_text(str(value)):
        raise _core.InputError(f"{str(value)[:60]!a} holds what is no character")
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
