"""Here-documents of a shell as here-strings: `<< EOF` and the lines below it as `<<< 'lines'`."""

from __future__ import annotations

import re

_BEGIN = re.compile(
    r"(?<![<\w$])(?:\d)?<<(?P<strips>-?)[ \t]*(?P<quote>['\"\\]?)(?P<word>[A-Za-z_]\w*)(?:['\"])?"
)


def inline(text: str) -> str:
    """A script whose here-documents stand within their commands; its lines keep their numbers.

    A word without a line that ends the document begins none, as in `$((1 << n))`.
    """
    lines = text.split("\n")
    made: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        begin = None if line.lstrip().startswith("#") else _BEGIN.search(line)
        end = _end(lines, at, begin) if begin is not None else None
        if begin is None or end is None:
            made.append(line)
            continue
        body = [one.lstrip("\t") if begin["strips"] else one for one in lines[at:end]]
        held = "\n".join(one.rstrip("\r") for one in body)
        before, after = line[: begin.start()], line[begin.end() :].rstrip("\r")
        made += f"{before}<<< {_quoted(held, is_literal=bool(begin['quote']))}{after}".split("\n")
        made += [""] * (end + 1 - at - held.count("\n"))  # the lines of the document, and its end
        at = end + 1
    return "\n".join(made)


def _end(lines: list[str], at: int, begin: re.Match[str]) -> int | None:
    """The number of the line that ends a document."""
    for number in range(at, len(lines)):
        line = lines[number].rstrip("\r")
        if (line.lstrip("\t") if begin["strips"] else line) == begin["word"]:
            return number
    return None


def _quoted(text: str, *, is_literal: bool) -> str:
    """A text in quotes: in such as keep variables in sight, unless it is literal."""
    if is_literal:
        return "'" + text.replace("'", "'\\''") + "'"
    return '"' + text.replace('"', '\\"') + '"'
