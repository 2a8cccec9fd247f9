"""The tokens of short pieces of JavaScript, as checks are; `syntax` reads whole scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    """A piece of a script: its kind (`name`, `number`, `text`, `template`, `sign`), and line."""

    kind: str
    text: str
    line: int


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
    """The tokens of a script, with the brackets that close one another."""

    given: Sequence[Token]
    closes: dict[int, int]

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


def number_of(text: str) -> int | float | None:
    """The number that a text writes; None for any other text."""
    text = text.replace("_", "")
    try:
        return int(text, 0) if re.fullmatch(r"0[xX]\w+|[1-9]\d{0,300}|0", text) else float(text)
    except ValueError:
        return None


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
