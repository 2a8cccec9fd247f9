"""Checks of scripts as those of a workload file; here those of k6: conditions on an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from thinktime.importing.draft import Request
from thinktime.importing.javascript.tokens import Token, Values, unescaped
from thinktime.importing.notes import Notes
from thinktime.importing.toml import line

Condition = tuple[str, dict[str, Any]]
"""A part of the response, and the condition that it must meet."""

CHECKS_MAX = 100
"""At most this many checks belong to a request."""
NAME_MAX = 200

_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TEXT = r"""("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
VALUE = rf"(?:{TEXT[1:-1]}|{NUMBER[1:-1]}|true|false)"
_HEADER = rf"R\.headers(?:\[{TEXT}\]|\.(\w+))"
_JSON = rf"R\.json\((?:{TEXT})?\)((?:\.[A-Za-z_]\w*|\[\d{{1,9}}\])*)"
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\.\d{1,9})*|")


def add(request: Request, name: str, conditions: list[Condition], place: str, notes: Notes) -> None:
    """Give a request a check, one for each checked part of the response."""
    name = line(name)[:NAME_MAX] or "check"
    if not conditions:
        notes.add(place, f"the check {name!r} is left out: it is no simple comparison")
    elif len(conditions) > 1:
        notes.add(place, f"the check {name!r} became {len(conditions)}, one a part")
    for part, held in conditions:
        if len(request.checks) == CHECKS_MAX:
            notes.add(place, f"has more than {CHECKS_MAX} checks: others are left out")
            break
        free, number = name, 1
        while free in request.checks:
            number += 1
            free = f"{name} ({number})"
        request.checks[free] = {"of": part, **held}


def merged(given: list[Condition | None]) -> list[Condition]:
    """The conditions, with those about one part as one.

    None if one is unknown, or if a part cannot have them all.
    """
    made: dict[str, dict[str, Any]] = {}
    for one in given:
        if one is None:
            return []
        part, held = one
        before = made.setdefault(part, {})
        if set(before) & set(held):
            return []
        before.update(held)
        if {"least", "most"} <= set(before) and before["least"] > before["most"]:
            return []
        if part.startswith("header:") and not _FIELD.fullmatch(part.removeprefix("header:")):
            return []
    return list(made.items())


def literal(text: str) -> str:
    """The content of a text, given with its quotes."""
    return unescaped(text[1:-1])


def number(text: str) -> int | float:
    """A number as written: whole if it has no point."""
    return float(text) if "." in text else int(text)


def of_literal(text: str) -> str | int | float:
    """The meaning of a `VALUE`; truth values are texts, as checks compare them."""
    if text[0] in "'\"":
        return literal(text)
    return number(text) if text[0].isdigit() else text


def _status(found: re.Match[str]) -> Condition | None:
    number = int(float(found[2]))
    if float(found[2]) != number:
        return None
    held = {">": ("least", number + 1), ">=": ("least", number),
            "<": ("most", number - 1), "<=": ("most", number)}  # fmt: skip
    name, bound = held.get(found[1], ("is", number))
    return "status", {name: bound}


def _header(found: re.Match[str]) -> str:
    return f"header:{literal(found[1]) if found[1] else found[2]}"


def _json(found: re.Match[str]) -> Condition | None:
    path = literal(found[1]) if found[1] else ""
    if not _PATH.fullmatch(path):
        return None
    inner = "".join(f"[{one}]" if one.isdigit() else f".{one}" for one in path.split(".") if one)
    return f"json:${inner}{found[2]}", {"is": of_literal(found[3])}


_PATTERNS: tuple[tuple[str, Callable[[re.Match[str]], Condition | None]], ...] = (
    (rf"R\.status(===?|[<>]=?){NUMBER}", _status),
    (rf"R\.timings\.duration<=?{NUMBER}", lambda m: ("time", {"most": f"{m[1]}ms"})),
    (rf"R\.body\.includes\({TEXT}\)", lambda m: ("body", {"contains": literal(m[1])})),
    (
        rf"R\.body\.indexOf\({TEXT}\)(?:!==?-1|>-1|>=0)",
        lambda m: ("body", {"contains": literal(m[1])}),
    ),
    (rf"{_HEADER}===?{TEXT}", lambda m: (_header(m), {"is": literal(m[3])})),
    (rf"{_HEADER}\.includes\({TEXT}\)", lambda m: (_header(m), {"contains": literal(m[3])})),
    (rf"{_JSON}===?({VALUE})", _json),
    (r"R\.status===?\w+\.StatusOK", lambda m: ("header:grpc-status", {"is": "0"})),
    (
        rf"R\.message((?:\.[A-Za-z_]\w*)+)===?({VALUE})",
        lambda m: (f"json:${m[1]}", {"is": of_literal(m[2])}),
    ),
)


def of_object(values: Values, begin: int, end: int, answer: str) -> dict[str, list[Condition]]:
    """The checks of an object as `check` of k6 takes it, each with its conditions.

    One that is no simple comparison has none. `answer` is the variable that holds the response.
    """
    given = values.given
    if end - begin < 2 or given[begin].text != "{" or values.closes.get(begin) != end - 1:
        return {}
    found: dict[str, list[Condition]] = {}
    for at, until in values.arguments(begin):
        token = given[at]
        name = literal(token.text) if token.kind == "text" else token.text
        if until - at > 2 and given[at + 1].text == ":":
            found[name] = _of_function(given[at + 2 : until], answer)
        else:
            found[name] = []
    return found


def _of_function(tokens: Sequence[Token], answer: str) -> list[Condition]:
    """The conditions of `(r) => ...` or `function (r) { return ...; }`; none if one is unknown."""
    texts = [token.text for token in tokens]
    names = {answer}
    if "=>" in texts:
        place = texts.index("=>")
        names |= set(texts[:place]) - {"(", ")"}
        body = tokens[place + 1 :]
    elif texts[:2] == ["function", "("] and "{" in texts:
        place = texts.index("{")
        names |= set(texts[2:place]) - {")"}
        body = tokens[place:]
    else:
        return []
    if body and body[0].text == "{":
        texts = [token.text for token in body]
        if texts[1:2] != ["return"] or texts[-1] != "}":
            return []
        body = body[2 : -2 if texts[-2] == ";" else -1]
    return _conditions(_canonical(body, names))


def _canonical(tokens: Sequence[Token], names: set[str]) -> list[str]:
    """The expression, with `R` for the response."""
    found = []
    for at, token in enumerate(tokens):
        is_name = token.kind == "name" and token.text in names
        found.append("R" if is_name and (at == 0 or tokens[at - 1].text != ".") else token.text)
    return found


def _conditions(texts: list[str]) -> list[Condition]:
    # `r && r.status === 200` asks first whether there is a response.
    return merged([_either(both) for both in _split(texts, "&&") if both != ["R"]])


def _either(texts: list[str]) -> Condition | None:
    """One comparison, or several for one part that together fix its value."""
    either = [_one("".join(one)) for one in _split(texts, "||")]
    if len(either) == 1:
        return either[0]
    known = [one for one in either if one is not None and list(one[1]) == ["is"]]
    if len(known) < len(either) or len({part for part, _ in known}) > 1:
        return None
    return known[0][0], {"is": [held["is"] for _, held in known]}


def _split(texts: list[str], sign: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for text in texts:
        if text == sign:
            parts.append([])
        else:
            parts[-1].append(text)
    return parts


def _one(text: str) -> Condition | None:
    for pattern, condition in _PATTERNS:
        if found := re.fullmatch(pattern, text):
            return condition(found)
    return None
