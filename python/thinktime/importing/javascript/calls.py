"""Values of calls of JavaScript's own functions, and of k6's small library."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from thinktime.importing import gaps
from thinktime.importing.javascript.syntax import Node, text_of
from thinktime.importing.javascript.values import Part, Random, Unknown, is_number
from thinktime.importing.marks import Marks

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


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


def drawn(found: Any, draws: Marks, *, is_inside: bool = False) -> Any:
    """A value of JSON with marks for its random numbers, and gaps for what is not known in it."""
    match found:
        case dict():
            return {name: drawn(one, draws, is_inside=True) for name, one in found.items()}
        case list():
            return [drawn(one, draws, is_inside=True) for one in found]
        case Part():
            return found.mark(draws) or found
        case Unknown() if is_inside:
            return gaps.gap(found.text)
        case Random() if found.is_whole:
            return draws.add(found.law, "number") if found.lo < found.hi else int(found.lo)
    return found


def all_known(found: Any) -> bool:
    """Whether a value of JSON has nothing but texts, which may have gaps, numbers and the like.

    A part `...name` is not: nobody knows how many values it stands for.
    """
    match found:
        case dict():
            return all(all_known(one) and not name.startswith("...") for name, one in found.items())
        case list():
            return all(map(all_known, found))
    return isinstance(found, str | int | float | None)


def called(path: str, given: Sequence[Any], node: Node, draws: Marks) -> Any:
    """The value of a call of the language or of k6's small library; None for any other."""
    first = given[0] if given else None
    if path == "parseInt" and isinstance(first, str) and re.fullmatch(r"\d{1,15}", first):
        return int(first)
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
            is_one = all_known(held) and not (isinstance(held, str) and gaps.has(held))
            return json.dumps(held, ensure_ascii=False) if is_one else Unknown(text_of(node))
        case "Number" | "parseFloat" if isinstance(first, str) and _NUMBER.fullmatch(first):
            return float(first) if "." in first else int(first)
        case "String" | "encodeURIComponent" if isinstance(first, str) and first.isalnum():
            return first
        case "randomIntBetween" if len(given) == 2 and all(map(is_number, given)):
            return Random(given[0], given[1], True)
    return None
