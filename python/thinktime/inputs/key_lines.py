"""The lines of keys in the text of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Key = tuple[str | int, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_PATH})\s*\]")
_KEY = re.compile(rf"\s*({_PATH})\s*=")


def line_of(text: str, key: Sequence[str | int]) -> int:
    """The line of a key, as in `("request", 0, "retry")`, or of the nearest table around it.

    Lines count from 1, and tables of a list from 0. It is 0 if not even a table around it is there,
    as for the whole file. Keys within braces have the line of their table.
    """
    lines: dict[Key, int] = {}
    for number, found in _keys(text):
        for end in range(1, len(found) + 1):
            lines.setdefault(found[:end], number)
    wanted = tuple(key)
    return next(
        (lines[wanted[:end]] for end in range(len(wanted), 0, -1) if wanted[:end] in lines), 0
    )


def _keys(text: str) -> Iterator[tuple[int, Key]]:
    """The line and the whole path of each table and of each key that begins a line."""
    counted: dict[Key, int] = {}
    here: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            here = ()
            parts = _parts(header[2])
            for at, part in enumerate(parts):
                here = (*here, part)
                if header[1] == "[[" and at == len(parts) - 1:
                    counted[here] = counted.get(here, -1) + 1
                if here in counted:
                    here = (*here, counted[here])
            yield number, here
        elif found := _KEY.match(line):
            yield number, (*here, *_parts(found[1]))


def _parts(path: str) -> list[str]:
    return [one.strip("\"'") for one in re.findall(_PART, path)]
