"""Texts of scripts with gaps: the parts that only a run would show.

A text keeps the expression of each gap until a request sends it. Then the expression's name stands
in its place, with a note; a gap in the host leaves the host open, as `--target` says it anyway.
"""

from __future__ import annotations

import re
from typing import Any

from thinktime.importing.draft import plain
from thinktime.importing.notes import Notes

_BEGIN, _END = "\ue000", "\ue001"
"""Characters for private use: no text of a script has a meaning for them."""

_GAP = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}")
_HOST = re.compile(rf"(?:[a-z]{{1,10}}://)?[^/?#{_BEGIN}{_END}]*{_GAP.pattern}[^/?#{_BEGIN}]*")
_SECOND = re.compile(rf"(?:{_GAP.pattern}|:)[^/?#{_BEGIN}]*")
NAME_MAX = 40


def gap(expression: str) -> str:
    """A gap for an expression."""
    text = " ".join(expression.split())[:80]
    return f"{_BEGIN}{text.replace(_BEGIN, '').replace(_END, '')}{_END}"


def unescaped(text: str) -> str:
    """A JSON text whose gaps are not written as escapes."""
    return text.replace("\\ue000", _BEGIN).replace("\\ue001", _END)


def has(held: Any) -> bool:
    """Whether a value is a text with a gap."""
    return isinstance(held, str) and _GAP.search(held) is not None


def filled(text: str, place: str, notes: Notes) -> str:
    """A text in which the name of each expression stands in its gap, with a note."""

    def one(found: re.Match[str]) -> str:
        said = f"the value `{found[1]}` is known only in a run: its name stands in its place"
        notes.add(place, said)
        return _name(found[1])

    return _GAP.sub(one, text)


def named(text: str) -> str:
    """A text for a name: its gaps have their names, without a note."""
    return _GAP.sub(lambda found: _name(found[1]), text)


def of_url(url: str, place: str, notes: Notes) -> str:
    """A URL without gaps; its host is left open if it has one."""
    host = _HOST.match(url)
    if host is not None and (url.startswith(_BEGIN) or "://" in host[0]):
        end = host.end()
        if "://" in host[0]:  # further gaps before the path, as that of a port
            while (more := _SECOND.match(url, end)) is not None:
                end = more.end()
        first = _GAP.search(host[0])
        expression = first[1] if first else ""
        notes.add(place, f"`{expression}` has no value here: say the host as `--target`")
        url = url[end:]
        url = url if url.startswith(("/", "?")) else f"/{url}"
    return filled(url, place, notes)


def within(held: Any, place: str, notes: Notes) -> Any:
    """A value of JSON whose texts have no gaps."""
    match held:
        case str():
            return filled(held, place, notes)
        case dict():
            return {filled(k, place, notes): within(v, place, notes) for k, v in held.items()}
        case list():
            return [within(one, place, notes) for one in held]
    return held


def _name(expression: str) -> str:
    return plain(expression)[:NAME_MAX].strip("-_") or "value"
