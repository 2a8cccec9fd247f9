"""The JavaScript of simple scripts: its tokens, and values of literals. Nothing is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

TEXT_MAX = 100_000
DEPTH_MAX = 40
PARTS_MAX = 10_000


@dataclass(frozen=True)
class Token:
    """A piece of a script: its kind (`name`, `number`, `text`, `template`, `sign`), and line."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Unknown:
    """The value of an expression that is known only at run time."""

    text: str

    def __str__(self) -> str:
        return f"`{self.text[:80]}`"


@dataclass(frozen=True)
class Random:
    """A number that is drawn evenly between two bounds."""

    lo: float
    hi: float


_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<number>0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<text>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')
    |(?P<template>`(?:[^`\\]|\\.)*+`)
    |(?P<sign>=>|\.\.\.|\|\||&&|\?\?|\?\.|[=!]==?|[<>]=|\+\+|--|.)""",
    re.DOTALL | re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*")
_BEFORE_REGEX = frozenset(
    ["(", ",", "=", ":", "[", "!", "&", "|", "?", "{", "}", ";", "=>", "&&", "||", "return", "??"]
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def tokens(script: str) -> list[Token]:
    """The tokens of a script, without blanks and comments."""
    found: list[Token] = []
    at, line = 0, 1
    while at < len(script):
        match = None
        if script[at] == "/" and (not found or found[-1].text in _BEFORE_REGEX):
            match = _REGEX.match(script, at)
        if match is not None:
            found.append(Token("regex", match[0], line))
        else:
            match = _TOKEN.match(script, at)
            assert match is not None, "any character is a sign"
            kind = match.lastgroup or "sign"
            if kind != "space":
                found.append(Token(kind, match[0], line))
        line += match[0].count("\n")
        at = match.end()
    return found


def pairs_of(given: Sequence[Token]) -> dict[int, int]:
    """For each opening bracket, the place of the one that closes it."""
    found, open_now = {}, []
    for place, token in enumerate(given):
        if token.kind != "sign":
            continue
        if token.text in _CLOSING:
            open_now.append(place)
        elif token.text in _CLOSING.values():
            while open_now:
                opened = open_now.pop()
                found[opened] = place
                if _CLOSING[given[opened].text] == token.text:
                    break
    return found | dict.fromkeys(open_now, len(given))


@dataclass
class Values:
    """Reads expressions between tokens, with the names that are known so far."""

    given: Sequence[Token]
    closes: dict[int, int]
    names: dict[str, Any] = field(default_factory=dict)

    def arguments(self, opening: int) -> list[tuple[int, int]]:
        """The bounds of the parts between commas, within the brackets that open there."""
        found, end = [], self.closes.get(opening, len(self.given))
        at = begin = opening + 1
        while at < end:
            if at in self.closes:
                at = self.closes[at]
            elif self.given[at].text == "," and self.given[at].kind == "sign":
                found.append((begin, at))
                begin = at + 1
            at += 1
        return [*found, (begin, end)] if begin < end else found

    def end_of(self, begin: int) -> int:
        """The end of the expression of a statement: a `;`, a bracket, or a new line."""
        at = begin
        while at < len(self.given):
            token = self.given[at]
            if token.kind == "sign" and token.text in (";", ",", ")", "]", "}"):
                return at
            before = self.given[at - 1]
            if at > begin and token.line > before.line + before.text.count("\n"):
                joined = (token.kind == "sign" and token.text not in "({[") or before.kind == "sign"
                if not joined or (before.text in (")", "]", "}") and token.kind != "sign"):
                    return at
            at = self.closes.get(at, at) + 1
        return at

    def value(self, begin: int, end: int, depth: int = 0) -> Any:
        """The value of an expression, or an `Unknown`."""
        if depth > DEPTH_MAX or begin >= end:
            return self._unknown(begin, end)
        for signs, join in ((("||", "??"), _either), (("+",), _sum), (("*",), _product)):
            parts = self._split(begin, end, signs)
            if len(parts) > 1:
                values = [self.value(a, b, depth + 1) for a, b in parts]
                found = values[0]
                for one in values[1:]:
                    found = join(found, one)
                return self._unknown(begin, end) if isinstance(found, Unknown) else found
        return self._simple(begin, end, depth)

    def _split(self, begin: int, end: int, signs: tuple[str, ...]) -> list[tuple[int, int]]:
        parts, at, start = [], begin, begin
        while at < end:
            token = self.given[at]
            if token.kind == "sign" and token.text in signs and at > start:
                parts.append((start, at))
                start = at + 1
            at = self.closes.get(at, at) + 1
        return [*parts, (start, end)]

    def _simple(self, begin: int, end: int, depth: int) -> Any:
        token, alone = self.given[begin], end - begin == 1
        match token.kind:
            case "number" if alone:
                return number_of(token.text)
            case "text" if alone:
                return unescaped(token.text[1:-1])
            case "template" if alone:
                return self._template(token, depth)
            case "name":
                return self._named(begin, end, depth)
        closed = self.closes.get(begin)
        if token.text == "-" and end - begin == 2 and self.given[begin + 1].kind == "number":
            found = number_of(self.given[begin + 1].text)
            return -found if isinstance(found, int | float) else found
        if closed == end - 1 and token.text == "(":
            return self.value(begin + 1, closed, depth + 1)
        if closed == end - 1 and token.text == "[":
            return self._checked([self.value(a, b, depth + 1) for a, b in self.arguments(begin)])
        if closed == end - 1 and token.text == "{":
            return self._checked(dict(self._fields(begin, depth)))
        return self._unknown(begin, end)

    def _fields(self, opening: int, depth: int) -> Iterator[tuple[str, Any]]:
        for begin, end in self.arguments(opening):
            token = self.given[begin]
            name = unescaped(token.text[1:-1]) if token.kind == "text" else token.text
            if end - begin == 1 and token.kind == "name":
                yield name, self.names.get(name, self._unknown(begin, end))
            elif token.text == "..." and end - begin == 2:
                inner = self.names.get(self.given[begin + 1].text)
                yield from inner.items() if isinstance(inner, dict) else ()
            elif end - begin > 2 and self.given[begin + 1].text == ":":
                yield name, self.value(begin + 2, end, depth + 1)

    def _named(self, begin: int, end: int, depth: int) -> Any:
        texts = [token.text for token in self.given[begin:end]]
        known = {"true": True, "false": False, "null": None, "undefined": None}
        if len(texts) == 1 and texts[0] in known:
            return known[texts[0]]
        if texts[0] == "__ENV":
            return Unknown("".join(texts))
        if texts == ["Math", ".", "random", "(", ")"]:
            return Random(0.0, 1.0)
        if texts[:4] == ["JSON", ".", "stringify", "("] and self.closes.get(begin + 3) == end - 1:
            first = self.arguments(begin + 3)[:1]
            found = self.value(*first[0], depth + 1) if first else Unknown("nothing")
            return found if is_unknown(found) else json.dumps(found)
        if texts[:2] == ["randomIntBetween", "("] and self.closes.get(begin + 1) == end - 1:
            bounds = [self.value(a, b, depth + 1) for a, b in self.arguments(begin + 1)]
            if len(bounds) == 2 and all(isinstance(one, int | float) for one in bounds):
                return Random(float(bounds[0]), float(bounds[1]))
        found = self.names.get(texts[0], Unknown(texts[0]))
        for at in range(1, len(texts), 2):
            inner = texts[at + 1] if texts[at] in (".", "?.") and at + 1 < len(texts) else ""
            found = found.get(inner, Unknown(inner)) if isinstance(found, dict) else Unknown(inner)
        return self._unknown(begin, end) if isinstance(found, Unknown) else found

    def _template(self, token: Token, depth: int) -> Any:
        pieces = re.split(r"\$\{([^{}`]*)\}", token.text[1:-1])
        found = []
        for place, piece in enumerate(pieces):
            if place % 2 == 0:
                found.append(unescaped(piece))
                continue
            inner = tokens(piece)
            one = Values(inner, pairs_of(inner), self.names).value(0, len(inner), depth + 1)
            if isinstance(one, bool) or not isinstance(one, str | int | float):
                return Unknown(token.text)
            found.append(str(one))
        text = "".join(found)
        return Unknown(token.text) if len(text) > TEXT_MAX or "${" in text else text

    def _checked(self, found: Any) -> Any:
        from thinktime.importing.parsers import is_small

        return found if is_small(found, PARTS_MAX) else Unknown("a large value")

    def _unknown(self, begin: int, end: int) -> Unknown:
        return Unknown(" ".join(token.text for token in self.given[begin : min(end, begin + 20)]))


def is_unknown(found: Any) -> bool:
    """Whether a value or a part of it is unknown, or drawn."""
    if isinstance(found, dict):
        return any(map(is_unknown, found.values()))
    if isinstance(found, list):
        return any(map(is_unknown, found))
    return isinstance(found, Unknown | Random)


def number_of(text: str) -> Any:
    """The number that a text writes; unknown if it is none."""
    text = text.replace("_", "")
    try:
        return int(text, 0) if re.fullmatch(r"0[xX]\w+|[1-9]\d{0,300}|0", text) else float(text)
    except ValueError:
        return Unknown(text[:80])


def _either(left: Any, right: Any) -> Any:
    return right if isinstance(left, Unknown) or not left else left


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, Random) and isinstance(right, int | float):
        return Random(left.lo + right, left.hi + right)
    if isinstance(right, Random) and isinstance(left, int | float):
        return _sum(right, left)
    if isinstance(left, str) and isinstance(right, str | int | float):
        text = f"{left}{right}"
        return text if len(text) <= TEXT_MAX else Unknown("a long text")
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left + right
    return f"{left}{right}" if isinstance(left, int) and isinstance(right, str) else Unknown("+")


def _product(left: Any, right: Any) -> Any:
    if isinstance(right, Random):
        left, right = right, left
    if isinstance(left, Random) and isinstance(right, int | float):
        return Random(left.lo * right, left.hi * right)
    both = isinstance(left, int | float) and isinstance(right, int | float)
    return float(left) * float(right) if both else Unknown("*")


_ESCAPE = re.compile(
    r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)", re.DOTALL
)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def unescaped(text: str) -> str:
    """The content of a JavaScript text."""

    def one(found: re.Match[str]) -> str:
        mark = found[1]
        if mark[0] in "ux" and len(mark) > 1:
            code = int(mark.strip("ux{}"), 16)
            return chr(code) if code < 0x110000 else "\ufffd"
        return "" if mark[-1] == "\n" else _NAMED.get(mark, mark)

    text = _ESCAPE.sub(one, text)
    # Characters beyond the first 65,536 are written as pairs.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
