"""Lines of a shell as commands and words: of `sh`, with the `$'...'` of bash. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Commands with the numbers of their first lines.

    A command continues after a backslash at a line's end, and while a quote is open.
    """
    held: list[str] = []
    first, state = 0, ""
    for number, line in enumerate(of_windows(text).splitlines(), 1):
        if not held:
            first = number
            line = re.sub(r"^\s*\$\s+", "", line)
            if not line.strip() or line.lstrip().startswith("#"):
                continue
        state = _quote_after(line, state)
        if state in ("", '"') and re.search(r"(?<!\\)(?:\\\\)*\\$", line):
            held.append(line[:-1] + ("" if state else " "))
        elif state:
            held.append(line + "\n")
        else:
            yield first, "".join([*held, line])
            held = []
    if held:
        yield first, "".join(held)


def of_windows(text: str) -> str:
    """The same commands for `sh`, if they are written for the shell of Windows."""
    if not re.search(r"^\s*curl(?:\.exe)?\s.*(?:\^\"|\s\^$)", text, re.MULTILINE):
        return text
    # The number of lines stays, so that places are right.
    text = re.sub(r"\^\r?\n", "\\\\\n", text)
    text = re.sub(r"\^([^\n])", r"\1", text)
    return re.sub(r"^(\s*)curl\.exe", r"\1curl", text, flags=re.MULTILINE)


_ENDS = {"": r"(?<!\S)#[^\n]*|\\.|\$'|'|\"", "'": r"'", '"': r"\\.|\"", "$'": r"\\.|'"}


def _quote_after(text: str, state: str) -> str:
    """The quote that is open after a text, if `state` was open before it; empty for none.

    A comment has no quotes.
    """
    at = 0
    while found := re.compile(_ENDS[state], re.DOTALL).search(text, at):
        at = found.end()
        if not found[0].startswith(("#", "\\")):
            state = "" if state else found[0]
    return state


_PART = re.compile(
    r"""[ \t\r\n]++|\$'(?:\\.|[^'\\])*+'|"""
    r"""'[^']*+'|"(?:\\.|[^"\\])*+"|\\.|[<>]&|&>|(?P<operator>&&|\|\|?|;|&(?=\s|$))"""
    r"""|[^'"\\$ \t\r\n;|&<>]++|[\$\\&<>]""",
    re.DOTALL,
)
"""A part of a word, blanks, or an operator. An `&` within a word, as URLs have it, is a part."""


def commands(line: str) -> Iterator[tuple[str, list[str]]]:
    """The words of each command of a line, with the operator before it; empty for the first.

    A comment ends the line.

    Raises:
        ValueError: A quote is open at the end.
    """
    if _quote_after(line, ""):
        raise ValueError("one is open at the end")
    parts: list[re.Match[str]] = []
    before = ""
    for part in _PART.finditer(line):
        if part["operator"]:
            yield before, _joined(parts)
            before, parts = part["operator"], []
        elif part[0].startswith("#") and (not parts or parts[-1][0].isspace()):
            break
        else:
            parts.append(part)
    yield before, _joined(parts)


def variables(line: str) -> Iterator[str]:
    """What a shell would replace by its value, as `$NAME`, `${NAME}` or `$(`."""
    for part in _PART.finditer(line):
        if part[0].startswith('"'):
            yield from _USE.findall(re.sub(r"\\.", "", part[0], flags=re.DOTALL))
        elif part[0] == "$" and (found := _USE.match(line, part.start())):
            yield found[0]


_USE = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}?|\()")


def _joined(parts: Iterable[re.Match[str]]) -> list[str]:
    """The words that parts make."""
    found: list[list[str]] = [[]]
    for part in parts:
        if not part[0].isspace():
            found[-1].append(part[0])
        elif found[-1]:
            found.append([])
    return ["".join(map(_meant, word)) for word in found if word]


def _meant(part: str) -> str:
    """A part of a word without its quotes."""
    match part[:1]:
        case "$" if part != "$":
            return _of_bash(part[2:-1])
        case "'":
            return part[1:-1]
        case '"':
            return re.sub(r'\\([$`"\\])', r"\1", part[1:-1])
        case "\\" if part != "\\":
            return part[1:]
    return part


_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|x[0-9A-Fa-f]{1,2}|.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def _of_bash(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        mark = found[1]
        if len(mark) > 1:
            code = int(mark[1:], 16)
            return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        return _NAMED.get(mark, mark)

    return _ESCAPE.sub(one, text)
