"""Values of scripts in JavaScript, as far as they are known without running it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.draft import Request
from thinktime.importing.marks import Marks
from thinktime.importing.syntax import Node, text_of
from thinktime.importing.takes import is_part, own_name

TEXT_MAX = 100_000


@dataclass(frozen=True)
class Unknown:
    """The value of an expression that is known only at run time."""

    text: str

    def __str__(self) -> str:
        return f"`{' '.join(self.text.split())[:80]}`"


@dataclass(frozen=True)
class Random:
    """A number that is drawn evenly between two bounds; perhaps a whole one, both included."""

    lo: float
    hi: float
    is_whole: bool = False

    @property
    def law(self) -> str:
        """The distribution, as targets have it."""
        return f"uniform({self.lo:.12g}, {self.hi:.12g})"


@dataclass
class Scope:
    """The names that a part of a script knows, those around it, and the file if it is a module."""

    names: dict[str, Any] = field(default_factory=dict)
    outer: Scope | None = None
    file: str = ""

    def __post_init__(self) -> None:
        if self.outer is not None:
            self.file = self.outer.file

    def holder(self, name: str) -> Scope | None:
        """The nearest scope that has a name."""
        found: Scope | None = self
        while found is not None and name not in found.names:
            found = found.outer
        return found


@dataclass(eq=False)
class Function:
    """A function, with the scope it was made in, and its object if it is a method."""

    node: Node
    scope: Scope
    this: Any = None


@dataclass(eq=False)
class Class:
    """A class, with its base."""

    node: Node
    scope: Scope
    base: Any = None


@dataclass(eq=False)
class Instance:
    """An object of a class."""

    of: Class
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Member:
    """A name of a module, as `get` of `k6/http`; without a name, the module.

    Of an object that the module has made, its method.
    """

    module: str
    name: str = ""
    of: Handle | None = None


@dataclass(eq=False)
class Handle:
    """An object that a module has made, as a socket, with what was learned of it."""

    module: str
    kind: str
    held: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Answer:
    """The response to a request."""

    request: Request


@dataclass(frozen=True)
class Part:
    """A part of the response to a request, in the notation of `take`."""

    request: Request
    source: str

    def of(self, key: Any) -> Part | None:
        """The part of JSON that a key or a place leads to, or the header field of a name."""
        if self.source == "headers" and isinstance(key, str):
            return Part(self.request, f"header:{key}")
        if self.source.startswith("json:") and isinstance(key, int):
            return Part(self.request, f"{self.source}[{key}]")
        is_key = re.fullmatch(r"(?!length$)[A-Za-z_]\w*", str(key)) is not None
        if self.source.startswith("json:") and is_key:
            return Part(self.request, f"{self.source}.{key}")
        return None

    def mark(self, draws: Marks) -> str | None:
        """The mark of the value that the request takes; None if it cannot be taken."""
        if not is_part(self.source):
            return None
        name = re.sub(r"^.*[.:]", "", self.source)
        free, number = own_name(name), 1
        while free in draws.meanings.values() and self.request.take.get(free) != self.source:
            number += 1
            free = f"{own_name(name)}-{number}"
        self.request.take[free] = self.source
        return draws.add(free, "value")


class Table(dict[str, Any]):
    """An object that a script writes, with its node."""

    def __init__(self, pairs: Mapping[str, Any], node: Node) -> None:
        super().__init__(pairs)
        self.node = node


def is_unknown(found: Any) -> bool:
    """Whether a value or a part of it is unknown, or drawn."""
    if isinstance(found, dict):
        return any(map(is_unknown, found.values()))
    if isinstance(found, list):
        return any(map(is_unknown, found))
    return not isinstance(found, str | int | float | None)


def is_number(found: Any) -> bool:
    """Whether a value is a number."""
    return isinstance(found, int | float) and not isinstance(found, bool)


def as_text(found: Any, draws: Marks) -> str | None:
    """A value within a text; None if it is not known."""
    if isinstance(found, Random):
        if found.is_whole and found.lo == found.hi:
            return str(int(found.lo))
        return draws.add(found.law) if found.is_whole and found.lo < found.hi else None
    if isinstance(found, Part):
        return found.mark(draws)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float) and found.is_integer() and abs(found) < 1e15:
        return str(int(found))
    return str(found) if isinstance(found, str | int | float) else None


def joined(pieces: Sequence[Any], node: Node, draws: Marks) -> Any:
    """Values as one text."""
    texts = [text for one in pieces if (text := as_text(one, draws)) is not None]
    if len(texts) < len(pieces) or sum(map(len, texts)) > TEXT_MAX:
        return Unknown(text_of(node))
    return "".join(texts)


NUMBER_MAX = 1e15
"""Larger results are not followed: whole numbers have no bound here, as they have there."""

_SIGNS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": math.fmod,
}


def arithmetic(sign: str, left: Any, right: Any, node: Node) -> Any:
    """The result for two numbers, of which one may be drawn."""
    compute = _SIGNS.get(sign)
    try:
        if compute is not None and is_number(left) and is_number(right):
            made = compute(left, right)
            return made if abs(made) <= NUMBER_MAX else Unknown(text_of(node))
        drawn, other = (left, right) if isinstance(left, Random) else (right, left)
        fits = sign in "+-*/" if drawn is left else sign in "+-*"
        if compute is not None and fits and isinstance(drawn, Random) and is_number(other):
            ends = [
                compute(one, right) if drawn is left else compute(left, one)
                for one in (drawn.lo, drawn.hi)
            ]
            is_whole = drawn.is_whole and sign in "+-" and isinstance(other, int)
            return Random(min(ends), max(ends), is_whole)
    except (ArithmeticError, ValueError):
        pass
    return Unknown(text_of(node))


def rounded(kind: str, found: Any, node: Node) -> Any:
    """`Math.floor` and its like; a drawn number becomes a whole one."""
    if is_number(found) and abs(found) < 1e300:
        whole = {"floor": math.floor, "ceil": math.ceil, "round": lambda x: math.floor(x + 0.5)}
        return whole.get(kind, math.trunc)(found)
    if not isinstance(found, Random) or found.lo < 0 or found.hi > 1e15:
        return Unknown(text_of(node))
    lo, hi = found.lo, found.hi
    if found.is_whole:
        return found
    match kind:
        case "ceil":
            return Random(math.floor(lo) + 1, math.ceil(hi), True)
        case "round":
            return Random(math.floor(lo + 0.5), math.floor(hi + 0.5), True)
    return Random(math.floor(lo), math.ceil(hi) - 1, True)


def drawn(found: Any, draws: Marks) -> Any:
    """A value of JSON with marks for its random numbers."""
    match found:
        case dict():
            return {name: drawn(one, draws) for name, one in found.items()}
        case list():
            return [drawn(one, draws) for one in found]
        case Part():
            return found.mark(draws) or found
        case Random() if found.is_whole:
            return draws.add(found.law, "number") if found.lo < found.hi else int(found.lo)
    return found


def called(path: str, given: Sequence[Any], node: Node, draws: Marks) -> Any:
    """The value of a call of the language or of k6's small library; None for any other."""
    first = given[0] if given else None
    kind = re.fullmatch(r"Math\.(floor|ceil|round|trunc)|parseInt", path)
    if kind is not None:
        return rounded(kind[1] or "trunc", first, node)
    match path:
        case "JSON.parse" if isinstance(first, Part) and first.source == "body":
            return Part(first.request, "json:$")
        case "Math.random":
            return Random(0.0, 1.0)
        case "JSON.stringify":
            held = drawn(first, draws)
            return Unknown(text_of(node)) if is_unknown(held) else json.dumps(held)
        case "String" | "encodeURIComponent" if isinstance(first, str) and first.isalnum():
            return first
        case "randomIntBetween" if len(given) == 2 and all(map(is_number, given)):
            return Random(given[0], given[1], True)
    return None
