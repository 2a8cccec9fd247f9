"""Workloads and systems as they are given: themselves, files, or what files would say as a dict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from thinktime import _core
from thinktime.shown import is_text

GivenWorkload = _core.Workload | Mapping[str, Any] | str | Path
GivenSystem = _core.System | Mapping[str, Any] | str | Path

Read = TypeVar("Read", _core.Workload, _core.System)


def workload_of(given: GivenWorkload) -> _core.Workload:
    """The workload.

    Raises InputError where there is no such file, or what it or the dict says is wrong.
    """
    return _read(_core.Workload, given)


def system_of(given: GivenSystem) -> _core.System:
    """The system.

    Raises InputError where there is no such file, or what it or the dict says is wrong.
    """
    return _read(_core.System, given)


def _read(kind: type[Read], given: Read | Mapping[str, Any] | str | Path) -> Read:
    if isinstance(given, kind):
        return given
    name = kind.__name__.lower()
    if isinstance(given, Mapping):
        return kind(toml_of(given), f"the dict of the {name}")
    if isinstance(given, (str, Path)):
        return kind.load(Path(given))
    raise _core.InputError(
        f"a {name} is a {kind.__name__}, the path of a file, or a dict, not {type(given).__name__}"
    )


def toml_of(table: Mapping[str, Any]) -> str:
    """A dict as a TOML file: a line a key, and tables in it as inline ones.

    Raises InputError where a value is one that TOML does not have, and says under which key.
    """
    try:
        lines = [f"{_text(key)} = {_value(one, str(key))}\n" for key, one in table.items()]
    except RecursionError:
        raise _core.InputError("the dict is nested too deeply, or holds itself") from None
    return "".join(lines)


def _value(value: Any, key: str) -> str:
    """A value under its key."""
    if isinstance(value, Mapping):
        parts = (f"{_text(name)} = {_value(one, f'{key}.{name}')}" for name, one in value.items())
        return f"{{ {', '.join(parts)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(one, f'{key}[{n}]') for n, one in enumerate(value))}]"
    if isinstance(value, str):
        return _text(value)
    return plain(value, key)


def plain(value: object, key: str) -> str:
    """A number, true or false as a file has it; numbers of numpy are numbers too.

    Raises InputError where it is none of these, and names the key.
    """
    try:
        found = value.item() if hasattr(value, "item") else value
    except (TypeError, ValueError):
        found = None  # an array of several numbers
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, (int, float)):
        return repr(found)
    raise _core.InputError(
        f"`{key}`: {type(value).__name__} is nothing that a file has: write a text, a number, "
        "true or false, a list or a dict"
    )


def _text(value: object) -> str:
    """Quoted as TOML does, which is as JSON does but for one letter.

    Raises InputError where there is half of a character in it, which no file can hold.
    """
    if not is_text(str(value)):
        raise _core.InputError(f"{str(value)[:60]!a} holds what is no character")
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
