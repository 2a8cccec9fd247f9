"""Tests of Postman's scripts as checks: `pm.test` with simple expectations. No script is run.

Source: https://learning.postman.com/docs/tests-and-scripts/write-scripts/test-scripts/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from thinktime.importing import checks
from thinktime.importing.checks import NUMBER, TEXT, Condition, literal
from thinktime.importing.draft import Request
from thinktime.importing.javascript import tokens as javascript
from thinktime.importing.javascript.tokens import Values
from thinktime.importing.notes import Notes

SCRIPT_MAX = 100_000
"""Longer scripts, in characters, are not examined."""

_PATH = r"((?:\.[A-Za-z_]\w*|\[\d{1,9}\])*)"
_SUBJECTS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"pm\.response\.code", lambda _: "status"),
    (r"pm\.response\.responseTime", lambda _: "time"),
    (r"pm\.response\.text\(\)", lambda _: "body"),
    (rf"pm\.response\.json\(\){_PATH}", lambda m: f"json:${m[1]}"),
    (rf"pm\.response\.headers\.get\({TEXT}\)", lambda m: f"header:{literal(m[1])}"),
)
_WHOLE: tuple[tuple[str, Callable[[re.Match[str]], Condition]], ...] = (
    (rf"have\.status\({NUMBER}\)", lambda m: ("status", {"is": checks.number(m[1])})),
    (r"be\.ok", lambda _: ("status", {"is": 200})),
    (r"be\.success", lambda _: ("status", {"least": 200, "most": 299})),
    (rf"have\.header\({TEXT}\)", lambda m: (f"header:{literal(m[1])}", {})),
    (
        rf"have\.header\({TEXT},{TEXT}\)",
        lambda m: (f"header:{literal(m[1])}", {"is": literal(m[2])}),
    ),
)


def take(script: str, request: Request, place: str, notes: Notes) -> None:
    """Give a request the checks of its test script, and note the omitted ones."""
    if len(script) > SCRIPT_MAX:
        notes.add(place, "the test script is left out: it is too long")
        return
    given = javascript.tokens(script)
    values = Values(given, javascript.pairs_of(given))
    at, rest = 0, False
    bodies: set[str] = set()
    while at < len(given):
        if [token.text for token in given[at : at + 4]] == ["pm", ".", "test", "("]:
            bounds = values.arguments(at + 3)
            if len(bounds) == 2 and given[bounds[0][0]].kind == "text":
                made = _of_test(values, *bounds[1], bodies)
                checks.add(request, literal(given[bounds[0][0]].text), made, place, notes)
            else:
                rest = True
            at = values.closes.get(at + 3, at + 3) + 1
        elif given[at].text == ";":
            at += 1
        else:
            end = max(values.end_of(at), at + 1)
            rest |= not _is_body(values, at, end, bodies)
            at = end
    if rest:
        notes.add(place, "the rest of the test script is left out: scripts are not run")


def _of_test(values: Values, begin: int, end: int, outer: set[str]) -> list[Condition]:
    """The conditions of the function of a test; none if it has any other statement."""
    given = values.given
    opening = next((at for at in range(begin, end) if given[at].text == "{"), end)
    head = "".join(token.text for token in given[begin:opening])
    if [token.text for token in given[begin : begin + 3]] == [
        "(",
        ")",
        "=>",
    ] and opening != begin + 3:
        found = _condition(_canonical(values, begin + 3, end, outer))
        return checks.merged([found])
    if head not in ("function()", "()=>") or values.closes.get(opening) != end - 1:
        return []
    bodies = set(outer)
    held: list[Condition | None] = []
    for at, until in _statements(values, opening + 1, end - 1):
        if not _is_body(values, at, until, bodies):
            held.append(_condition(_canonical(values, at, until, bodies)))
    return checks.merged(held)


def _statements(values: Values, begin: int, end: int) -> Iterator[tuple[int, int]]:
    while begin < end:
        until = min(max(values.end_of(begin), begin + 1), end)
        if values.given[begin].text != ";":
            yield begin, until
        begin = until


def _is_body(values: Values, begin: int, end: int, bodies: set[str]) -> bool:
    """Whether a statement keeps the body, as in `const data = pm.response.json()`."""
    texts = [token.text for token in values.given[begin:end]]
    if texts[:1] and texts[0] in ("const", "let", "var") and texts[2:3] == ["="]:
        if "".join(texts[3:]) == "pm.response.json()":
            bodies.add(texts[1])
            return True
        bodies.discard(texts[1])
    return False


def _canonical(values: Values, begin: int, end: int, bodies: set[str]) -> str:
    """The statement, with `pm.response.json()` for its variables."""
    given, found = values.given, []
    for at in range(begin, end):
        kept = given[at].text in bodies and given[at - 1].text != "."
        found.append("pm.response.json()" if kept else given[at].text)
    return "".join(found)


def _condition(text: str) -> Condition | None:
    for pattern, made in _WHOLE:
        if found := re.fullmatch(rf"pm\.response\.to\.{pattern}", text):
            return made(found)
    for pattern, part in _SUBJECTS:
        if found := re.match(rf"pm\.expect\({pattern}\)\.to\.", text):
            held = _held(text[found.end() :], part(found))
            return None if held is None else (part(found), held)
    return None


def _held(text: str, part: str) -> dict[str, Any] | None:
    """The condition on a part, as in `be.below(200)`."""
    if found := re.fullmatch(rf"(?:be\.)?(?:equals?|eql|eq)\(({checks.VALUE})\)", text):
        return {"is": checks.of_literal(found[1])} if part != "time" else None
    if found := re.fullmatch(
        rf"be\.oneOf\(\[({checks.VALUE}(?:,{checks.VALUE}){{0,50}})\]\)", text
    ):
        one = re.finditer(checks.VALUE, found[1])
        return {"is": [checks.of_literal(each[0]) for each in one]} if part != "time" else None
    if found := re.fullmatch(rf"be\.(?:below|lessThan|lt)\({NUMBER}\)", text):
        if part == "time":
            return {"most": f"{found[1]}ms"}
        return {"most": int(found[1]) - 1} if part == "status" and found[1].isdigit() else None
    if found := re.fullmatch(rf"(?:include|contain)s?\({TEXT}\)", text):
        return {"contains": literal(found[1])} if part == "body" or ":" in part else None
    return None
