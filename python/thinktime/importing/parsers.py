"""Foreign files read with limits: JSON and XML, and fields of their contents."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO
from xml.parsers import expat

from thinktime import InputError

BYTES_MAX = 128 * 1024 * 1024
"""Larger files are refused."""

WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""The marks at the start of UTF-16."""

DEPTH_MAX = 200
"""XML that is nested deeper is refused."""


def data(file: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``.

    Raises:
        InputError: It cannot be read, or is too large.
    """
    try:
        if file == "-":
            found = sys.stdin.buffer.read(BYTES_MAX + 1)
        else:
            with Path(file).open("rb") as opened:
                found = opened.read(BYTES_MAX + 1)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    if len(found) > BYTES_MAX:
        raise InputError(f"{file}: has more than {BYTES_MAX:,} bytes, which is the most taken")
    return found


def head(file: str, size: int) -> str:
    """The first bytes of an ordinary file as a text, with signs for wrong codes; else empty."""
    try:
        if not Path(file).is_file():
            return ""
        with Path(file).open("rb") as raw:
            found = raw.read(size)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    return found.decode("utf-16" if found.startswith(WIDE_MARKS) else "utf-8-sig", "replace")


@contextmanager
def opened(file: str) -> Iterator[TextIO]:
    """A file as a stream of text, which is UTF-8, or UTF-16 with its mark at the start.

    Raises:
        InputError: It cannot be opened.
    """
    try:
        with Path(file).open("rb") as raw:
            wide = raw.peek(2).startswith(WIDE_MARKS)
            yield io.TextIOWrapper(raw, "utf-16" if wide else "utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None


def text(given: bytes, file: str) -> str:
    """The text of a file, which is UTF-8, or UTF-16 with its mark at the start.

    Raises:
        InputError: It is neither.
    """
    wide = given.startswith(WIDE_MARKS)
    try:
        return given.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is no text in UTF-8: {error.reason}") from None


def from_json(given: str, file: str) -> Any:
    """The value of a JSON text.

    Raises:
        InputError: It is not JSON, with the line; or it is nested too deeply.
    """
    try:
        return json.loads(given)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}: is no JSON: {error.msg}") from None
    except RecursionError:
        raise InputError(f"{file}: is nested too deeply") from None
    except ValueError as error:  # a number with thousands of digits
        raise InputError(f"{file}: {error}") from None


def is_small(given: Any, parts_max: int) -> bool:
    """Whether a value has at most `most` parts, each counted as often as it is referred to."""
    waiting, seen = [given], 0
    while waiting:
        one = waiting.pop()
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        seen += 1 + len(inner)
        if seen > parts_max:
            return False
        waiting.extend(inner)
    return True


@dataclass(eq=False)
class Element:
    """An element of an XML file, with its line."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""


def from_xml(given: bytes, file: str) -> Element:
    """The root of an XML text. A document type is refused, so no entity can be declared.

    Raises:
        InputError: It is not XML, with the line; it has a document type, or is nested too deeply.
    """
    parser = expat.ParserCreate()
    top = Element("", {}, 0)
    open_now = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_now) > DEPTH_MAX:
            raise InputError(f"{file}: nested deeper than {DEPTH_MAX} elements")
        element = Element(tag, dict(attributes), parser.CurrentLineNumber)
        open_now[-1].children.append(element)
        open_now.append(element)

    def end(_: str) -> None:
        ended = open_now.pop()
        ended.text = "".join(parts.pop(ended, []))

    def characters(some: str) -> None:
        parts.setdefault(open_now[-1], []).append(some)

    def doctype(*_: object) -> None:
        raise InputError(f"{file}: has a document type (DTD), which is not read; take it out")

    parts: dict[Element, list[str]] = {}
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(given, True)
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        raise InputError(f"{file}:{error.lineno}: is no XML: {why}") from None
    return top.children[0]


def table(given: Any) -> dict[str, Any]:
    """A table unchanged; an empty one for any other value."""
    return given if isinstance(given, dict) else {}


def items(given: Any) -> list[Any]:
    """A list unchanged; an empty one for any other value."""
    return given if isinstance(given, list) else []


def words(given: Any) -> str:
    """A text unchanged, a number as a text; empty for any other value."""
    if isinstance(given, bool):
        return "true" if given else "false"
    return str(given) if isinstance(given, str | int | float) else ""
