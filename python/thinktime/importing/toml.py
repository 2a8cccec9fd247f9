"""Values and comments as TOML writes them, whatever they contain."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 98
INTEGERS = range(-(2**63), 2**63)
DEPTH_MAX = 30
"""Values of JSON that are nested deeper stay texts."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NOT_IN_TOML = re.compile("[\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def quoted(text: str) -> str:
    """A text as a basic string; a code that is not a Unicode character becomes a sign for that."""

    def escaped(found: re.Match[str]) -> str:
        code = ord(found[0])
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"

    return _NOT_IN_TOML.sub(escaped, json.dumps(text, ensure_ascii=False))


def key(name: str) -> str:
    """A key, in quotes if necessary."""
    return name if _BARE.fullmatch(name) else quoted(name)


def value(given: Any) -> str:
    """A text, a number, a truth, a list or a table, in one line.

    Raises:
        ValueError: TOML has no such value: see `fits`.
    """
    match given:
        case bool():
            return "true" if given else "false"
        case str():
            return quoted(given)
        case int() if given in INTEGERS:
            return str(given)
        case float() if math.isfinite(given):
            return repr(given)
        case Mapping():
            pairs = ", ".join(f"{key(name)} = {value(one)}" for name, one in given.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case Sequence():
            return f"[{', '.join(map(value, given))}]"
    raise ValueError(f"TOML has no value for {given!r}")


def fits(given: Any, depth: int = 0) -> bool:
    """Whether TOML can hold a value of JSON: it has no null, and whole numbers of 64 bits."""
    match given:
        case bool() | str():
            return True
        case int():
            return given in INTEGERS
        case float():
            return math.isfinite(given)
        case dict():
            inner: Any = given.values()
        case list():
            inner = given
        case _:
            return False
    return depth < DEPTH_MAX and all(fits(one, depth + 1) for one in inner)


def line(text: str) -> str:
    """A text in one line, without characters that could end a comment or disturb a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def comment(text: str, indent: str = "") -> list[str]:
    """A comment, broken into lines; the lines after the first one are indented."""
    lines, now = [], "#"
    for word in line(text).split(" "):
        if len(now) + 1 + len(word) > WIDTH and now.strip("# "):
            lines.append(now)
            now = "#" + indent
        now += f" {word}"
    return [*lines, now]
