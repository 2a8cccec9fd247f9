"""Values of scripts in JavaScript, as far as they are known without running it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing import gaps
from thinktime.importing.draft import Request
from thinktime.importing.javascript.syntax import Node, text_of
from thinktime.importing.marks import Marks
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
    return gaps.has(found) or not isinstance(found, str | int | float | None)


def whole(found: Any) -> Any:
    """A value for what takes no text with gaps: each of these is unknown."""
    match found:
        case Table():
            return Table({name: whole(one) for name, one in found.items()}, found.node)
        case dict():
            return {name: whole(one) for name, one in found.items()}
        case list():
            return [whole(one) for one in found]
    return Unknown(gaps.named(found)) if gaps.has(found) else found


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
    """Values as one text, which has gaps for those that are not known."""
    texts = [as_text(one, draws) for one in pieces]
    made = [
        gaps.gap(one.text if isinstance(one, Unknown) else one.law)
        if text is None and isinstance(one, Unknown | Random)
        else text
        for one, text in zip(pieces, texts, strict=True)
    ]
    known = [one for one in made if one is not None]
    is_bare = len(texts) == 1 and texts[0] is None
    if is_bare or len(known) < len(made) or sum(map(len, known)) > TEXT_MAX:
        return Unknown(text_of(node))
    return "".join(known)


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
