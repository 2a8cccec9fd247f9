"""The grammar of PCM's stochastic expressions (StoEx).

Source: Becker, Koziolek, Reussner, The Palladio Component Model for Model-Driven Performance
Prediction, Journal of Systems and Software 82, 2009; the precedences are those of Palladio's own
grammar, in which `OR` binds more than `AND`, and `NOT` more than a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from thinktime import InputError

CHARACTERISATIONS = ("BYTESIZE", "NUMBER_OF_ELEMENTS", "STRUCTURE", "TYPE", "VALUE")
"""The properties of a variable, as in `file.BYTESIZE`."""

LENGTH_MAX = 200_000
"""Longer expressions are refused."""

NESTING_MAX = 30
"""Expressions with deeper brackets are refused."""

OPERATORS_MAX = 150
"""Expressions with more operators are refused."""


@dataclass(frozen=True)
class Literal:
    """A number, a text or a truth value."""

    value: bool | int | float | str


@dataclass(frozen=True)
class Variable:
    """A characterised variable, as in `file.BYTESIZE`."""

    id: str


@dataclass(frozen=True)
class Function:
    """A function or an operator with its arguments."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Samples:
    """A probability function: values with their probabilities."""

    kind: str
    samples: tuple[tuple[bool | int | float | str, float], ...]
    text: str


Node = Literal | Variable | Function | Samples

TOKENS = re.compile(
    r"""\s*(?:/\*.*?\*/\s*|//[^\n]*\s*)*(?:
    (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<text>"[^"]*"|'[^']*')
    |(?P<mark>==|<>|>=|<=|[-+*/%^<>?:;,.()\[\]])
    |(?P<end>$)
    |(?P<other>.))""",
    re.VERBOSE | re.DOTALL,
)
LEVELS = (("AND",), ("OR", "XOR"), ("<", ">", "==", "<>", "<=", ">="), ("+", "-"), ("*", "/", "%"))
ONCE = {2}  # comparisons do not chain


def parse(text: str) -> Node:
    """The expression of a text.

    Raises:
        InputError: It is not a stochastic expression; the message gives the place and the expected
            text.
    """
    if len(text) > LENGTH_MAX:
        raise InputError(f"the expression has {len(text)} characters, at most {LENGTH_MAX}")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            (str(found.lastgroup), found[str(found.lastgroup)]) for found in TOKENS.finditer(text)
        ]
        self.at = 0
        self.depth = 0
        self.operators = 0

    def fail(self, expected: str) -> InputError:
        kind, word = self.tokens[self.at]
        found = "the end" if kind == "end" else f"`{word}`"
        shown = self.text if len(self.text) <= 120 else self.text[:117] + "..."
        return InputError(f"{shown!r} is no stochastic expression: {found}, not {expected}")

    def taken(self, *words: str) -> str | None:
        kind, word = self.tokens[self.at]
        if kind in ("mark", "word") and word in words:
            self.at += 1
            return word
        return None

    def expect(self, word: str) -> None:
        if self.taken(word) is None:
            raise self.fail(f"`{word}`")

    def whole(self) -> Node:
        found = self.condition()
        if self.tokens[self.at][0] != "end":
            raise self.fail("an operator such as `+`")
        return found

    def condition(self) -> Node:
        self.depth += 1
        if self.depth > NESTING_MAX:
            raise InputError(f"an expression is nested deeper than {NESTING_MAX} brackets")
        found = self.level(0)
        if self.taken("?"):
            then = self.level(0)
            self.expect(":")
            found = Function("?:", (found, then, self.level(0)))
        self.depth -= 1
        return found

    def level(self, depth: int) -> Node:
        if depth == len(LEVELS):
            return self.power()
        left = self.level(depth + 1)
        while word := self.taken(*LEVELS[depth]):
            self.operators += 1
            if self.operators > OPERATORS_MAX:
                raise InputError(f"an expression has more than {OPERATORS_MAX} operators")
            left = Function(word, (left, self.level(depth + 1)))
            if depth in ONCE:
                break
        return left

    def power(self) -> Node:
        base = self.unary()
        return Function("^", (base, self.unary())) if self.taken("^") else base

    def unary(self) -> Node:
        signs: list[str] = []
        while word := self.taken("NOT", "-"):
            signs.append("NOT" if word == "NOT" else "negative")
        found = self.atom()
        for sign in reversed(signs):
            found = Function(sign, (found,))
        return found

    def atom(self) -> Node:
        kind, word = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return Literal(_number(word))
        if kind == "text":
            self.at += 1
            return Literal(word[1:-1])
        if self.taken("true", "false"):
            return Literal(word == "true")
        if self.taken("("):
            found = self.condition()
            self.expect(")")
            return found
        if kind == "word":
            self.at += 1
            return self.named(word)
        raise self.fail("a number, a variable such as `x.VALUE`, or a function")

    def named(self, word: str) -> Node:
        if word in SAMPLED:
            return self.samples(word)
        if self.taken("("):
            return Function(word, self.arguments())
        path = [word]
        while self.taken("."):
            kind, part = self.tokens[self.at]
            if kind != "word":
                raise self.fail("a name")
            self.at += 1
            path.append(part)
        if path[-1] not in CHARACTERISATIONS or len(path) < 2:
            raise self.fail(f"`.` and one of {', '.join(CHARACTERISATIONS)} after `{word}`")
        return Variable(".".join(path))

    def arguments(self) -> tuple[Node, ...]:
        if self.taken(")"):
            return ()
        found = [self.condition()]
        while self.taken(","):
            found.append(self.condition())
        self.expect(")")
        return tuple(found)

    def samples(self, kind: str) -> Node:
        if self.taken("("):
            self.expect("ordered")
            self.expect(")")
        self.expect("[")
        found = []
        while self.taken("("):
            value = self.sample(kind)
            self.expect(";")
            probability = self.sample("DoublePMF")
            self.expect(")")
            found.append((value, float(probability)))
        self.expect("]")
        if not found:
            raise self.fail("`(value; probability)`")
        return Samples(kind, tuple(found), self.text)

    def sample(self, kind: str) -> bool | int | float | str:
        node = self.unary()
        sign = 1
        if isinstance(node, Function) and node.name == "negative":
            sign, node = -1, node.arguments[0]
        value = node.value if isinstance(node, Literal) else None
        right, expected = SAMPLED[kind]
        if not right(value):
            raise self.fail(f"{expected} before it")
        return -value if sign < 0 and isinstance(value, int | float) else value  # type: ignore


def _number(word: str) -> int | float:
    return int(word) if word.isdigit() else float(word)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


SAMPLED: dict[str, tuple[Callable[[object], bool], str]] = {
    "IntPMF": (_is_number, "a whole number"),
    "DoublePMF": (_is_number, "a number"),
    "DoublePDF": (_is_number, "a number"),
    "EnumPMF": (lambda value: isinstance(value, str), 'a text such as `"a"`'),
    "BoolPMF": (lambda value: isinstance(value, bool), "`true` or `false`"),
}
"""The probability functions, and the types of their values."""
